#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <retracescope/session/lane_index.h>

/// Sums over time at doubling resolutions, so that a timeline draws any zoom at a cost that depends on its
/// pixels and not on the number of events.
namespace retracescope::session {

/// Bins of 2^widthBits ns in which an event starts or ends, in order; a bin that one event covers whole, or
/// none touches, is not stored: the event `last` of the bin before tells which. Columns of equal length.
struct PyramidLevel {
    int widthBits = 0;
    std::vector<std::uint32_t> number; ///< (time - RowPyramid::baseNs) >> widthBits
    std::vector<float> busyNs;         ///< time covered by events
    std::vector<std::uint32_t> count;  ///< events that start in the bin
    std::vector<std::uint32_t> last;   ///< row of the last event that starts before the bin's end
    std::vector<CategoryId>
        category;                  ///< that of most time; above the finest level, of the two halves' winners
    std::vector<float> categoryNs; ///< its time

    std::size_t size() const { return number.size(); }
};

/// Levels of one LaneRow, finest first; none if the row is short enough to be looked at event by event.
struct RowPyramid {
    std::int64_t baseNs = 0;
    std::vector<PyramidLevel> levels;
};

struct Pyramid {
    LaneIndex index;
    std::vector<std::vector<RowPyramid>> rows; ///< by lane and depth, like LaneIndex::lanes[].rows
};

/// From the events, about 0.1 s per million. A cancelled job leaves later lanes without levels.
Pyramid buildPyramid(const Session& session, const Job& job = {});

RowPyramid buildRowPyramid(const LaneRow& row);

/// What one pixel column of a lane's row shows.
struct PixelSlice {
    float busy = 0;          ///< share of the pixel's time covered by events, 0 to 1
    std::uint32_t count = 0; ///< events that start in it
    CategoryId category;     ///< what takes most of its time; none if nothing is busy
    float categoryBusy = 0;  ///< share of the pixel's time that this category takes
};

/// Samples [beginNs, endNs) in pixels.size() equal parts. Where a pixel is finer than the finest level the
/// sums are exact; coarser ones may lie up to half a pixel aside. No event is lost: counts add up to the
/// events that start in the window, give or take those in its first and last pixel.
void sampleRow(const LaneRow& row, const RowPyramid& pyramid, std::int64_t beginNs, std::int64_t endNs,
               std::span<PixelSlice> pixels);

/// Exact sums of one category in a window, for tooltips and statistics.
struct WindowSum {
    CategoryId category;
    std::int64_t busyNs = 0; ///< clipped to the window
    std::uint32_t count = 0; ///< events that touch the window
};

/// Most time first. Looks at every event of the window.
std::vector<WindowSum> sumWindow(const LaneRow& row, std::int64_t beginNs, std::int64_t endNs);

} // namespace retracescope::session
