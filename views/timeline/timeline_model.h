#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include <QString>

#include <retracescope/base/cancel.h>
#include <retracescope/diagnose/overview.h>
#include <retracescope/layout/counter_levels.h>
#include <retracescope/session/pyramid.h>

#include "views/shared/glyphs.h"
#include "views/shared/selection.h"

namespace retracescope::views {

/// What a piece of a call's time was spent on; the CategoryId of a function lane's rows.
enum class Phase : std::uint8_t {
    Trace,
    Optimise, ///< passes over the graph and the plan of its execution
    FirstRun,
    Execute, ///< a call less its tracing: its work and what the engine does around it
    Failed,  ///< the same of a call that failed
    Untold,  ///< a call that traced, the source does not say how long
};
inline constexpr std::size_t kPhases = 6;
inline constexpr std::size_t kGlyphs = static_cast<std::size_t>(Glyph::Unknown) + 1;

/// Points of one kind on a function lane, in time order.
struct GlyphSeries {
    std::vector<std::int64_t> timeNs;
    std::vector<session::CallId> call; ///< none where a trace was asked for without a call
    std::vector<session::MissId> miss; ///< none on hits

    /// How many lie in [beginNs, endNs).
    std::size_t count(double beginNs, double endNs) const;
    std::size_t firstAt(double ns) const; ///< first one at or after `ns`
};

enum class TimelineLaneKind : std::uint8_t { Function, Thread, Stream, Counter };

struct TimelineLane {
    TimelineLaneKind kind = TimelineLaneKind::Thread;
    std::size_t group = 0;
    QString name;
    session::FunctionId function;
    session::LaneId lane;
    std::vector<const session::LaneRow*> rows; ///< owned by the model; see NestedRows and layout::callRows
    std::vector<const session::RowPyramid*> pyramids;
    std::vector<std::size_t> outermost;      ///< rows that together cover what any row covers
    std::array<GlyphSeries, kGlyphs> glyphs; ///< of a function
    std::vector<std::int64_t> callNs,
        traceNs; ///< of a function: when its calls and its traces began, in order
    const session::LaneEvents* points = nullptr; ///< samples of a counter, instants of a thread
    layout::CounterLevels counter;
};

struct TimelineGroup {
    QString title;
    std::vector<std::size_t> lanes;
};

/// Everything that a timeline draws, in the order it is drawn. Built once per session by a job.
struct TimelineModel {
    diagnose::DiagnosisPtr diagnosis;
    session::Pyramid pyramid;
    std::vector<TimelineGroup> groups;
    std::vector<TimelineLane> lanes;
    std::size_t emptyLanes = 0; ///< lanes of the session without any event: not among `lanes`
    std::deque<session::LaneRow> ownRows;
    std::deque<session::RowPyramid> ownPyramids;
    /// All functions together, for the minimap: tracing (with passes), calls without it, those that failed.
    session::LaneRow tracing, executing, failed;
    session::RowPyramid tracingPyramid, executingPyramid, failedPyramid;
    bool hasTracedTime = false; ///< false: both are empty

    const session::Session& session() const { return *diagnosis->session; }
    /// What can be shown: the session with a little room at both ends, so that nothing lies on the edge.
    double firstNs() const { return static_cast<double>(session().originNs) - marginNs(); }
    double lastNs() const { return static_cast<double>(session().endNs) + marginNs(); }
    double marginNs() const;

    /// Calls and traces that start in [beginNs, endNs). Counted as in FunctionSummary: a call may trace
    /// twice, a trace may be asked for without a call, a withdrawn one does not count.
    struct Counts {
        std::size_t calls = 0;
        std::size_t traces = 0;
    };
    Counts countIn(double beginNs, double endNs) const;
    static Counts countIn(const TimelineLane& lane, double beginNs, double endNs);
    /// Events of a lane that start in [beginNs, endNs), all rows.
    std::size_t eventsIn(const TimelineLane& lane, double beginNs, double endNs) const;

    /// Where an event that is no point lies on the lane that it was recorded on.
    struct EventPlace {
        std::size_t lane = 0;
        std::size_t row = 0;
        std::size_t index = 0;
    };
    std::optional<EventPlace> placeOf(const session::EventRef& event) const;

    /// From the first to the last part of a call, span or kernel in a row; none if it is not there.
    std::optional<TimeRange> extentOf(const session::EventRef& event, const session::LaneRow& row) const;

    std::optional<std::size_t> laneOf(session::FunctionId function) const;
    std::optional<std::size_t> laneOf(session::LaneId lane) const;
};

using TimelineModelPtr = std::shared_ptr<const TimelineModel>;

/// "tracing", "call without tracing"
QString phaseName(Phase phase);

/// True of the kinds of spans that Phase::Optimise stands for: what comes between a function's body and its
/// entry.
bool isOptimising(std::string_view kind);

/// None if `job` was cancelled.
TimelineModelPtr buildTimeline(const diagnose::DiagnosisPtr& diagnosis, const Job& job);

/// How many of ascending times lie in [beginNs, endNs).
std::size_t countBetween(const std::vector<std::int64_t>& times, double beginNs, double endNs);

/// True for the glyphs that stand for a trace, whether it worked or not.
bool isTrace(Glyph glyph);

} // namespace retracescope::views
