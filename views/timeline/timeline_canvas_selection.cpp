#include "views/timeline/timeline_canvas.h"

#include <algorithm>
#include <cmath>

namespace retracescope::views {

using session::CallId;

void TimelineCanvas::onSelection() {
    update();
    if (!m_model || m_selecting)
        return;
    const Selection& selection = m_state.selection();
    if (selection.call.isValid())
        revealCall(selection.call);
    else if (selection.event)
        revealEvent(*selection.event);
    else if (selection.function.isValid()) {
        if (const auto lane = m_model->laneOf(selection.function))
            revealLane(*lane);
    }
}

/// Scrolls only if it is out of sight; the zoom stays.
void TimelineCanvas::revealTime(double start, double end) {
    if (end >= m_scale.beginNs && start < m_scale.endNs)
        return;
    const double length = m_scale.endNs - m_scale.beginNs;
    const double begin = (start + std::min(end, start + length)) / 2 - length / 2;
    showRange(begin, begin + length);
}

void TimelineCanvas::revealEvent(const session::EventRef& event) {
    const auto place = m_model->placeOf(event);
    if (!place)
        return;
    const session::LaneRow& row = *m_model->lanes[place->lane].rows[place->row];
    revealTime(static_cast<double>(row.startNs[place->index]), static_cast<double>(row.endNs[place->index]));
    const auto line = m_stack.lineOf(place->lane);
    if (line && place->row >= line->rows)
        openLane(place->lane, true); // it is deeper than what is drawn each
    revealLane(place->lane);
}

/// Along the row of the selected event, to what contains it, to the first inside it. False if none is
/// selected.
bool TimelineCanvas::stepEvent(int key) {
    const auto place =
        m_state.selection().event ? m_model->placeOf(*m_state.selection().event) : std::nullopt;
    if (!place)
        return false;
    const TimelineLane& lane = m_model->lanes[place->lane];
    const session::LaneRow& row = *lane.rows[place->row];
    const auto isLayer = [&](std::size_t r) {
        return std::ranges::find(lane.outermost, r) != lane.outermost.end();
    };
    if (key == Qt::Key_Left && place->index > 0) {
        m_state.selectEvent(row.event[place->index - 1]);
    } else if (key == Qt::Key_Right && place->index + 1 < row.size()) {
        m_state.selectEvent(row.event[place->index + 1]);
    } else if (key == Qt::Key_Up && !isLayer(place->row)) {
        const session::LaneRow& above = *lane.rows[place->row - 1];
        const auto at =
            std::ranges::upper_bound(above.startNs, row.startNs[place->index]) - above.startNs.begin();
        m_state.selectEvent(above.event[static_cast<std::size_t>(at - 1)]);
    } else if (key == Qt::Key_Down && place->row + 1 < lane.rows.size() && !isLayer(place->row + 1)) {
        const session::LaneRow& below = *lane.rows[place->row + 1];
        const auto at =
            std::ranges::lower_bound(below.startNs, row.startNs[place->index]) - below.startNs.begin();
        if (at < std::ssize(below.startNs) &&
            below.endNs[static_cast<std::size_t>(at)] <= row.endNs[place->index])
            m_state.selectEvent(below.event[static_cast<std::size_t>(at)]);
    }
    return true;
}

void TimelineCanvas::revealCall(CallId call) {
    const session::CallTable& calls = m_model->session().calls;
    const auto start = static_cast<double>(calls.startNs[call.value]);
    revealTime(start, start + static_cast<double>(calls.durationNs[call.value]));
    if (const auto lane = m_model->laneOf(calls.function[call.value]))
        revealLane(*lane);
    setAccessibleDescription(describeCall(*m_model, call));
}

void TimelineCanvas::revealLane(std::size_t lane) {
    auto line = m_stack.lineOf(lane);
    if (!line) {
        LaneDisplay next = m_display;
        next.foldedGroups[m_model->lanes[lane].group] = false;
        next.hiddenLanes[lane] = false;
        change(std::move(next));
        line = m_stack.lineOf(lane);
    }
    const int area = height() - kTopHeight;
    if (line->isPinned)
        return;
    if (line->y - m_stack.pinnedHeight() < m_bar->value())
        m_bar->setValue(line->y - m_stack.pinnedHeight());
    else if (line->y + line->height > m_bar->value() + area)
        m_bar->setValue(line->y + line->height - area);
}

/// First brings the selection to the middle, then fits it.
void TimelineCanvas::fitSelection() {
    const Selection& selection = m_state.selection();
    double begin = 0;
    double end = 0;
    if (selection.call.isValid()) {
        const session::CallTable& calls = m_model->session().calls;
        begin = static_cast<double>(calls.startNs[selection.call.value]);
        end = begin + static_cast<double>(calls.durationNs[selection.call.value]);
    } else if (const auto place = selection.event ? m_model->placeOf(*selection.event) : std::nullopt) {
        const session::LaneRow& row = *m_model->lanes[place->lane].rows[place->row];
        begin = static_cast<double>(row.startNs[place->index]);
        end = static_cast<double>(row.endNs[place->index]);
    } else if (selection.range) {
        begin = static_cast<double>(selection.range->beginNs);
        end = static_cast<double>(selection.range->endNs);
    } else {
        return;
    }
    const double length = m_scale.endNs - m_scale.beginNs;
    const double middle = (begin + end) / 2;
    const layout::TimeScale centred = layout::clamped(
        {middle - length / 2, middle + length / 2, m_scale.width}, m_model->firstNs(), m_model->lastNs());
    if (std::abs(centred.beginNs - m_scale.beginNs) > m_scale.nsPerPixel()) {
        setScale(centred);
        return;
    }
    const double margin = std::max((end - begin) * 0.1, 20.0);
    showRange(begin - margin, end + margin);
}

void TimelineCanvas::rangeFromSelection() {
    const CallId call = m_state.selection().call;
    if (!call.isValid())
        return;
    const session::CallTable& calls = m_model->session().calls;
    m_state.selectRange(
        TimeRange{calls.startNs[call.value], calls.startNs[call.value] + calls.durationNs[call.value]});
}

void TimelineCanvas::stepTrace(int by) {
    const CallId selected = m_state.selection().call;
    const double from = selected.isValid()
                            ? static_cast<double>(m_model->session().calls.startNs[selected.value])
                        : by > 0 ? m_scale.beginNs - 1
                                 : m_scale.endNs;
    CallId best;
    double bestNs = 0;
    for (const TimelineLane& lane : m_model->lanes) {
        for (std::size_t g = 0; g < kGlyphs; ++g) {
            const GlyphSeries& series = lane.glyphs[g];
            if (!isTrace(static_cast<Glyph>(g)) && static_cast<Glyph>(g) != Glyph::Error)
                continue;
            std::size_t at = by > 0 ? series.firstAt(std::nextafter(from, 1e300)) : series.firstAt(from);
            while (by > 0 ? at < series.call.size() : at > 0) {
                const std::size_t i = by > 0 ? at++ : --at;
                if (!series.call[i].isValid() || !series.miss[i].isValid())
                    continue;
                const auto ns = static_cast<double>(series.timeNs[i]);
                if (!best.isValid() || (by > 0 ? ns < bestNs : ns > bestNs)) {
                    best = series.call[i];
                    bestNs = ns;
                }
                break;
            }
        }
    }
    if (best.isValid())
        m_state.selectCall(best);
}

/// The next or previous call of the same function.
void TimelineCanvas::stepCall(int by) {
    const CallId selected = m_state.selection().call;
    const session::FunctionId function = m_state.selection().function;
    if (!function.isValid())
        return;
    const auto& calls = m_model->diagnosis->index.callsOfFunction[function.value];
    if (calls.empty())
        return;
    const auto it = std::ranges::find(calls, selected);
    if (it == calls.end())
        return m_state.selectCall(by > 0 ? calls.front() : calls.back());
    const auto next = it - calls.begin() + by;
    if (next >= 0 && next < std::ssize(calls))
        m_state.selectCall(calls[static_cast<std::size_t>(next)]);
}

void TimelineCanvas::stepFunction(int by) {
    std::vector<session::FunctionId> functions;
    for (const TimelineLane& lane : m_model->lanes) {
        if (lane.kind == TimelineLaneKind::Function)
            functions.push_back(lane.function);
    }
    if (functions.empty())
        return;
    const auto it = std::ranges::find(functions, m_state.selection().function);
    const auto next = it == functions.end() ? 0
                                            : std::clamp<std::ptrdiff_t>(it - functions.begin() + by, 0,
                                                                         std::ssize(functions) - 1);
    m_state.selectFunction(functions[static_cast<std::size_t>(next)]);
}

} // namespace retracescope::views
