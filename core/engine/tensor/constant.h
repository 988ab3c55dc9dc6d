#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::tensor {

/// C++ types that are elements of a tensor.
template <class T>
concept Element = std::same_as<T, bool> || ((std::integral<T> || std::floating_point<T>)&&requires {
                      types::dtypeOf<T>();
                  } && !std::same_as<T, char>);

/// A tensor of `shape` with the elements of `values` in row-major order. Throws UsageError if their number
/// differs from the shape's.
template <Element T>
Tensor constant(std::span<const T> values, const types::Shape& shape);
Tensor constant(std::span<const std::string> values, const types::Shape& shape);

/// A scalar.
template <Element T>
Tensor constant(T value) {
    return constant(std::span<const T>(&value, 1), types::Shape{});
}
Tensor constant(std::string_view value);
inline Tensor constant(const char* value) {
    return constant(std::string_view(value));
}

/// A vector: constant({1.0f, 2.0f}).
template <Element T>
Tensor constant(std::initializer_list<T> values) {
    return constant(std::span<const T>(values.begin(), values.size()),
                    types::Shape{static_cast<std::int64_t>(values.size())});
}
Tensor constant(std::initializer_list<const char*> values);

/// A vector of elements in another shape: constant({1, 2, 3, 4}, {2, 2}).
template <Element T>
Tensor constant(std::initializer_list<T> values, const types::Shape& shape) {
    return constant(std::span<const T>(values.begin(), values.size()), shape);
}
template <Element T>
Tensor constant(const std::vector<T>& values, const types::Shape& shape) {
    return constant(std::span<const T>(values), shape);
}

/// A matrix by rows: constant({{1, 2}, {3, 4}}).
template <Element T>
Tensor constant(std::initializer_list<std::initializer_list<T>> rows) {
    std::vector<T> values;
    for (const auto& row : rows)
        values.insert(values.end(), row.begin(), row.end());
    const auto rowCount = static_cast<std::int64_t>(rows.size());
    const auto columns = rows.size() == 0 ? 0 : static_cast<std::int64_t>(rows.begin()->size());
    return constant(std::span<const T>(values), types::Shape{rowCount, columns});
}

/// Throws UsageError for a shape that is not known.
void requireKnown(const types::Shape& shape);

/// `shape` filled with `value`. Throws UsageError for a shape that is not known.
template <Element T>
Tensor filled(T value, const types::Shape& shape) {
    requireKnown(shape);
    Tensor result = Tensor::uninitialized(types::tensorType(types::dtypeOf<T>(), shape));
    for (T& element : result.mutableData<T>())
        element = value;
    return result;
}

} // namespace retracescope::tensor
