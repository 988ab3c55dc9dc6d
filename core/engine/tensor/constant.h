#pragma once

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <source_location>
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

/// The line that a message names; none unless it is given.
using Where = std::source_location;

/// A tensor of `shape` with the elements of `values` in row-major order. Throws UsageError if their number
/// differs from the shape's.
template <Element T>
Tensor constant(std::span<const T> values, const types::Shape& shape, Where where = {});
Tensor constant(std::span<const std::string> values, const types::Shape& shape, Where where = {});

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
Tensor constant(std::initializer_list<T> values, const types::Shape& shape, Where where = {}) {
    return constant(std::span<const T>(values.begin(), values.size()), shape, where);
}
template <Element T>
Tensor constant(const std::vector<T>& values, const types::Shape& shape, Where where = {}) {
    return constant(std::span<const T>(values), shape, where);
}

/// A matrix by rows: constant({{1, 2}, {3, 4}}).
template <Element T>
Tensor constant(std::initializer_list<std::initializer_list<T>> rows, Where where = {}) {
    const std::size_t columns = rows.size() == 0 ? 0 : rows.begin()->size();
    std::size_t count = 0;
    for (const auto& row : rows)
        count += row.size();
    const auto values = std::make_unique<T[]>(count); // not a vector: one of bools has no elements
    T* next = values.get();
    for (const auto& row : rows)
        next = std::copy(row.begin(), row.end(), next);
    return constant(std::span<const T>(values.get(), count),
                    types::Shape{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)},
                    where);
}

/// Throws UsageError for a shape that is not known.
void requireKnown(const types::Shape& shape, Where where = {});

/// `shape` filled with `value`. Throws UsageError for a shape that is not known.
template <Element T>
Tensor filled(T value, const types::Shape& shape, Where where = {}) {
    requireKnown(shape, where);
    Tensor result = Tensor::uninitialized(types::tensorType(types::dtypeOf<T>(), shape));
    for (T& element : result.mutableData<T>())
        element = value;
    return result;
}

} // namespace retracescope::tensor
