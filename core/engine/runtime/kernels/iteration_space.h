#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <retracescope/types/shape.h>

namespace retracescope::runtime {

/// The nested loops over a result's elements with the step of each operand per loop, neighbouring loops
/// merged where every operand allows it. Kept as words: rank, sizes, then for each operand its strides in
/// elements (0 = repeated).
class IterationSpace {
public:
    /// Row-major strides of a shape, right-aligned to `rank` loops; axes of size 1 are repeated.
    static std::vector<std::int64_t> broadcastStrides(const types::Shape& shape, int rank);

    /// Appends the words of the merged loops over `sizes`. `strides` holds one list per operand.
    static void append(std::span<const std::int64_t> sizes,
                       std::span<const std::vector<std::int64_t>> strides, std::vector<std::int64_t>& words);

    explicit IterationSpace(const std::int64_t* words) : m_words(words) {}

    /// At least 1: a scalar is one loop over one element.
    int rank() const { return static_cast<int>(m_words[0]); }
    std::int64_t size(int loop) const { return m_words[1 + loop]; }
    std::int64_t stride(int operand, int loop) const { return m_words[1 + rank() * (operand + 1) + loop]; }
    std::int64_t innerSize() const { return size(rank() - 1); }
    std::int64_t innerStride(int operand) const { return stride(operand, rank() - 1); }

    /// Calls visit(offsets) for every run of the innermost loop, in row-major order; `offsets` in elements.
    template <int operands, class Visit>
    void forEachRow(const Visit& visit) const {
        constexpr int kMostLoops = 64;
        std::array<std::int64_t, kMostLoops> at{};
        std::array<std::int64_t, operands> offsets{};
        const int outer = rank() - 1;
        for (int loop = 0; loop < rank(); ++loop) {
            if (size(loop) == 0)
                return;
        }
        while (true) {
            visit(offsets);
            int loop = outer - 1;
            for (; loop >= 0; --loop) {
                for (int operand = 0; operand < operands; ++operand)
                    offsets[static_cast<std::size_t>(operand)] += stride(operand, loop);
                if (++at[static_cast<std::size_t>(loop)] < size(loop))
                    break;
                at[static_cast<std::size_t>(loop)] = 0;
                for (int operand = 0; operand < operands; ++operand)
                    offsets[static_cast<std::size_t>(operand)] -= stride(operand, loop) * size(loop);
            }
            if (loop < 0)
                return;
        }
    }

private:
    const std::int64_t* m_words;
};

} // namespace retracescope::runtime
