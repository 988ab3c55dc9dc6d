#include <retracescope/engine/tensor/list.h>

#include <algorithm>

#include <retracescope/base/check.h>

namespace retracescope::tensor {

Tensor List::at(std::int64_t index) const {
    if (index < 0 || index >> (kWidthBits * m_levels) > 0)
        return {};
    const Node* node = m_root.get();
    for (int level = m_levels - 1; node && level > 0; --level)
        node = node->children[static_cast<std::size_t>((index >> (kWidthBits * level)) % kWidth)].get();
    return node ? node->elements[static_cast<std::size_t>(index % kWidth)] : Tensor();
}

List::NodePointer List::placed(const NodePointer& node, int level, std::int64_t index, Tensor value) {
    auto copy = node ? std::make_shared<Node>(*node) : std::make_shared<Node>();
    const auto place = static_cast<std::size_t>((index >> (kWidthBits * level)) % kWidth);
    if (level == 0)
        copy->elements[place] = std::move(value);
    else
        copy->children[place] = placed(copy->children[place], level - 1, index, std::move(value));
    return copy;
}

void List::deepenTo(int levels) {
    for (; m_levels < levels; ++m_levels) {
        if (!m_root)
            continue;
        auto above = std::make_shared<Node>();
        above->children[0] = std::move(m_root);
        m_root = std::move(above);
    }
}

std::shared_ptr<const List> List::with(std::int64_t index, Tensor value) const {
    RETRACESCOPE_CHECK(index >= 0);
    auto result = std::make_shared<List>(*this);
    int levels = m_levels;
    while (index >> (kWidthBits * levels) > 0)
        ++levels;
    result->deepenTo(levels);
    if (m_element != types::TensorTypeId::None)
        result->m_element = value.type();
    result->m_root = placed(result->m_root, levels - 1, index, std::move(value));
    result->m_size = std::max(m_size, index + 1);
    return result;
}

List::NodePointer List::sumOfNodes(const NodePointer& a, const NodePointer& b,
                                   const std::function<Tensor(const Tensor&, const Tensor&)>& sum) {
    if (!a || !b)
        return a ? a : b;
    auto result = std::make_shared<Node>();
    for (std::size_t i = 0; i < kWidth; ++i) {
        result->children[i] = sumOfNodes(a->children[i], b->children[i], sum);
        const Tensor& x = a->elements[i];
        const Tensor& y = b->elements[i];
        result->elements[i] = x.isEmpty() ? y : y.isEmpty() ? x : sum(x, y);
    }
    return result;
}

std::shared_ptr<const List> List::sumOf(const List& a, const List& b,
                                        const std::function<Tensor(const Tensor&, const Tensor&)>& sum) {
    auto result = std::make_shared<List>(a);
    List other = b;
    result->deepenTo(b.m_levels);
    other.deepenTo(a.m_levels);
    result->m_root = sumOfNodes(result->m_root, other.m_root, sum);
    result->m_size = std::max(a.m_size, b.m_size);
    return result;
}

types::TensorTypeId listType() {
    static const types::TensorTypeId type = types::tensorType(types::DType::Variant, types::Shape{});
    return type;
}

Tensor listTensor(std::shared_ptr<const List> list) {
    Tensor tensor = Tensor::uninitialized(listType());
    *reinterpret_cast<std::shared_ptr<Resource>*>(tensor.mutableBytes()) =
        std::const_pointer_cast<List>(std::move(list));
    return tensor;
}

const List& listOf(const Tensor& tensor) {
    RETRACESCOPE_CHECK(tensor.isEager() && isListType(tensor.type()));
    return static_cast<const List&>(*tensor.target());
}

} // namespace retracescope::tensor
