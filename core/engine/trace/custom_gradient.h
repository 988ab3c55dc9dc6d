#pragma once

#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// What the callable of a CustomGradient returns: see withGradient().
template <class Result, class Backward>
struct WithGradient {
    Result result;
    Backward backward;
    std::vector<Variable> variables;
};

/// A result, a tensor or a structure of tensors, and what computes the gradients of the arguments.
///
/// `backward` takes the gradient of the result: of a std::tuple the gradients of its items one by one, else
/// one value in the result's structure. Where nothing flows it gets zeros. It returns the gradient of the
/// argument in the argument's structure or, of several arguments, a std::tuple of one for each; an empty
/// tensor where nothing flows. Each tensor has dtype and shape of what it is the gradient of; what stands for
/// host values and integers is not looked at. Computed with ops, it can be differentiated itself.
///
/// Trainable variables that the callable reads, other than as arguments, are listed in `variables`;
/// `backward` then returns a std::pair of the above and a std::vector<Tensor> with a gradient for each.
template <class Result, class Backward>
WithGradient<Result, Backward> withGradient(Result result, Backward backward,
                                            std::vector<Variable> variables = {}) {
    return {std::move(result), std::move(backward), std::move(variables)};
}

namespace detail {

/// The gradients of the arguments, and of variables.
struct CustomGradients {
    Value arguments;
    std::vector<Tensor> variables;
};

/// WithGradient without its types.
struct CustomResult {
    Value result;
    std::function<CustomGradients(const Value& gradient)> backward; ///< may be called more than once
    std::vector<Variable> variables;
};

Value runWithGradient(std::string_view name, std::span<const Value> arguments,
                      const std::function<CustomResult(std::span<const Value>)>& callable, Where where);

template <class T>
inline constexpr bool kIsPair = false;
template <class A, class B>
inline constexpr bool kIsPair<std::pair<A, B>> = true;

template <class Result, class Backward>
CustomGradients gradientsFrom(const Backward& backward, const Value& gradient) {
    const auto call = [&] {
        if constexpr (kIsTuple<Result>)
            return std::apply(backward, fromValue<Result>(gradient));
        else
            return backward(fromValue<Result>(gradient));
    };
    if constexpr (kIsPair<decltype(call())>) {
        auto both = call();
        return {Value(std::move(both.first)), std::move(both.second)};
    } else {
        return {Value(call()), {}};
    }
}

template <class Result, class Backward>
CustomResult withoutTypes(WithGradient<Result, Backward> made) {
    return {Value(made.result),
            [backward = std::move(made.backward)](const Value& gradient) {
                return gradientsFrom<Result>(backward, gradient);
            },
            std::move(made.variables)};
}

template <class With>
struct ResultOf;
template <class Result, class Backward>
struct ResultOf<WithGradient<Result, Backward>> {
    using Type = Result;
};

} // namespace detail

/// A callable with a gradient of its own, as tf.custom_gradient makes one:
///
///     const CustomGradient softplus("softplus", [](Tensor x) { // log(1 + e^x)
///         const Tensor e = exp(x);
///         return withGradient(log(1.0f + e), [=](Tensor gradient) {
///             return gradient * (1.0f - 1.0f / (1.0f + e));
///         });
///     });
///     softplus(x);
///
/// Arguments are tensors, variables, host values and structures of them. Called eagerly, the callable runs at
/// once, and its backward whenever a tape asks for a gradient. Inside a trace both are traced, once per call,
/// in functions, branches and loops alike. What the backward uses of the forward computation is kept, not
/// computed again; of that, gradients of higher order are the usual ones.
///
/// A gradient flows into the arguments and the variables given only, not into other tensors that the callable
/// uses. Throws UsageError that names the function and the argument for gradients of wrong number, structure,
/// dtype or shape, and for a trainable variable that it reads without giving a gradient.
template <class Callable>
class CustomGradient {
public:
    CustomGradient(std::string name, Callable callable, Where where = Where::current())
        : m_name(std::move(name)), m_callable(std::move(callable)), m_where(where) {}

    template <class... Arguments>
    auto operator()(const Arguments&... arguments) const {
        using With = std::invoke_result_t<const Callable&, Arguments...>;
        using Result = typename detail::ResultOf<With>::Type;
        const std::vector<Value> given{Value(arguments)...};
        return fromValue<Result>(detail::runWithGradient(
            m_name, given,
            [&](std::span<const Value> seen) {
                return call<Arguments...>(seen, std::index_sequence_for<Arguments...>());
            },
            m_where));
    }

private:
    template <class... Arguments, std::size_t... I>
    detail::CustomResult call(std::span<const Value> seen, std::index_sequence<I...>) const {
        return detail::withoutTypes(m_callable(fromValue<Arguments>(seen[I])...));
    }

    std::string m_name;
    Callable m_callable;
    Where m_where; ///< where it was made
};

/// Tells the tapes of an eager call with a gradient of its own, whose results become tensors of their own.
void recordOwnGradient(const ir::OwnGradient& own, std::span<const Tensor> inputs, std::span<Tensor> results);

} // namespace retracescope::trace
