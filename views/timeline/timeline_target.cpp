#include "views/timeline/timeline_target.h"

#include <algorithm>

#include <retracescope/base/units.h>

#include "views/shared/numbers.h"

namespace retracescope::views {

using session::CallId;
using session::EventKind;
using session::LaneRow;

namespace {

constexpr double kReach = 4;          // pixels beside a small thing that still mean it
constexpr std::size_t kMostKinds = 5; // in a density's tooltip

/// First event of a row that ends after `ns`.
std::size_t firstEndingAfter(const LaneRow& row, double ns) {
    return static_cast<std::size_t>(
        std::ranges::upper_bound(row.endNs, ns, {}, [](std::int64_t t) { return static_cast<double>(t); }) -
        row.endNs.begin());
}

std::size_t firstStartingAt(const LaneRow& row, double ns) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(row.startNs, ns, {}, [](std::int64_t t) { return static_cast<double>(t); }) -
        row.startNs.begin());
}

TimelineTarget glyphAt(const TimelineLane& lane, const TimelineFrame& frame, TimelineTarget target,
                       double x) {
    for (const GlyphCluster& cluster : arrangeGlyphs(lane, frame.scale)) {
        if (x < cluster.left() - 1 || x > cluster.right() + 1)
            continue;
        target.kind = TimelineTarget::Kind::Glyph;
        target.beginNs = cluster.beginNs;
        target.endNs = cluster.endNs;
        for (const GlyphCluster::Part& part : cluster.parts) {
            if (x >= part.x - kGlyphSize / 2 - 1 || &part == &cluster.parts.front())
                target.glyph = part.glyph;
        }
        break;
    }
    return target;
}

TimelineTarget hitAt(const TimelineLane& lane, const TimelineFrame& frame, TimelineTarget target, double x) {
    target.beginNs = frame.scale.toNs(x - kReach);
    target.endNs = frame.scale.toNs(x + kReach);
    if (lane.glyphs[static_cast<std::size_t>(Glyph::Hit)].count(target.beginNs, target.endNs) > 0)
        target.kind = TimelineTarget::Kind::Glyph;
    return target;
}

TimelineTarget eventAt(const TimelineLane& lane, const TimelineFrame& frame, TimelineTarget target,
                       double x) {
    const LaneRow& row = *lane.rows[target.depth];
    const double ns = frame.scale.toNs(x);
    const std::size_t under = firstEndingAfter(row, ns);
    const auto wide = [&](std::size_t i) {
        return static_cast<double>(row.endNs[i] - row.startNs[i]) / frame.scale.nsPerPixel() >= 3;
    };
    if (under < row.size() && static_cast<double>(row.startNs[under]) <= ns && wide(under)) {
        target.kind = TimelineTarget::Kind::Event;
        target.event = under;
        return target;
    }
    // Beside wide bars: what is in this pixel, else a little around it.
    for (const double reach : {0.5, kReach}) {
        const double begin = frame.scale.toNs(x - reach);
        const double end = frame.scale.toNs(x + reach);
        const std::size_t first = firstEndingAfter(row, begin);
        const std::size_t last = std::max(first, firstStartingAt(row, end));
        if (last - first == 1) {
            target.kind = TimelineTarget::Kind::Event;
            target.event = first;
            return target;
        }
        if (last > first) {
            target.kind = TimelineTarget::Kind::Density;
            target.beginNs = begin;
            target.endNs = end;
            return target;
        }
    }
    return target;
}

QString categoryName(const TimelineModel& model, const TimelineLane& lane, session::CategoryId id) {
    if (lane.kind == TimelineLaneKind::Function)
        return phaseName(static_cast<Phase>(id.value));
    const session::EventCategory& category = model.pyramid.index.categories[id.value];
    QString name = toQString(model.session().text(category.name));
    if (category.kind == EventKind::Call)
        name += category.outcome == session::Outcome::Traced ? QStringLiteral(", traced") : QString();
    return name.isEmpty() ? toQString(model.session().text(category.category)) : name;
}

QString since(const TimelineModel& model, std::int64_t ns) {
    return durationText(ns - model.session().originNs);
}

QString describeGlyph(const TimelineModel& model, const TimelineTarget& target) {
    const TimelineLane& lane = model.lanes[target.lane];
    QStringList parts;
    std::size_t all = 0;
    for (std::size_t g = 0; g < kGlyphs; ++g) {
        if ((static_cast<Glyph>(g) == Glyph::Hit) != (target.glyph == Glyph::Hit))
            continue;
        const std::size_t count = lane.glyphs[g].count(target.beginNs, target.endNs);
        all += count;
        if (count > 0)
            parts += QStringLiteral("%1 %2").arg(countText(static_cast<std::int64_t>(count)),
                                                 glyphWord(static_cast<Glyph>(g)));
    }
    const auto call = callOf(model, target);
    if (all == 1 && call)
        return describeCall(model, *call);
    return QStringLiteral("%1\n%2").arg(lane.name, parts.join(QStringLiteral(", ")));
}

QString describeEvent(const TimelineModel& model, const TimelineTarget& target) {
    const TimelineLane& lane = model.lanes[target.lane];
    const LaneRow& row = *lane.rows[target.depth];
    const session::EventRef event = row.event[target.event];
    const QString length = durationText(row.endNs[target.event] - row.startNs[target.event]);
    const QString times =
        QStringLiteral("%1, starts at %2").arg(length, since(model, row.startNs[target.event]));
    if (event.kind == EventKind::Call) {
        const QString call = describeCall(model, CallId(event.row));
        return lane.kind == TimelineLaneKind::Function
                   ? QStringLiteral("%1\n%2: %3")
                         .arg(call, categoryName(model, lane, row.category[target.event]), length)
                   : call;
    }
    QString text = QStringLiteral("%1\n%2").arg(categoryName(model, lane, row.category[target.event]), times);
    if (event.kind == EventKind::Span) {
        const QString args = toQString(model.session().text(model.session().spans.args[event.row]));
        if (!args.isEmpty())
            text += QStringLiteral("\n") + args.left(300);
    }
    return text;
}

QString describeDensity(const TimelineModel& model, const TimelineTarget& target) {
    const TimelineLane& lane = model.lanes[target.lane];
    const auto sums = session::sumWindow(*lane.rows[target.depth], static_cast<std::int64_t>(target.beginNs),
                                         static_cast<std::int64_t>(target.endNs) + 1);
    std::int64_t events = 0;
    for (const session::WindowSum& sum : sums)
        events += sum.count;
    QString text = QStringLiteral("%1 in %2")
                       .arg(pluralText(events, QStringLiteral("event"), QStringLiteral("events")),
                            durationText(static_cast<std::int64_t>(target.endNs - target.beginNs)));
    for (std::size_t i = 0; i < sums.size() && i < kMostKinds; ++i)
        text += QStringLiteral("\n%1 × %2, %3")
                    .arg(countText(sums[i].count), categoryName(model, lane, sums[i].category),
                         durationText(sums[i].busyNs));
    if (sums.size() > kMostKinds)
        text += QStringLiteral("\nand %1 more names").arg(sums.size() - kMostKinds);
    return text;
}

QString describePoints(const TimelineModel& model, const TimelineTarget& target) {
    const TimelineLane& lane = model.lanes[target.lane];
    const auto& times = lane.points->pointNs;
    const auto first =
        std::ranges::lower_bound(times, static_cast<std::int64_t>(target.beginNs)) - times.begin();
    const auto last =
        std::ranges::lower_bound(times, static_cast<std::int64_t>(target.endNs)) - times.begin();
    if (lane.kind == TimelineLaneKind::Counter) { // the value that holds here
        const auto at =
            std::ranges::upper_bound(times, static_cast<std::int64_t>((target.beginNs + target.endNs) / 2)) -
            times.begin();
        if (at == 0 || lane.counter.values().empty())
            return {};
        const auto sample = static_cast<std::size_t>(at - 1);
        return QStringLiteral("%1\n%2 since %3")
            .arg(lane.name)
            .arg(lane.counter.values()[sample], 0, 'g', 12)
            .arg(since(model, times[sample]));
    }
    if (last <= first)
        return {};
    const session::EventRef point = lane.points->points[static_cast<std::size_t>(first)];
    const QString name = point.kind == EventKind::Instant
                             ? toQString(model.session().text(model.session().instants.name[point.row]))
                             : QString();
    return last - first == 1
               ? QStringLiteral("%1\nat %2").arg(name, since(model, times[static_cast<std::size_t>(first)]))
               : QStringLiteral("%1 points, the first is %2").arg(last - first).arg(name);
}

} // namespace

TimelineTarget findTarget(const TimelineModel& model, const LaneStack& stack, const TimelineFrame& frame,
                          const QPointF& at) {
    TimelineTarget target;
    const auto line = stack.lineAt(static_cast<int>(at.y()) - kTopHeight, frame.scroll);
    if (at.y() < kTopHeight || !line)
        return target;
    target.lane = line->index;
    if (line->isGroup) {
        target.kind = TimelineTarget::Kind::Group;
        return target;
    }
    const TimelineLane& lane = model.lanes[line->index];
    const double x = at.x() - kHeaderWidth;
    const int y = static_cast<int>(at.y()) - kTopHeight - frame.topOf(*line);
    if (line->hasStrip && y >= rowTop(lane, line->rows)) {
        target.kind = TimelineTarget::Kind::Strip;
        return target;
    }
    if (x < 0) {
        target.kind = TimelineTarget::Kind::Header;
        return target;
    }
    if (lane.kind == TimelineLaneKind::Function && y < kLanePadding + kGlyphHeight)
        return glyphAt(lane, frame, target, x);
    if (lane.kind == TimelineLaneKind::Function && y < kLanePadding + kGlyphRow - 1)
        return hitAt(lane, frame, target, x);
    for (std::size_t depth = 0; depth < line->rows; ++depth) {
        if (y < rowTop(lane, depth) - 1 || y >= rowTop(lane, depth) + rowHeight(lane) + 1)
            continue;
        target.depth = depth;
        target = eventAt(lane, frame, target, x);
    }
    if (target.kind == TimelineTarget::Kind::Nothing && lane.points != nullptr) {
        target.kind = TimelineTarget::Kind::Points;
        target.beginNs = frame.scale.toNs(x - kReach);
        target.endNs = frame.scale.toNs(x + kReach);
    }
    return target;
}

std::optional<CallId> callOf(const TimelineModel& model, const TimelineTarget& target) {
    const TimelineLane& lane = model.lanes[target.lane];
    if (target.kind == TimelineTarget::Kind::Event) {
        const session::EventRef event = lane.rows[target.depth]->event[target.event];
        return event.kind == EventKind::Call ? std::optional(CallId(event.row)) : std::nullopt;
    }
    if (target.kind != TimelineTarget::Kind::Glyph)
        return std::nullopt;
    const GlyphSeries& series = lane.glyphs[static_cast<std::size_t>(target.glyph)];
    const std::size_t first = series.firstAt(target.beginNs);
    if (first >= series.call.size() || !series.call[first].isValid())
        return std::nullopt;
    return series.call[first];
}

std::optional<session::EventRef> eventOf(const TimelineModel& model, const TimelineTarget& target) {
    const TimelineLane& lane = model.lanes[target.lane];
    if (target.kind == TimelineTarget::Kind::Event)
        return lane.rows[target.depth]->event[target.event];
    if (target.kind != TimelineTarget::Kind::Points)
        return std::nullopt;
    const std::size_t first = firstAtOrAfter(lane.points->pointNs, target.beginNs);
    const bool any = first < lane.points->pointNs.size() &&
                     static_cast<double>(lane.points->pointNs[first]) < target.endNs &&
                     lane.points->points[first].kind == EventKind::Instant;
    return any ? std::optional(lane.points->points[first]) : std::nullopt;
}

QString describeCall(const TimelineModel& model, CallId call) {
    const session::Session& session = model.session();
    const session::CallTable& calls = session.calls;
    const session::FunctionId function = calls.function[call.value];
    const session::MissId miss = model.diagnosis->index.missOfCall[call.value];
    const auto total = model.diagnosis->index.callsOfFunction[function.value].size();
    QString text =
        QStringLiteral("%1 · call %2 of %3, %4, %5")
            .arg(toQString(model.diagnosis->names[function.value]))
            .arg(calls.number[call.value])
            .arg(total)
            .arg(glyphWord(glyphOfCall(session, call, miss)), durationText(calls.durationNs[call.value]));
    text += QStringLiteral("\nstarts at %1").arg(since(model, calls.startNs[call.value]));
    if (calls.entry[call.value].isValid())
        text += QStringLiteral(", entry %1").arg(session[calls.entry[call.value]].number);
    if (calls.traceNs[call.value] > 0)
        text += QStringLiteral(", tracing %1").arg(durationText(calls.traceNs[call.value]));
    if (miss.isValid() && miss.value < model.diagnosis->explanations.size()) {
        const std::string& sentence = model.diagnosis->explanations[miss.value].sentence;
        if (!sentence.empty())
            text += QStringLiteral("\n") + toQString(sentence);
    }
    return text;
}

QString describe(const TimelineModel& model, const TimelineTarget& target) {
    switch (target.kind) {
    case TimelineTarget::Kind::Glyph:
        return describeGlyph(model, target);
    case TimelineTarget::Kind::Event:
        return describeEvent(model, target);
    case TimelineTarget::Kind::Density:
        return describeDensity(model, target);
    case TimelineTarget::Kind::Points:
        return describePoints(model, target);
    case TimelineTarget::Kind::Header:
        return model.lanes[target.lane].name;
    case TimelineTarget::Kind::Strip:
        return QStringLiteral("A click shows all %1 rows, or the first %2 again.")
            .arg(model.lanes[target.lane].rows.size())
            .arg(kMostRows);
    case TimelineTarget::Kind::Group:
    case TimelineTarget::Kind::Nothing:
        break;
    }
    return {};
}

} // namespace retracescope::views
