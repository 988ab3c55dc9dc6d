#include <retracescope/engine/trace/composed.h>

#include <fmt/format.h>

namespace retracescope::trace {

using types::Shape;

UsageError toldBy(std::string_view op, const UsageError& error) {
    std::string_view message = error.what();
    if (const std::size_t end = message.find("] "); message.starts_with('[') && end != message.npos)
        message.remove_prefix(end + 2);
    return UsageError(fmt::format("[{}] {}", op, message));
}

void requireTensor(std::string_view op, const tensor::Tensor& x, std::source_location where) {
    composed(op, [&] { x.requireTensor(where); });
}

bool isIndex(types::DType dtype) {
    return dtype == types::DType::Int32 || dtype == types::DType::Int64;
}

bool mayAgree(const Shape& a, const Shape& b) {
    if (!a.hasRank() || !b.hasRank())
        return true;
    if (a.rank() != b.rank())
        return false;
    for (int axis = 0; axis < a.rank(); ++axis)
        if (a[axis] != b[axis] && a[axis] != Shape::kUnknown && b[axis] != Shape::kUnknown)
            return false;
    return true;
}

Shape withoutLastAxis(const Shape& shape) {
    return shape.hasRank() ? Shape(shape.sizes().first(shape.sizes().size() - 1)) : shape;
}

} // namespace retracescope::trace
