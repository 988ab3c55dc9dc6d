#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::tensor {

/// Tensors that others hold, side by side and uncounted: for the time of a call that cannot let go of them.
class BorrowedTensors {
public:
    /// Where they lie; never destroyed, since they count for nothing.
    union Place {
        Place() noexcept {}
        ~Place() {}
        Tensor tensor;
    };
    static_assert(sizeof(Place) == sizeof(Tensor));

    /// `places` has room for all that are added.
    explicit BorrowedTensors(Place* places) noexcept : m_places(places) {}

    void add(const Tensor& tensor) noexcept {
        // In one piece: had it been written in two, reading it in one would wait for both.
        std::memcpy(static_cast<void*>(&m_places[m_count++]), &tensor, sizeof(Tensor));
    }
    std::span<const Tensor> all() const noexcept { return {&m_places->tensor, m_count}; }

private:
    Place* m_places;
    std::size_t m_count = 0;
};

} // namespace retracescope::tensor
