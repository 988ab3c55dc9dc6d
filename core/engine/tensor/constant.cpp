#include <retracescope/engine/tensor/constant.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::tensor {

namespace {

void requireCount(std::size_t values, const types::Shape& shape, Where where) {
    if (shape.elementCount() != static_cast<std::int64_t>(values))
        throw UsageError(fmt::format("[constant] {} values do not fill the shape {}{}", values,
                                     types::toText(shape), placeText(where.file_name(), where.line())));
}

} // namespace

void requireKnown(const types::Shape& shape, Where where) {
    if (!shape.isKnown())
        throw UsageError(fmt::format("[filled] expected a shape whose sizes are known, got {}{}",
                                     types::toText(shape), placeText(where.file_name(), where.line())));
}

template <Element T>
Tensor constant(std::span<const T> values, const types::Shape& shape, Where where) {
    requireCount(values.size(), shape, where);
    Tensor result = Tensor::uninitialized(types::tensorType(types::dtypeOf<T>(), shape));
    std::ranges::copy(values, result.mutableData<T>().begin());
    return result;
}

template Tensor constant(std::span<const bool>, const types::Shape&, Where);
template Tensor constant(std::span<const std::int8_t>, const types::Shape&, Where);
template Tensor constant(std::span<const std::int16_t>, const types::Shape&, Where);
template Tensor constant(std::span<const std::int32_t>, const types::Shape&, Where);
template Tensor constant(std::span<const std::int64_t>, const types::Shape&, Where);
template Tensor constant(std::span<const std::uint8_t>, const types::Shape&, Where);
template Tensor constant(std::span<const std::uint16_t>, const types::Shape&, Where);
template Tensor constant(std::span<const std::uint32_t>, const types::Shape&, Where);
template Tensor constant(std::span<const std::uint64_t>, const types::Shape&, Where);
template Tensor constant(std::span<const float>, const types::Shape&, Where);
template Tensor constant(std::span<const double>, const types::Shape&, Where);

Tensor constant(std::span<const std::string> values, const types::Shape& shape, Where where) {
    requireCount(values.size(), shape, where);
    Tensor result = Tensor::uninitialized(types::tensorType(types::DType::String, shape));
    std::ranges::copy(values, result.mutableStrings().begin());
    return result;
}

Tensor constant(std::string_view value) {
    const std::string text(value);
    return constant(std::span(&text, 1), types::Shape{});
}

Tensor constant(std::initializer_list<const char*> values) {
    const std::vector<std::string> texts(values.begin(), values.end());
    return constant(std::span<const std::string>(texts),
                    types::Shape{static_cast<std::int64_t>(texts.size())});
}

} // namespace retracescope::tensor
