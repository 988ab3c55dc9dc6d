#include <retracescope/importers/span_rows.h>

#include <algorithm>

#include <retracescope/session/nesting.h>

namespace retracescope::importers {

namespace {

bool comesBefore(const ImportedSpan& a, const ImportedSpan& b) {
    if (a.startNs != b.startNs)
        return a.startNs < b.startNs;
    if (a.endNs != b.endNs)
        return a.endNs > b.endNs;
    return a.order < b.order;
}

/// Sorts in pieces, so that a cancelled job ends soon however many spans there are. False if it was
/// cancelled.
bool sortSpans(std::vector<ImportedSpan>& spans, const Job& job) {
    if (std::ranges::is_sorted(spans, comesBefore))
        return true;
    constexpr std::size_t kPiece = 64 * 1024;
    const auto at = [&](std::size_t i) {
        return spans.begin() + static_cast<std::ptrdiff_t>(std::min(i, spans.size()));
    };
    for (std::size_t i = 0; i < spans.size(); i += kPiece) {
        if (job.cancel.requested())
            return false;
        std::sort(at(i), at(i + kPiece), comesBefore);
    }
    for (std::size_t width = kPiece; width < spans.size(); width *= 2) {
        for (std::size_t i = 0; i + width < spans.size(); i += 2 * width) {
            if (job.cancel.requested())
                return false;
            std::inplace_merge(at(i), at(i + width), at(i + 2 * width), comesBefore);
        }
    }
    return true;
}

void reserve(session::SpanTable& table, std::size_t count) {
    table.startNs.reserve(count);
    table.durationNs.reserve(count);
    table.lane.reserve(count);
    table.name.reserve(count);
    table.category.reserve(count);
    table.function.reserve(count);
    table.entry.reserve(count);
    table.args.reserve(count);
    table.row.reserve(count);
}

void append(session::SpanTable& table, const ImportedSpan& span, std::size_t row) {
    table.startNs.push_back(span.startNs);
    table.durationNs.push_back(span.endNs - span.startNs);
    table.lane.push_back(span.lane);
    table.name.push_back(span.name);
    table.category.push_back(span.category);
    table.function.push_back(span.function);
    table.entry.emplace_back();
    table.args.push_back(span.args);
    table.row.push_back(static_cast<std::uint8_t>(row));
}

} // namespace

bool addSpans(std::vector<ImportedSpan> spans, session::Session& session, const Job& job) {
    if (!sortSpans(spans, job))
        return false;
    std::vector<session::Nesting> lanes(session.lanes.size());
    reserve(session.spans, spans.size());
    constexpr std::size_t kPollEvery = 16 * 1024;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i % kPollEvery == 0 && job.cancel.requested())
            return false;
        append(session.spans, spans[i],
               lanes[spans[i].lane.value].place(spans[i].startNs, spans[i].endNs).layer);
    }
    return !job.cancel.requested();
}

} // namespace retracescope::importers
