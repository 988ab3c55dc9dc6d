#include <retracescope/engine/runtime/kernels/iteration_space.h>

#include <algorithm>

#include <retracescope/base/check.h>

namespace retracescope::runtime {

namespace {

struct Loop {
    std::int64_t size = 1;
    std::vector<std::int64_t> strides;
};

bool canMerge(const Loop& outer, const Loop& inner) {
    for (std::size_t operand = 0; operand < outer.strides.size(); ++operand) {
        if (outer.strides[operand] != inner.strides[operand] * inner.size)
            return false;
    }
    return true;
}

} // namespace

std::vector<std::int64_t> IterationSpace::broadcastStrides(const types::Shape& shape, int rank) {
    std::vector<std::int64_t> strides(static_cast<std::size_t>(rank), 0);
    std::int64_t step = 1;
    for (int fromEnd = 1; fromEnd <= shape.rank(); ++fromEnd) {
        const std::int64_t size = shape[shape.rank() - fromEnd];
        strides[static_cast<std::size_t>(rank - fromEnd)] = size == 1 ? 0 : step;
        step *= size;
    }
    return strides;
}

void IterationSpace::append(std::span<const std::int64_t> sizes,
                            std::span<const std::vector<std::int64_t>> strides,
                            std::vector<std::int64_t>& words) {
    RETRACESCOPE_CHECK(sizes.size() <= 64);
    std::vector<Loop> loops;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] == 1)
            continue;
        Loop loop{sizes[axis], {}};
        for (const auto& ofOperand : strides)
            loop.strides.push_back(ofOperand[axis]);
        if (!loops.empty() && canMerge(loops.back(), loop)) {
            loop.size *= loops.back().size;
            loops.pop_back();
        }
        loops.push_back(std::move(loop));
    }
    if (loops.empty())
        loops.push_back({1, std::vector<std::int64_t>(strides.size(), 0)});

    words.push_back(static_cast<std::int64_t>(loops.size()));
    for (const Loop& loop : loops)
        words.push_back(loop.size);
    for (std::size_t operand = 0; operand < strides.size(); ++operand) {
        for (const Loop& loop : loops)
            words.push_back(loop.strides[operand]);
    }
}

} // namespace retracescope::runtime
