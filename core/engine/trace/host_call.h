#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <retracescope/engine/ir/host_function.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// The function with the promises of hostCall() kept: its ops are no part of a trace, what it throws and what
/// it returns are checked.
std::shared_ptr<const ir::HostFunction> checkedHostFunction(ir::HostFunction function);

/// Calls such a function, or adds a node that does when the graph runs.
std::vector<Tensor> callHost(const std::shared_ptr<const ir::HostFunction>& function,
                             std::span<const Tensor> inputs, Where where);

/// The name of a host call, and the line it is written on.
struct HostName {
    HostName(const char* text, Where itsWhere = Where::current()) : name(text), where(itsWhere) {}
    HostName(std::string text, Where itsWhere = Where::current()) : name(std::move(text)), where(itsWhere) {}

    std::string name;
    Where where;
};

namespace detail {

template <class Callable, std::size_t... I>
std::vector<Tensor> invokeHost(const Callable& callable, std::span<const Tensor> inputs,
                               std::index_sequence<I...>) {
    using Result = std::invoke_result_t<const Callable&, decltype(inputs[I])...>;
    if constexpr (std::is_void_v<Result>) {
        callable(inputs[I]...);
        return {};
    } else if constexpr (std::is_convertible_v<Result, std::vector<Tensor>>) {
        return callable(inputs[I]...);
    } else {
        return {Tensor(callable(inputs[I]...))};
    }
}

template <class Callable, class... Inputs>
std::vector<Tensor> callHost(const HostName& name, const std::vector<TensorSpec>& results, Callable callable,
                             const Inputs&... inputs) {
    std::vector<types::TensorTypeId> resultTypes;
    for (const TensorSpec& spec : results)
        resultTypes.push_back(types::tensorType(spec.dtype, spec.shape));
    const auto function = checkedHostFunction(
        {name.name, std::move(resultTypes), [callable = std::move(callable)](std::span<const Tensor> given) {
             return invokeHost(callable, given, std::index_sequence_for<Inputs...>());
         }});
    const std::vector<Tensor> tensors{Operand(inputs, name.where).tensor()...};
    return trace::callHost(function, tensors, name.where);
}

} // namespace detail

/// A call of host code that happens on every run of a traced function (tf.py_function): the callable gets the
/// values of `inputs` as eager tensors and returns a tensor, a std::vector<Tensor> or nothing, which `result`
/// or `results` promise: eager tensors of a subtype.
///
///     const Tensor m = hostCall("median", TensorSpec{DType::Float32, {}}, &medianOf, x);
///     hostCall("log", [&](const Tensor& loss) { losses.push_back(loss); }, loss);
///
/// It is an effect: it happens in program order with prints and other host calls, and also if nobody needs
/// the result. It runs on the thread of the call, keeps the callable as long as the graph lives, and may run
/// on several threads at once if calls do. Outside of traces the callable is called at once.
///
/// There is no gradient through it, and none through a branch or loop that it lies in: asking for one throws
/// UsageError. What the callable throws (std::exception) and a result that breaks the promise end the run as
/// UsageError with the name and the line of the host call.
template <class Callable, std::convertible_to<Operand>... Inputs>
Tensor hostCall(const HostName& name, const TensorSpec& result, Callable callable, const Inputs&... inputs) {
    return detail::callHost(name, {result}, std::move(callable), inputs...)[0];
}
template <class Callable, std::convertible_to<Operand>... Inputs>
std::vector<Tensor> hostCall(const HostName& name, const std::vector<TensorSpec>& results, Callable callable,
                             const Inputs&... inputs) {
    return detail::callHost(name, results, std::move(callable), inputs...);
}
template <class Callable, std::convertible_to<Operand>... Inputs>
    requires std::is_void_v<
        std::invoke_result_t<const Callable&, std::conditional_t<true, Tensor, Inputs>...>>
void hostCall(const HostName& name, Callable callable, const Inputs&... inputs) {
    detail::callHost(name, {}, std::move(callable), inputs...);
}

} // namespace retracescope::trace
