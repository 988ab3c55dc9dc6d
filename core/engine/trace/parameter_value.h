#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <retracescope/engine/trace/value.h>

namespace retracescope::trace::detail {

/// "expected a whole number of 32 bits without a sign, got -1".
std::string numberMisfit(std::size_t bytes, bool isUnsigned, const std::string& given);
/// The same of a floating number.
std::string numberMisfit(std::size_t bytes, double given);

/// Whether a floating number of type T has that value, rounded perhaps.
template <std::floating_point T, class Given>
bool isInRange(Given given) {
    if constexpr (std::is_floating_point_v<Given> && sizeof(T) < sizeof(Given))
        return !std::isinf(static_cast<T>(given)) || std::isinf(given);
    return true;
}

/// The elements of what was a std::vector of numbers.
HostArray hostArrayOf(const Value::Sequence& numbers, const std::string& what);

/// An argument as a callable's parameter of type T would have it if the call were written in full: for a
/// Tensor, a variable is read and a std::vector of numbers becomes an array of the host (but not where an
/// input signature casts it); a number takes the type of the parameter. All others stay what they are. Throws
/// UsageError, which starts with `what`, for a number that T cannot hold.
template <class T>
Value asParameter(Value value, const std::string& what, bool isCastLater) {
    if constexpr (std::is_same_v<T, Tensor>) {
        if (const auto* variable = value.as<Variable>())
            return variable->read({});
        const auto* sequence = value.as<Value::Sequence>();
        if (!isCastLater && sequence != nullptr && sequence->elements != types::DType::None)
            return hostArrayOf(*sequence, what);
    } else if constexpr (kIsRest<T>) { // one of its arguments
        return asParameter<typename decltype(T::items)::value_type>(std::move(value), what, isCastLater);
    } else if constexpr (kIsNamedRest<T>) {
        return asParameter<typename decltype(T::items)::mapped_type>(std::move(value), what, isCastLater);
    } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
        const auto* literal = value.as<types::Literal>();
        const auto* whole = literal == nullptr ? nullptr : std::get_if<std::int64_t>(&literal->value());
        const auto* number = literal == nullptr ? nullptr : std::get_if<double>(&literal->value());
        if constexpr (std::is_floating_point_v<T>) {
            if (whole != nullptr)
                return Value(static_cast<T>(*whole));
            if (number != nullptr && !isInRange<T>(*number))
                throw UsageError(what + numberMisfit(sizeof(T), *number));
            if (number != nullptr)
                return Value(static_cast<T>(*number));
        } else if (whole != nullptr && (static_cast<std::int64_t>(static_cast<T>(*whole)) != *whole ||
                                        (std::is_unsigned_v<T> && *whole < 0))) {
            throw UsageError(what + numberMisfit(sizeof(T), std::is_unsigned_v<T>, std::to_string(*whole)));
        }
    }
    return value;
}

} // namespace retracescope::trace::detail
