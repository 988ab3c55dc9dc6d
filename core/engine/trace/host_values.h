#pragma once

#include <span>
#include <string_view>

#include <retracescope/engine/tensor/tensor.h>
#include <retracescope/types/literal.h>

/// From numbers and text of the host to tensors.
namespace retracescope::trace {

/// The dtype a literal has where nothing asks for another: bool, int32 (int64 if it does not fit), float32,
/// string, complex128; None for None.
types::DType defaultDType(const types::Literal& literal);

/// How elements become a dtype that was asked for.
enum class Conversion : std::uint8_t {
    Exact, ///< numbers keep their kind (a whole number may become a floating or complex one, a floating one a
           ///< complex one), whole numbers fit and finite ones stay finite; bools and text become nothing
           ///< else
    AsTensorFlow, ///< as TensorFlow converts what is written in Python: also, whole numbers wrap around (not
                  ///< to uint64), and bools are numbers for int32, int64, uint64, float16, float32, float64,
                  ///< complex128, and for others behind a first element that is one
    AsNumPy,      ///< everything becomes everything: cut off, wrapped around, not zero as a bool
};

/// Literals as the elements, in row-major order, of a tensor of `dtype` and `shape` (as many elements).
/// Throws UsageError that starts with `what` for one that does not become `dtype`.
tensor::Tensor tensorOf(std::span<const types::Literal> literals, types::DType dtype,
                        const types::Shape& shape, std::string_view what,
                        Conversion conversion = Conversion::Exact);

/// A scalar of the default dtype. Throws UsageError that starts with `what` for None.
tensor::Tensor tensorOf(const types::Literal& literal, std::string_view what);

/// Element `index` of an eager tensor of numbers, bools or text as a literal; an integer beyond int64 comes
/// as a floating number.
types::Literal literalAt(const tensor::Tensor& tensor, std::int64_t index);

} // namespace retracescope::trace
