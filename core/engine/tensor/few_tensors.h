#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::tensor {

/// A fixed number of tensors side by side, empty at first. Made and destroyed one by one instead of in a loop
/// as an array's are, so that a compiler sees which are empty again and need no work.
template <std::size_t Count>
class FewTensors {
public:
    FewTensors() noexcept {
        each([](Tensor& place) { std::construct_at(&place); });
    }
    ~FewTensors() {
        each([](Tensor& place) { std::destroy_at(&place); });
    }
    FewTensors(const FewTensors&) = delete;
    FewTensors& operator=(const FewTensors&) = delete;

    std::span<Tensor> first(std::size_t count) noexcept { return {&m_places[0].tensor, count}; }
    Tensor& operator[](std::size_t at) noexcept { return m_places[at].tensor; }

private:
    union Place {
        Place() noexcept {}
        ~Place() {}
        Tensor tensor;
    };
    static_assert(sizeof(Place) == sizeof(Tensor));

    template <class Work>
    [[gnu::always_inline]] void each(Work work) noexcept {
        [&]<std::size_t... I>(std::index_sequence<I...>)
            [[gnu::always_inline]] { (work(m_places[I].tensor), ...); }(std::make_index_sequence<Count>());
    }

    Place m_places[Count];
};

} // namespace retracescope::tensor
