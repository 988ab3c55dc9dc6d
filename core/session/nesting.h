#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace retracescope::session {

/// Where an interval lies among those of its lane.
struct NestingPlace {
    std::size_t layer = 0; ///< in one layer every interval is inside or beside the others
    std::size_t depth = 0; ///< how many intervals of its layer contain it
};

/// Places the intervals of one lane, which come in order of start, if equal the longer first. One that
/// overlaps an open interval only in part is not inside it: it goes to the first layer where it overlaps none
/// like that. Intervals are closed on the left and open on the right.
class Nesting {
public:
    /// SpanTable::row holds a layer in a byte. In the last layer what fits nowhere lies one below the
    /// innermost that is open, so that the cost of an interval has a bound.
    static constexpr std::size_t kMostLayers = 256;

    NestingPlace place(std::int64_t startNs, std::int64_t endNs);

private:
    std::vector<std::vector<std::int64_t>> m_layers; ///< ends of what is open, innermost last
};

} // namespace retracescope::session
