#include <cmath>
#include <limits>

#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>

namespace retracescope::runtime {

namespace {

/// Integers wrap; a floating number outside the integer's range becomes its nearest end, a NaN 0.
template <class To, class From>
To converted(From value) {
    if constexpr (std::is_same_v<To, bool>) {
        return value != From(0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if (std::isnan(value))
            return 0;
        // 2^digits is exact in every floating dtype, the integer's greatest value is not.
        const From end = std::ldexp(From(1), std::numeric_limits<To>::digits);
        if (value >= end)
            return std::numeric_limits<To>::max();
        if (value <= static_cast<From>(std::numeric_limits<To>::min()))
            return std::numeric_limits<To>::min();
        return static_cast<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

template <class To, class From>
void runCast(const Command& command, Frame& frame) {
    auto* out = reinterpret_cast<To*>(frame.pointers[command.output]);
    const auto* a = reinterpret_cast<const From*>(frame.pointers[command.a]);
    for (std::int64_t i = 0; i < command.count; ++i)
        out[i] = converted<To>(a[i]);
}

} // namespace

Command chooseCast(const KernelRequest& request) {
    Command command;
    bool takesInput = false;
    withNumber(request.inputDType(), [&]<class From>() {
        takesInput = true;
        withNumber(types::dtypeOf(request.output), [&]<class To>() { command.kernel = &runCast<To, From>; });
    });
    if (!command.kernel)
        throwNoKernel(request.op, takesInput ? types::dtypeOf(request.output) : request.inputDType());
    command.count = *request.outputShape().elementCount();
    return command;
}

} // namespace retracescope::runtime
