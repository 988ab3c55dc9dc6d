#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <retracescope/engine/trace/ops.h>

/// Ops that move, pick and list elements. As those of ops.h they work on eager and symbolic tensors; what
/// does not fit throws UsageError with op, expected and actual. Axes count from the end if negative. Of any
/// dtype unless said otherwise.
namespace retracescope::trace {

/// What a slice takes of one axis: {} all of it, an index one element (the axis goes), {begin, end} or
/// {begin, end, stride} a range. Numbers count from the end if negative, std::nullopt is the end itself;
/// ranges end where the axis ends.
class Slice {
public:
    using Place = std::optional<std::int64_t>;

    Slice() = default;
    Slice(std::int64_t index) : m_begin(index), m_isIndex(true) {}
    Slice(int index) : Slice(static_cast<std::int64_t>(index)) {}
    Slice(Place begin, Place end, std::int64_t stride = 1) : m_begin(begin), m_end(end), m_stride(stride) {}

    const Place& begin() const { return m_begin; }
    const Place& end() const { return m_end; }
    std::int64_t stride() const { return m_stride; }
    bool isIndex() const { return m_isIndex; }

private:
    Place m_begin;
    Place m_end;
    std::int64_t m_stride = 1;
    bool m_isIndex = false;
};

/// x[slices]: stridedSlice(x, {0, {1, 3}, {}}); axes that are not named are taken whole.
Tensor stridedSlice(const Tensor& x, std::initializer_list<Slice> slices, Where where = Where::current());
/// `sizes` elements from `begin` on, both for every axis; a size of -1 goes to the end.
Tensor slice(const Tensor& x, std::initializer_list<std::int64_t> begin,
             std::initializer_list<std::int64_t> sizes, Where where = Where::current());
/// The elements (slices) of `axis` that `indices` (int32 or int64) name, which the indices' axes replace; the
/// first `batchDims` axes (from the indices' end if negative) are those of both. An index outside throws when
/// it runs. Its gradient is dense: a tensor of x's shape into which it is added, where TensorFlow has a
/// sparse one.
Tensor gather(const Tensor& x, const Operand& indices, std::int64_t axis = 0, std::int64_t batchDims = 0);

/// A further axis of size 1 at `axis`.
Tensor expandDims(const Tensor& x, std::int64_t axis, Where where = Where::current());
/// Without these axes, which have size 1; without all of that size if none are given.
Tensor squeeze(const Tensor& x, std::initializer_list<std::int64_t> axes = {},
               Where where = Where::current());

Tensor concat(std::span<const Tensor> parts, std::int64_t axis = 0, Where where = Where::current());
/// Tensors of one shape along a new axis.
Tensor stack(std::span<const Tensor> parts, std::int64_t axis = 0, Where where = Where::current());
inline Tensor stack(std::initializer_list<Tensor> parts, std::int64_t axis = 0,
                    Where where = Where::current()) {
    return stack(std::span(parts.begin(), parts.size()), axis, where);
}
/// The elements (slices) of an axis whose size is known while tracing.
std::vector<Tensor> unstack(const Tensor& x, std::int64_t axis = 0, Where where = Where::current());
/// As many equal parts of an axis whose size is known while tracing and a multiple of `parts`.
std::vector<Tensor> split(const Tensor& x, std::int64_t parts, std::int64_t axis = 0,
                          Where where = Where::current());
/// Parts of these sizes, which are all there is if the axis' size is known.
std::vector<Tensor> split(const Tensor& x, std::initializer_list<std::int64_t> sizes, std::int64_t axis = 0,
                          Where where = Where::current());

using Padding = std::pair<std::int64_t, std::int64_t>; ///< elements before, elements behind
/// With more elements around, one padding per axis; all are `value`, a scalar of x's dtype.
Tensor pad(const Tensor& x, std::initializer_list<Padding> paddings, const Operand& value = 0);
/// x so many times along each axis.
Tensor tile(const Tensor& x, std::initializer_list<std::int64_t> multiples, Where where = Where::current());
/// Back to front along these axes.
Tensor reverse(const Tensor& x, std::initializer_list<std::int64_t> axes, Where where = Where::current());

/// 1 in the place that an index (int32 or int64) names along a new last axis of size `depth`, 0 in the
/// others; an index outside has 0 everywhere. Of a dtype of numbers.
Tensor oneHot(const Operand& indices, std::int64_t depth, types::DType dtype = types::DType::Float32);

// Numbers only. A NaN is above all of them; equal elements keep their order.
Tensor sort(const Tensor& x, bool descending = false, std::int64_t axis = -1, Where where = Where::current());
/// Where the elements in order come from, as int32.
Tensor argSort(const Tensor& x, bool descending = false, std::int64_t axis = -1,
               Where where = Where::current());
struct TopK {
    Tensor values;  ///< [..., k], descending
    Tensor indices; ///< int32
};
/// The `k` greatest of the last axis.
TopK topK(const Tensor& x, std::int64_t k, Where where = Where::current());

/// start, start + delta, ... below limit (above it if delta is negative); scalars of one dtype: int32, int64,
/// float32 or float64. The length is known while tracing if they are. Has no gradient.
Tensor range(const Operand& start, const Operand& limit, const Operand& delta = 1);
/// From 0 on.
Tensor range(const Operand& limit);
/// `count` (an integer scalar) numbers from `start` to `stop`, both included. Floating.
Tensor linspace(const Operand& start, const Operand& stop, const Operand& count);
/// `sizes` (an int32 or int64 vector) full of `value`, a scalar.
Tensor fill(const Operand& sizes, const Operand& value);
/// Ones where row and column agree.
Tensor eye(std::int64_t rows, std::int64_t columns, types::DType dtype = types::DType::Float32,
           Where where = Where::current());
inline Tensor eye(std::int64_t rows, Where where = Where::current()) {
    return eye(rows, rows, types::DType::Float32, where);
}

/// The indices of what is true in a bool tensor, int64[how many, rank]. How many is known when it runs.
Tensor where(const Operand& condition);
/// As select().
Tensor where(const Operand& condition, const Operand& a, const Operand& b);
/// The slices of the first axis whose element of `mask` (a bool vector) is true.
Tensor booleanMask(const Tensor& x, const Tensor& mask, Where where = Where::current());
/// [count, ...]: the sums of the slices of x that have the same number in `ids` (int32 or int64), which may
/// be in any order. Numbers.
Tensor segmentSum(const Tensor& x, const Operand& ids, std::int64_t count);

} // namespace retracescope::trace
