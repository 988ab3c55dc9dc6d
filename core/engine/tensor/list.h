#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::tensor {

/// What a tensor list holds: elements that are tensors, each set at most once (a TensorArray of the front
/// door; what a loop keeps of each trip; the gradient of either, where an element that is not set is zero).
/// An immutable value: with() makes another one that shares all but O(log size) of it, so that a list can
/// be a loop's value and be kept from every trip.
class List final : public Resource {
public:
    /// `size` elements, none of them set. `element` is the type that elements must have (None: any; the first
    /// one decides what it leaves unknown). A `dynamicSize` list grows when an element behind its end is set.
    List(std::int64_t size, types::TensorTypeId element, bool dynamicSize)
        : m_size(size), m_element(element), m_dynamicSize(dynamicSize) {}

    std::int64_t size() const { return m_size; }
    types::TensorTypeId element() const { return m_element; }
    bool hasDynamicSize() const { return m_dynamicSize; }

    /// Element `index` from 0; an empty tensor if it is not set or lies behind the end.
    Tensor at(std::int64_t index) const;
    /// The same list but for this element; no checks (runtime/kernels/list_kernels.h has them).
    std::shared_ptr<const List> with(std::int64_t index, Tensor value) const;
    /// Element by element: where both have one, `sum` of the two; the longer one's size.
    static std::shared_ptr<const List> sumOf(const List& a, const List& b,
                                             const std::function<Tensor(const Tensor&, const Tensor&)>& sum);

private:
    static constexpr int kWidthBits = 3;
    static constexpr std::int64_t kWidth = 1 << kWidthBits;

    /// A node of a tree of equal depth everywhere; a missing child has no element that is set.
    struct Node {
        std::array<std::shared_ptr<const Node>, kWidth> children; ///< above the lowest level
        std::array<Tensor, kWidth> elements;                      ///< on the lowest level
    };
    using NodePointer = std::shared_ptr<const Node>;

    static NodePointer placed(const NodePointer& node, int level, std::int64_t index, Tensor value);
    static NodePointer sumOfNodes(const NodePointer& a, const NodePointer& b,
                                  const std::function<Tensor(const Tensor&, const Tensor&)>& sum);
    void deepenTo(int levels);

    std::int64_t m_size;
    types::TensorTypeId m_element;
    bool m_dynamicSize;
    int m_levels = 1; ///< the tree has room for kWidth ^ m_levels elements
    NodePointer m_root;
};

/// The scalar type of every list.
types::TensorTypeId listType();
inline bool isListType(types::TensorTypeId type) {
    return type != types::TensorTypeId::None && types::dtypeOf(type) == types::DType::Variant;
}

/// A list as a tensor, and back. The tensor is eager.
Tensor listTensor(std::shared_ptr<const List> list);
const List& listOf(const Tensor& tensor);

} // namespace retracescope::tensor
