#include <retracescope/layout/call_rows.h>

#include <algorithm>
#include <map>

#include <retracescope/session/nesting.h>

namespace retracescope::layout {

namespace {

/// A call that no other contains, with all that it contains.
struct Block {
    std::size_t outermost = 0; ///< index of the call
    std::size_t depth = 0;     ///< how many rows it takes
};

/// What a thread's calls are nested in.
struct ThreadNest {
    session::Nesting nesting;
    std::vector<std::size_t> blockOfLayer; ///< the open one, or the last
};

/// The lowest row from which `depth` rows are free at `startNs`.
std::size_t freeRow(const std::vector<std::int64_t>& busyUntilNs, std::size_t depth, std::int64_t startNs) {
    std::size_t row = 0;
    for (std::size_t at = 0; at < busyUntilNs.size() && at < row + depth; ++at) {
        if (busyUntilNs[at] > startNs)
            row = at + 1;
    }
    return row;
}

} // namespace

std::vector<std::size_t> callRows(std::span<const CallSpan> calls) {
    std::map<session::LaneId, ThreadNest> threads;
    std::vector<Block> blocks;
    std::vector<std::size_t> blockOf(calls.size());
    std::vector<std::size_t> rows(calls.size()); // first within the block
    for (std::size_t i = 0; i < calls.size(); ++i) {
        ThreadNest& thread = threads[calls[i].thread];
        const auto [layer, depth] = thread.nesting.place(calls[i].startNs, calls[i].endNs);
        if (layer >= thread.blockOfLayer.size())
            thread.blockOfLayer.resize(layer + 1);
        if (depth == 0) {
            thread.blockOfLayer[layer] = blocks.size();
            blocks.push_back({i, 0});
        }
        blockOf[i] = thread.blockOfLayer[layer];
        blocks[blockOf[i]].depth = std::max(blocks[blockOf[i]].depth, depth + 1);
        rows[i] = depth;
    }
    std::vector<std::int64_t> busyUntilNs;
    std::vector<std::size_t> firstRow(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const CallSpan& call = calls[blocks[b].outermost];
        firstRow[b] = freeRow(busyUntilNs, blocks[b].depth, call.startNs);
        const std::size_t end = firstRow[b] + blocks[b].depth;
        busyUntilNs.resize(std::max(busyUntilNs.size(), end), call.startNs);
        for (std::size_t row = firstRow[b]; row < end; ++row)
            busyUntilNs[row] = call.endNs;
    }
    for (std::size_t i = 0; i < calls.size(); ++i)
        rows[i] += firstRow[blockOf[i]];
    return rows;
}

} // namespace retracescope::layout
