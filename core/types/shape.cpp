#include <retracescope/types/shape.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::types {

Shape::Shape(std::span<const std::int64_t> sizes, std::source_location where)
    : m_sizes(sizes.begin(), sizes.end()) {
    for (const std::int64_t size : sizes)
        if (size < kUnknown)
            throw UsageError(fmt::format("[Shape] expected sizes >= 0 or Shape::kUnknown, got {}{}", size,
                                         placeText(where)));
}

Shape Shape::unknownRank() {
    Shape shape;
    shape.m_hasRank = false;
    return shape;
}

bool Shape::isKnown() const {
    return m_hasRank && std::ranges::find(m_sizes, kUnknown) == m_sizes.end();
}

std::optional<std::int64_t> Shape::elementCount() const {
    if (!isKnown())
        return std::nullopt;
    if (std::ranges::find(m_sizes, 0) != m_sizes.end())
        return 0;
    std::int64_t count = 1;
    for (const std::int64_t size : m_sizes)
        if (__builtin_mul_overflow(count, size, &count))
            return std::numeric_limits<std::int64_t>::max();
    return count;
}

bool isSubtype(const Shape& narrow, const Shape& wide) {
    if (!wide.hasRank())
        return true;
    if (!narrow.hasRank() || narrow.rank() != wide.rank())
        return false;
    for (int axis = 0; axis < wide.rank(); ++axis)
        if (wide[axis] != Shape::kUnknown && wide[axis] != narrow[axis])
            return false;
    return true;
}

Shape commonSupertype(const Shape& a, const Shape& b) {
    if (!a.hasRank() || !b.hasRank() || a.rank() != b.rank())
        return Shape::unknownRank();
    std::vector<std::int64_t> sizes(a.sizes().begin(), a.sizes().end());
    for (int axis = 0; axis < b.rank(); ++axis)
        if (a[axis] != b[axis])
            sizes[static_cast<std::size_t>(axis)] = Shape::kUnknown;
    return Shape(sizes);
}

std::string toText(const Shape& shape) {
    if (!shape.hasRank())
        return "<unknown>";
    std::string text = "[";
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (axis > 0)
            text += ',';
        text += shape[axis] == Shape::kUnknown ? "None" : std::to_string(shape[axis]);
    }
    return text + "]";
}

} // namespace retracescope::types
