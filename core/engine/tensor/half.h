#pragma once

#include <bit>
#include <cstdint>

/// The two 16-bit floating formats as bits; rounding goes to the nearest, ties to even.
namespace retracescope::tensor {

constexpr float fromBFloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

constexpr std::uint16_t toBFloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffU) > 0x7f800000U)
        return static_cast<std::uint16_t>((bits >> 16) | 0x40U); // stays a NaN
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

constexpr float fromFloat16(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fU;
    const std::uint32_t fraction = bits & 0x3ffU;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7f800000U | (fraction << 13));
    if (exponent != 0)
        return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
    const float small = static_cast<float>(fraction) * 5.9604644775390625e-8f; // 2^-24
    return sign != 0 ? -small : small;
}

constexpr std::uint16_t toFloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U)
        return sign | 0x7e00U; // NaN
    if (magnitude >= 0x477ff000U)
        return sign | 0x7c00U;      // 65520 and more become infinite
    if (magnitude >= 0x38800000U) { // normal from 2^-14 on
        const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
        return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
    }
    // Below, adding 2^-1 leaves the rounded fraction in the last bits of the sum.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U));
}

} // namespace retracescope::tensor
