#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <retracescope/types/dtype.h>
#include <retracescope/types/intern_table.h>
#include <retracescope/types/shape.h>

namespace retracescope::types {

/// A pair (dtype, shape) as one word: equal pairs have equal ids, in the whole process and for its whole
/// life, so a tensor carries its type beside its pointer and a call compares words.
enum class TensorTypeId : std::uint32_t { None = 0 };

/// The id of that pair; the first time it is seen takes a lock, later times do not and allocate nothing.
TensorTypeId tensorType(DType dtype, const Shape& shape);

/// The same for a shape that is known in full.
TensorTypeId tensorType(DType dtype, std::span<const std::int64_t> sizes);

namespace detail {

struct TensorType {
    DType dtype = DType::None;
    Shape shape;
    std::optional<std::int64_t> elements;
};

/// Where ids lead; there before the first id is. Never destroyed: tensors of static life may outlive it.
extern constinit std::atomic<const InternTable<TensorType>*> tensorTypes;

inline const TensorType& factsOf(TensorTypeId type) {
    return (*tensorTypes.load(std::memory_order_acquire))[static_cast<std::uint32_t>(type)];
}

} // namespace detail

/// `type` must not be None.
inline DType dtypeOf(TensorTypeId type) {
    return detail::factsOf(type).dtype;
}
inline const Shape& shapeOf(TensorTypeId type) {
    return detail::factsOf(type).shape;
}
/// shapeOf(type).elementCount(): none if a size is unknown.
inline std::optional<std::int64_t> elementsOf(TensorTypeId type) {
    return detail::factsOf(type).elements;
}
/// shapeOf(type).isKnown().
inline bool isKnown(TensorTypeId type) {
    return detail::factsOf(type).elements.has_value();
}

/// Equal dtypes and isSubtype of the shapes.
bool isSubtype(TensorTypeId narrow, TensorTypeId wide);

/// The most specific type above both, or None if their dtypes differ: there is no promotion
/// (resources/manual/features.md, row 15).
TensorTypeId commonSupertype(TensorTypeId a, TensorTypeId b);

/// "float32[2,None]", "int32[]", "string<unknown>".
std::string toText(TensorTypeId type);

} // namespace retracescope::types
