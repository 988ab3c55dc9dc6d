#include <retracescope/types/tensor_type.h>

#include <algorithm>

#include <fmt/format.h>

namespace retracescope::types {

namespace detail {
constinit std::atomic<const InternTable<TensorType>*> tensorTypes{nullptr};
} // namespace detail

namespace {

using detail::TensorType;

InternTable<TensorType>& table() {
    static auto* const types = [] {
        auto* made = new InternTable<TensorType>;
        detail::tensorTypes.store(made, std::memory_order_release);
        return made;
    }();
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
            const Shape shape = hasRank ? Shape(sizes) : Shape::unknownRank();
            return TensorType{dtype, shape, shape.elementCount()};
        }));
}

} // namespace

TensorTypeId tensorType(DType dtype, const Shape& shape) {
    return intern(dtype, shape.hasRank(), shape.sizes());
}

TensorTypeId tensorType(DType dtype, std::span<const std::int64_t> sizes) {
    return intern(dtype, true, sizes);
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
