#include <retracescope/engine/runtime/checks.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/tensor/half.h>
#include <retracescope/engine/tensor/text.h>

namespace retracescope::runtime {

using tensor::Tensor;
using types::DType;

namespace {

std::atomic<bool> isOn{false};

struct Unusual {
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
};

/// `value` turns what is stored into a number that isnan() and isinf() know.
template <class Stored, class Value>
Unusual countIn(const Tensor& x, const Value& value) {
    Unusual found;
    const auto* elements = reinterpret_cast<const Stored*>(x.bytes());
    for (std::int64_t i = 0; i < x.elements(); ++i) {
        found.nans += std::isnan(value(elements[i])) ? 1 : 0;
        found.infinities += std::isinf(value(elements[i])) ? 1 : 0;
    }
    return found;
}

Unusual count(const Tensor& x) {
    switch (x.dtype()) {
    case DType::Float16:
        return countIn<std::uint16_t>(x, &tensor::fromFloat16);
    case DType::BFloat16:
        return countIn<std::uint16_t>(x, &tensor::fromBFloat16);
    case DType::Float32:
        return countIn<float>(x, [](float value) { return value; });
    default:
        RETRACESCOPE_CHECK(x.dtype() == DType::Float64);
        return countIn<double>(x, [](double value) { return value; });
    }
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

} // namespace

bool enableCheckNumerics(bool on) {
    return isOn.exchange(on);
}

bool checksNumerics() {
    return isOn.load(std::memory_order_relaxed);
}

void requireTrue(std::string_view text, std::span<const Tensor> inputs) {
    if (inputs[0].shape().rank() != 0)
        throw UsageError(
            fmt::format("[assert] expected a bool scalar, got {}", types::toText(inputs[0].type())));
    if (inputs[0].scalar<bool>())
        return;
    std::string message = fmt::format("[assert] {}", text.empty() ? "expected true, got false" : text);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const bool isText = inputs[i].dtype() == DType::String && inputs[i].elements() == 1;
        message += fmt::format("{} {}", i == 1 ? ":" : ",",
                               isText ? inputs[i].strings()[0] : tensor::valueText(inputs[i]));
    }
    throw UsageError(message);
}

void requireNumbers(std::string_view text, const Tensor& x) {
    const auto [nans, infinities] = count(x);
    if (nans == 0 && infinities == 0)
        return;
    std::string found;
    if (nans > 0)
        found = counted(nans, "NaN", "NaNs");
    if (infinities > 0)
        found += (nans > 0 ? " and " : "") + counted(infinities, "infinity", "infinities");
    throw UsageError(fmt::format("[check_numerics] {}: expected finite numbers, got {} in {}",
                                 text.empty() ? "input" : text, found, types::toText(x.type())));
}

} // namespace retracescope::runtime
