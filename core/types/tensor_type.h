#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <retracescope/types/dtype.h>
#include <retracescope/types/shape.h>

namespace retracescope::types {

/// A pair (dtype, shape) as one word: equal pairs have equal ids, in the whole process and for its whole
/// life, so a tensor carries its type beside its pointer and a call compares words.
enum class TensorTypeId : std::uint32_t { None = 0 };

/// The id of that pair; the first time it is seen takes a lock, later times do not and allocate nothing.
TensorTypeId tensorType(DType dtype, const Shape& shape);

/// The same for a shape that is known in full.
TensorTypeId tensorType(DType dtype, std::span<const std::int64_t> sizes);

/// `type` must not be None.
DType dtypeOf(TensorTypeId type);
const Shape& shapeOf(TensorTypeId type);

/// Equal dtypes and isSubtype of the shapes.
bool isSubtype(TensorTypeId narrow, TensorTypeId wide);

/// The most specific type above both, or None if their dtypes differ: there is no promotion
/// (resources/manual/features.md, row 15).
TensorTypeId commonSupertype(TensorTypeId a, TensorTypeId b);

/// "float32[2,None]", "int32[]", "string<unknown>".
std::string toText(TensorTypeId type);

} // namespace retracescope::types
