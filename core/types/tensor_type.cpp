#include <retracescope/types/tensor_type.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/types/intern_table.h>

namespace retracescope::types {

namespace {

struct TensorType {
    DType dtype = DType::None;
    Shape shape;
};

InternTable<TensorType>& table() {
    // Never destroyed: tensors of static life may outlive any static table.
    static auto* types = new InternTable<TensorType>;
    return *types;
}

std::uint64_t hashOf(DType dtype, bool hasRank, std::span<const std::int64_t> sizes) {
    std::uint64_t hash =
        (static_cast<std::uint64_t>(dtype) << 32) | (sizes.size() << 1) | (hasRank ? 1U : 0U);
    for (const std::int64_t size : sizes)
        hash = mixBits(hash) ^ static_cast<std::uint64_t>(size);
    return hash;
}

TensorTypeId intern(DType dtype, bool hasRank, std::span<const std::int64_t> sizes) {
    return static_cast<TensorTypeId>(table().intern(
        hashOf(dtype, hasRank, sizes),
        [&](const TensorType& type) {
            return type.dtype == dtype && type.shape.hasRank() == hasRank &&
                   std::ranges::equal(type.shape.sizes(), sizes);
        },
        [&] {
            return TensorType{dtype, hasRank ? Shape(sizes) : Shape::unknownRank()};
        }));
}

const TensorType& factsOf(TensorTypeId type) {
    return table()[static_cast<std::uint32_t>(type)];
}

} // namespace

TensorTypeId tensorType(DType dtype, const Shape& shape) {
    return intern(dtype, shape.hasRank(), shape.sizes());
}

TensorTypeId tensorType(DType dtype, std::span<const std::int64_t> sizes) {
    return intern(dtype, true, sizes);
}

DType dtypeOf(TensorTypeId type) {
    return factsOf(type).dtype;
}

const Shape& shapeOf(TensorTypeId type) {
    return factsOf(type).shape;
}

bool isSubtype(TensorTypeId narrow, TensorTypeId wide) {
    return narrow == wide || (dtypeOf(narrow) == dtypeOf(wide) && isSubtype(shapeOf(narrow), shapeOf(wide)));
}

TensorTypeId commonSupertype(TensorTypeId a, TensorTypeId b) {
    if (a == b)
        return a;
    if (dtypeOf(a) != dtypeOf(b))
        return TensorTypeId::None;
    return tensorType(dtypeOf(a), commonSupertype(shapeOf(a), shapeOf(b)));
}

std::string toText(TensorTypeId type) {
    return fmt::format("{}{}", dtypeName(dtypeOf(type)), toText(shapeOf(type)));
}

} // namespace retracescope::types
