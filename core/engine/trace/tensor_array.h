#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include <retracescope/engine/trace/ops.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// How a TensorArray is made.
struct TensorArrayOptions {
    /// It grows when an element behind its end is written.
    bool dynamicSize = false;
    /// What every element is; what it leaves unknown, the first element written decides.
    types::Shape elementShape = types::Shape::unknownRank();
};

/// Tensors of one dtype and shape by number, each written once: what a loop collects (tf.TensorArray). It is
/// a value: write() and unstack() return another array and leave this one as it was, so a loop takes the
/// array among its values and its body returns the new one. Works eagerly and in traced functions, is
/// argument and result of both, and gradients go through it.
///
///     const auto [i, squares] = whileLoop(
///         [&](Tensor i, TensorArray) { return i < n; },
///         [](Tensor i, TensorArray so) { return std::tuple(i + 1, so.write(i, i * i)); },
///         std::tuple(0, TensorArray(DType::Int32, n)));
///     squares.stack();
///
/// Throws UsageError, in a traced function when it runs unless types tell before, that names the index and
/// what was expected: for an index outside of 0 to size - 1 (unless the size is dynamic), an element that is
/// written twice, or read or stacked without having been written, and one of another dtype or shape.
/// Stricter than TensorFlow, where a second write replaces the first and an unwritten element of known shape
/// is zeros.
class TensorArray {
public:
    TensorArray() = default; ///< no array; what a structure is filled in from
    /// `size` elements, an integer scalar, none of them written.
    TensorArray(types::DType dtype, const Operand& size, const TensorArrayOptions& options = {});

    /// The rows of `value` along its leading axis as the elements of an array of that size.
    static TensorArray unstack(const Tensor& value, Where where = Where::current());

    /// The array with `value` as element `index`, an integer scalar.
    [[nodiscard]] TensorArray write(const Operand& index, const Operand& value) const;
    Tensor read(const Operand& index) const;
    /// All elements joined along a new leading axis. An array without elements needs its element shape.
    Tensor stack(Where where = Where::current()) const;
    /// All elements joined along their own leading axis; the sizes of their other axes must be known.
    Tensor concat(Where where = Where::current()) const;
    /// How many elements, written or not: int32[].
    Tensor size(Where where = Where::current()) const;

    types::DType dtype() const { return m_dtype; }
    /// As far as it was declared.
    types::Shape elementShape() const;

    static auto traceFields() {
        return std::tuple(field("list", &TensorArray::m_list), field("dtype", &TensorArray::m_dtype),
                          field("has_rank", &TensorArray::m_hasRank), field("sizes", &TensorArray::m_sizes));
    }

private:
    void setElementShape(const types::Shape& shape);
    types::TensorTypeId elementType() const;
    ir::Attributes typeAttribute(types::TensorTypeId type) const;

    Tensor m_list;
    types::DType m_dtype = types::DType::None;
    bool m_hasRank = false;
    std::vector<std::int64_t> m_sizes; ///< of an element; -1 = not known
};

} // namespace retracescope::trace
