#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/tensor.h>

/// What a program computes with. Every op works on eager tensors (computes at once) and, inside a traced
/// function, on symbolic ones (adds a node). Wrong dtypes or shapes throw UsageError that names op, types and
/// the user's line.
namespace retracescope::trace {

using tensor::Tensor;
using Where = std::source_location;

/// Runs or records one op.
Tensor apply(ir::Op op, std::span<const Tensor> inputs, const ir::Attributes& attributes, Where where);

/// Throws UsageError "[op] message (place)".
[[noreturn]] void refuse(std::string_view op, const std::string& message, Where where);

template <class T>
concept HostNumber = std::integral<T> || std::floating_point<T>;

/// One side of an op: a tensor, or a host number or text that takes the dtype of the other side if it fits
/// exactly (2.5 beside an int32 tensor does not). Remembers the line it was written on.
class Operand {
public:
    Operand(const Tensor& tensor, Where where = Where::current()) : m_tensor(tensor), m_where(where) {}
    template <HostNumber T>
    Operand(T value, Where where = Where::current())
        : m_tensor(tensor::constant(value)), m_isHost(true), m_where(where) {}
    Operand(const char* text, Where where = Where::current())
        : m_tensor(tensor::constant(text)), m_isHost(true), m_where(where) {}
    Operand(const std::string& text, Where where = Where::current())
        : m_tensor(tensor::constant(std::string_view(text))), m_isHost(true), m_where(where) {}

    /// A variable stands for what it holds.
    template <class T>
        requires requires(const T& variable, Where where) {
            { variable.read(where) } -> std::same_as<Tensor>;
        }
    Operand(const T& variable, Where where = Where::current())
        : m_tensor(variable.read(where)), m_where(where) {}

    const Tensor& tensor() const { return m_tensor; } ///< perhaps an empty one
    /// Throws UsageError of `user` for an empty one.
    const Tensor& tensorFor(std::string_view user) const {
        if (m_tensor.isEmpty()) [[unlikely]]
            refuseEmpty(user);
        return m_tensor;
    }
    bool isHost() const { return m_isHost; }
    Where where() const { return m_where; }

private:
    [[noreturn]] void refuseEmpty(std::string_view user) const;

    Tensor m_tensor;
    bool m_isHost = false;
    Where m_where;
};

/// A host value as a scalar of `dtype`; throws UsageError of `user` if it does not fit exactly (floats may
/// round).
Tensor hostScalarAs(const Operand& host, types::DType dtype, std::string_view user);

// Element by element; the two sides broadcast, their dtypes must be equal. Strings add to their
// concatenation.
Tensor add(const Operand& a, const Operand& b);
Tensor subtract(const Operand& a, const Operand& b);
Tensor multiply(const Operand& a, const Operand& b);
Tensor divide(const Operand& a, const Operand& b);
/// a to the power of b. Of integers, which wrap around, with exponents of 0 or more: throws UsageError for a
/// negative one.
Tensor pow(const Operand& a, const Operand& b);
Tensor maximum(const Operand& a, const Operand& b);
Tensor minimum(const Operand& a, const Operand& b);
/// The angle of the point (x, y), from -pi to pi. Floating.
Tensor atan2(const Operand& y, const Operand& x);
/// The quotient rounded down: floorDiv(-7, 2) is -4. Numbers; an integer divisor of 0 throws UsageError.
Tensor floorDiv(const Operand& a, const Operand& b);
/// a - floorDiv(a, b) * b, which has the sign of b: mod(-7, 2) is 1. As floorDiv().
Tensor mod(const Operand& a, const Operand& b);
Tensor equal(const Operand& a, const Operand& b); ///< bool, as all comparisons
Tensor notEqual(const Operand& a, const Operand& b);
Tensor less(const Operand& a, const Operand& b);
Tensor lessEqual(const Operand& a, const Operand& b);
Tensor greater(const Operand& a, const Operand& b);
Tensor greaterEqual(const Operand& a, const Operand& b);
Tensor logicalAnd(const Operand& a, const Operand& b);
Tensor logicalOr(const Operand& a, const Operand& b);
Tensor logicalXor(const Operand& a, const Operand& b);
Tensor logicalNot(const Operand& x);
Tensor negative(const Operand& x);
Tensor abs(const Operand& x);
Tensor square(const Operand& x);
Tensor sqrt(const Operand& x);
Tensor exp(const Operand& x);
Tensor log(const Operand& x);
Tensor tanh(const Operand& x);
Tensor sigmoid(const Operand& x);
Tensor relu(const Operand& x);
Tensor sin(const Operand& x); ///< floating, as all from here to round
Tensor cos(const Operand& x);
Tensor tan(const Operand& x);
Tensor erf(const Operand& x);
Tensor log1p(const Operand& x); ///< log(1 + x), exact near 0
Tensor expm1(const Operand& x); ///< exp(x) - 1, exact near 0
Tensor rsqrt(const Operand& x); ///< 1 / sqrt(x)
Tensor floor(const Operand& x); ///< without a gradient, as ceil, round and sign
Tensor ceil(const Operand& x);
Tensor round(const Operand& x); ///< halves to the even neighbour
Tensor sign(const Operand& x);  ///< -1, 0 or 1; a NaN stays one. Any number
Tensor isNan(const Operand& x); ///< bool
Tensor identity(const Operand& x);
/// `x`, which no gradient flows into from here (tf.stop_gradient): what is computed of the result counts as
/// computed of a constant, at every order. Costs nothing when a traced function runs.
Tensor stopGradient(const Operand& x);

/// `a` where `condition` (bool) is true, else `b`.
Tensor select(const Operand& condition, const Operand& a, const Operand& b);
Tensor cast(const Operand& x, types::DType dtype);

/// [..., m, k] x [..., k, n] of a floating dtype; the axes before the last two broadcast. The last two are
/// taken the other way round where `transposeA` or `transposeB` says so.
Tensor matmul(const Tensor& a, const Tensor& b, bool transposeA = false, bool transposeB = false,
              Where where = Where::current());

/// Over `axes`, or over all if none are given.
Tensor reduceSum(const Tensor& x, std::initializer_list<std::int64_t> axes = {}, bool keepDims = false,
                 Where where = Where::current());
Tensor reduceMean(const Tensor& x, std::initializer_list<std::int64_t> axes = {}, bool keepDims = false,
                  Where where = Where::current());
Tensor reduceMax(const Tensor& x, std::initializer_list<std::int64_t> axes = {}, bool keepDims = false,
                 Where where = Where::current());

Tensor reduceMin(const Tensor& x, std::initializer_list<std::int64_t> axes = {}, bool keepDims = false,
                 Where where = Where::current());
/// Gradient and second derivatives are exact where elements are zero, too.
Tensor reduceProd(const Tensor& x, std::initializer_list<std::int64_t> axes = {}, bool keepDims = false,
                  Where where = Where::current());
/// Of bool: whether any, all of the elements are true. Of none: false, true.
Tensor reduceAny(const Tensor& x, std::initializer_list<std::int64_t> axes = {}, bool keepDims = false,
                 Where where = Where::current());
Tensor reduceAll(const Tensor& x, std::initializer_list<std::int64_t> axes = {}, bool keepDims = false,
                 Where where = Where::current());
/// Where along `axis` the greatest (least) element lies, as int64; the first of equal ones, a NaN before all
/// numbers. Throws UsageError for an empty axis.
Tensor argMax(const Tensor& x, std::int64_t axis = 0, bool keepDims = false, Where where = Where::current());
Tensor argMin(const Tensor& x, std::int64_t axis = 0, bool keepDims = false, Where where = Where::current());

struct Running {
    bool exclusive = false; ///< an element does not count for itself: the first total is 0 (or 1)
    bool reverse = false;   ///< from the end to the start
};
/// Running totals along an axis: of [a, b, c] they are [a, a + b, a + b + c].
Tensor cumSum(const Tensor& x, std::int64_t axis = 0, Running how = {}, Where where = Where::current());
/// The gradient is exact where factors are zero; that of the gradient is wrong where two of one run are.
Tensor cumProd(const Tensor& x, std::int64_t axis = 0, Running how = {}, Where where = Where::current());

Tensor transpose(const Tensor& x, std::initializer_list<std::int64_t> permutation = {},
                 Where where = Where::current());
/// The same elements in another shape; one size may be -1.
Tensor reshape(const Tensor& x, std::initializer_list<std::int64_t> shape, Where where = Where::current());
/// Axes of `shape` that are unknown, at most one, take what is left: reshape(x, y.shape()).
Tensor reshape(const Tensor& x, const types::Shape& shape, Where where = Where::current());
Tensor broadcastTo(const Tensor& x, std::initializer_list<std::int64_t> shape,
                   Where where = Where::current());
Tensor concat(std::initializer_list<Tensor> parts, std::int64_t axis = 0, Where where = Where::current());
/// The sizes as int64[rank], known when the graph runs.
Tensor shapeOf(const Tensor& x, Where where = Where::current());
/// Of numbers or bools: what an operand is filled with has its dtype and shape.
Tensor onesLike(const Tensor& x, Where where = Where::current());
Tensor zerosLike(const Tensor& x, Where where = Where::current());

/// Writes a line with `text` and the values on every execution (host output such as std::cout happens while
/// tracing).
void print(std::string_view text, std::initializer_list<Tensor> values = {}, Where where = Where::current());

/// Tensors written in the program: constant(2.0f), constant({1.0f, 2.0f}), constant({{1, 2}, {3, 4}}),
/// constant({1, 2, 3, 4}, {2, 2}), constant(vector), constant("text"). Inside a traced function they are part
/// of the graph.
Tensor embedded(const Tensor& value, Where where);
template <tensor::Element T>
Tensor constant(T value, Where where = Where::current()) {
    return embedded(tensor::constant(value), where);
}
template <tensor::Element T>
Tensor constant(std::initializer_list<T> values, Where where = Where::current()) {
    return embedded(tensor::constant(values), where);
}
template <tensor::Element T>
Tensor constant(std::initializer_list<T> values, const types::Shape& shape, Where where = Where::current()) {
    return embedded(tensor::constant(values, shape, where), where);
}
template <tensor::Element T>
Tensor constant(const std::vector<T>& values, const types::Shape& shape, Where where = Where::current()) {
    return embedded(tensor::constant(values, shape, where), where);
}
template <tensor::Element T>
Tensor constant(const std::vector<T>& values, Where where = Where::current()) {
    return constant(values, types::Shape{static_cast<std::int64_t>(values.size())}, where);
}
template <tensor::Element T>
Tensor constant(std::initializer_list<std::initializer_list<T>> rows, Where where = Where::current()) {
    return embedded(tensor::constant(rows, where), where);
}
inline Tensor constant(const char* text, Where where = Where::current()) {
    return embedded(tensor::constant(text), where);
}
inline Tensor constant(const std::string& text, Where where = Where::current()) {
    return embedded(tensor::constant(std::string_view(text)), where);
}
inline Tensor constant(std::initializer_list<const char*> texts, Where where = Where::current()) {
    return embedded(tensor::constant(texts), where);
}
/// `shape` full of `value`.
template <tensor::Element T>
Tensor filled(T value, const types::Shape& shape, Where where = Where::current()) {
    return placed(where, [&] { return embedded(tensor::filled(value, shape, where), where); });
}
inline Tensor ones(const types::Shape& shape, Where where = Where::current()) {
    return filled(1.0f, shape, where);
}
inline Tensor zeros(const types::Shape& shape, Where where = Where::current()) {
    return filled(0.0f, shape, where);
}

} // namespace retracescope::trace

/// Operators lie beside Tensor, where the language looks for them. Equality has none: use equal() or
/// isSame().
namespace retracescope::tensor {

using trace::Operand;

inline Tensor operator+(const Operand& a, const Operand& b) {
    return trace::add(a, b);
}
inline Tensor operator-(const Operand& a, const Operand& b) {
    return trace::subtract(a, b);
}
inline Tensor operator*(const Operand& a, const Operand& b) {
    return trace::multiply(a, b);
}
inline Tensor operator/(const Operand& a, const Operand& b) {
    return trace::divide(a, b);
}
inline Tensor operator-(const Operand& x) {
    return trace::negative(x);
}
inline Tensor operator<(const Operand& a, const Operand& b) {
    return trace::less(a, b);
}
inline Tensor operator<=(const Operand& a, const Operand& b) {
    return trace::lessEqual(a, b);
}
inline Tensor operator>(const Operand& a, const Operand& b) {
    return trace::greater(a, b);
}
inline Tensor operator>=(const Operand& a, const Operand& b) {
    return trace::greaterEqual(a, b);
}

} // namespace retracescope::tensor

namespace retracescope::trace {

using tensor::operator+; // two variables
using tensor::operator-;
using tensor::operator*;
using tensor::operator/;
using tensor::operator<;
using tensor::operator<=;
using tensor::operator>;
using tensor::operator>=;

} // namespace retracescope::trace
