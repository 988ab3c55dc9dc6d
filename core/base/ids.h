#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace retracescope {

/// Row number in one table, or none. Ids of different tables do not convert into each other.
template <class Tag>
struct Id {
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t value = kNone;

    constexpr Id() = default;
    constexpr explicit Id(std::uint32_t row) : value(row) {}
    constexpr explicit Id(std::size_t row) : value(static_cast<std::uint32_t>(row)) {}

    constexpr bool isValid() const { return value != kNone; }
    constexpr auto operator<=>(const Id&) const = default;
};

} // namespace retracescope

template <class Tag>
struct std::hash<retracescope::Id<Tag>> {
    std::size_t operator()(retracescope::Id<Tag> id) const noexcept { return id.value; }
};
