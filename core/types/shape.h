#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace retracescope::types {

/// Number of elements along each axis. An axis may be unknown (kUnknown), and so may the rank: such shapes
/// are types of many tensors; the shape of a value is always known in full.
class Shape {
public:
    static constexpr std::int64_t kUnknown = -1;

    /// A scalar.
    Shape() = default;
    /// Throws UsageError for a size below kUnknown.
    Shape(std::initializer_list<std::int64_t> sizes,
          std::source_location where = std::source_location::current())
        : Shape(std::span(sizes.begin(), sizes.size()), where) {}
    explicit Shape(std::span<const std::int64_t> sizes, std::source_location where = {});
    explicit Shape(const std::vector<std::int64_t>& sizes, std::source_location where = {})
        : Shape(std::span(sizes), where) {}

    static Shape unknownRank();

    bool hasRank() const { return m_hasRank; }
    bool isKnown() const;

    /// Number of axes; 0 for an unknown rank.
    int rank() const { return static_cast<int>(m_sizes.size()); }

    /// Size of axis 0 <= axis < rank(), or kUnknown.
    std::int64_t operator[](int axis) const { return m_sizes[static_cast<std::size_t>(axis)]; }

    /// One size per axis; empty for a scalar and for an unknown rank.
    std::span<const std::int64_t> sizes() const { return m_sizes; }

    /// Product of all sizes (2^63 - 1 if it is greater), or none if one is unknown.
    std::optional<std::int64_t> elementCount() const;

    bool operator==(const Shape&) const = default;

private:
    std::vector<std::int64_t> m_sizes;
    bool m_hasRank = true;
};

/// True if every value of shape `narrow` has shape `wide` (features.md, row 33): anything has an unknown
/// rank; else equal ranks, and each axis of `wide` is equal or unknown. An unknown axis is not below a known
/// one.
bool isSubtype(const Shape& narrow, const Shape& wide);

/// The most specific shape above both: unknown where they differ, unknown rank if ranks differ. Always
/// exists.
Shape commonSupertype(const Shape& a, const Shape& b);

/// "[2,None]", "[]", "<unknown>".
std::string toText(const Shape& shape);

} // namespace retracescope::types
