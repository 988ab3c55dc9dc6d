#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <memory>
#include <type_traits>

#include <retracescope/engine/tensor/borrowed_tensors.h>
#include <retracescope/engine/tensor/few_tensors.h>
#include <retracescope/engine/trace/eager_switch.h>
#include <retracescope/engine/trace/function_core.h>
#include <retracescope/engine/trace/key_words.h>
#include <retracescope/engine/trace/parameter_value.h>

namespace retracescope::trace {

namespace detail {

/// How many tensors an argument of one word or none is made of.
template <class Parameter>
inline constexpr std::size_t kPlainLeaves = std::is_same_v<Parameter, Tensor> ? 1 : 0;

/// How many tensors make up a result that is a tuple of nothing else; 0 for other results.
template <class R>
inline constexpr std::size_t kTupledTensors = 0;
template <class... T>
    requires(std::is_same_v<T, Tensor> && ...)
inline constexpr std::size_t kTupledTensors<std::tuple<T...>> = sizeof...(T);

/// How many tensors a result is made of at most, if its type says so.
template <class R>
inline constexpr std::size_t kMostTensors = kTupledTensors<R> > 0 ? kTupledTensors<R> : std::dynamic_extent;
template <>
inline constexpr std::size_t kMostTensors<Tensor> = 1;

template <class R>
[[gnu::always_inline]] inline R resultFrom(const ConcreteFunction& concrete, std::span<Tensor> leaves) {
    if constexpr (std::is_void_v<R>) {
        return;
    } else if constexpr (std::is_same_v<R, Tensor>) {
        return leaves.empty() ? Tensor() : std::move(leaves[0]);
    } else {
        if constexpr (kTupledTensors<R> > 0)
            if (leaves.size() == kTupledTensors<R>) // else some of them are None
                return [&]<std::size_t... I>(std::index_sequence<I...>) {
                    return R(std::move(leaves[I])...);
                }(std::make_index_sequence<kTupledTensors<R>>());
        std::size_t next = 0;
        return fromValue<R>(packed(concrete.type().output, leaves, next));
    }
}

/// A host number for a parameter of type A as a call has it, whatever number that is: C++ would round and
/// wrap it unseen. Floating numbers may be rounded; all others must keep their value, and whole ones fit into
/// a literal.
template <class A>
class TakenNumber {
public:
    template <class Given>
        requires(std::is_arithmetic_v<Given> && (std::is_floating_point_v<A> || std::is_integral_v<Given>))
    TakenNumber(Given given) : m_value(static_cast<A>(given)) {
        if constexpr (std::is_integral_v<A>) {
            m_isNegative = given < Given{};
            m_given = static_cast<std::uint64_t>(given);
            m_isKept = static_cast<Given>(m_value) == given && (m_value < A{}) == m_isNegative &&
                       (m_isNegative || m_given <= kLargestLiteral);
        } else if constexpr (std::is_floating_point_v<Given>) {
            m_isKept = isInRange<A>(given);
            if (!m_isKept) [[unlikely]]
                m_given = std::bit_cast<std::uint64_t>(static_cast<double>(given));
        }
    }
    operator const A&() const { return m_value; }

    bool isKept() const { return m_isKept; }
    /// What is wrong if it is not.
    std::string problem() const {
        if constexpr (std::is_floating_point_v<A>)
            return numberMisfit(sizeof(A), std::bit_cast<double>(m_given));
        if (sizeof(A) == sizeof(m_given) && !m_isNegative)
            return literalMisfit(m_given);
        return numberMisfit(sizeof(A), std::is_unsigned_v<A>,
                            m_isNegative ? std::to_string(static_cast<std::int64_t>(m_given))
                                         : std::to_string(m_given));
    }

private:
    A m_value;
    bool m_isKept = true;
    bool m_isNegative = false;
    std::uint64_t m_given = 0;
};

template <class T>
inline constexpr bool kIsTakenNumber = false;
template <class A>
inline constexpr bool kIsTakenNumber<TakenNumber<A>> = true;

/// How a call takes a value for a parameter.
template <class A>
using Taken = std::conditional_t<std::is_arithmetic_v<A> && !std::is_same_v<A, bool>, TakenNumber<A>, A>;

/// True if a call has a value of the right type for every parameter, and perhaps a source location behind
/// them.
template <class Given, class Parameters>
inline constexpr bool kIsWrittenInFull = false;
template <class... Given, class... Parameters>
    requires(sizeof...(Given) == sizeof...(Parameters))
inline constexpr bool kIsWrittenInFull<std::tuple<Given...>, std::tuple<Parameters...>> =
    (std::is_convertible_v<Given, Taken<Parameters>> && ...);
template <class... Given, class... Parameters>
    requires(sizeof...(Given) == sizeof...(Parameters) + 1)
inline constexpr bool kIsWrittenInFull<std::tuple<Given...>, std::tuple<Parameters...>> =
    std::is_same_v<std::tuple_element_t<sizeof...(Parameters), std::tuple<Given...>>, Where>;

/// How many Arguments an overload takes.
inline constexpr std::size_t kMostPlaced = 8;

/// True if a call may have more arguments than the callable has parameters.
template <class... Parameter>
inline constexpr bool kIsVariadic = ((kIsRest<Parameter> || kIsNamedRest<Parameter>) || ...);

/// The signature of a callable object or a function.
template <class Callable>
struct SignatureOf : SignatureOf<decltype(&Callable::operator())> {};
template <class R, class... A>
struct SignatureOf<R (*)(A...)> {
    using Type = R(std::decay_t<A>...);
};
template <class R, class C, class... A>
struct SignatureOf<R (C::*)(A...)> : SignatureOf<R (*)(A...)> {};
template <class R, class C, class... A>
struct SignatureOf<R (C::*)(A...) const> : SignatureOf<R (*)(A...)> {};
template <class R, class... A>
struct SignatureOf<R (*)(A...) noexcept> : SignatureOf<R (*)(A...)> {};
template <class R, class C, class... A>
struct SignatureOf<R (C::*)(A...) noexcept> : SignatureOf<R (*)(A...)> {};
template <class R, class C, class... A>
struct SignatureOf<R (C::*)(A...) const noexcept> : SignatureOf<R (*)(A...)> {};

} // namespace detail

template <class Signature>
class Function;

/// A traced function: called like the callable it wraps, it runs a graph that was traced from it once per
/// signature.
///
///     Function half("half", {"x"}, [](Tensor x) { return x / 2.0f; });
///
/// Parameters of the callable may be Tensor (part of the signature by dtype and shape), bool, integers,
/// floating numbers and std::string (by value), Variable (by type and by which arguments are one variable),
/// enums and structs with traceFields() (by what is in them), std::vector, std::tuple and
/// std::map<std::string, ...> of them, std::shared_ptr to objects (by which object it is, held weakly; by
/// their traceKey() if they have one), other traced functions, Value (anything), and Rest and NamedRest of
/// any of these for further arguments. It may return void, Tensor, a host number, an enum or struct,
/// std::vector, std::tuple, std::map or Value. Copies share one cache. Errors of the caller throw UsageError.
template <class R, class... A>
class Function<R(A...)> {
public:
    using Result = detail::Held<R>;

    template <class Callable>
    Function(std::string name, std::vector<ParameterName> parameters, Callable callable,
             FunctionOptions options = {}, Where definedAt = Where::current())
        : m_core(make(std::move(name), std::move(parameters), std::move(callable), std::move(options),
                      definedAt)) {}
    // Only copied, never moved from: no function is without its cache.
    Function(const Function&) = default;
    Function& operator=(const Function&) = default;

    /// Calls it: a hit runs the graph of an earlier trace, a miss traces first. Inside another traced
    /// function it becomes a call node.
    Result operator()(const detail::Taken<A>&... taken, Where where = Where::current()) const
        requires(!detail::kIsVariadic<A...>)
    {
        [[maybe_unused]] std::size_t parameter = 0;
        (requireKept(taken, parameter++, where), ...);
        return callInFull(where, taken...);
    }
    /// With named arguments, defaults left out, or host values in the place of tensors. A template, so that
    /// the one above is taken wherever both could be.
    template <int = 0>
    Result operator()(const Argument& a = {}, const Argument& b = {}, const Argument& c = {},
                      const Argument& d = {}, const Argument& e = {}, const Argument& f = {},
                      const Argument& g = {}, const Argument& h = {}, Where where = Where::current()) const {
        return callAsWritten(CallArguments::of(a, b, c, d, e, f, g, h).from(where));
    }
    /// With more of them; errors then name the line of the definition.
    template <class... Given>
        requires(sizeof...(Given) > detail::kMostPlaced &&
                 (detail::kIsVariadic<A...> ||
                  !detail::kIsWrittenInFull<std::tuple<Given...>, std::tuple<A...>>))
    Result operator()(const Given&... given) const {
        return callAsWritten(CallArguments::of(given...));
    }

    /// The concrete function for these values or TensorSpecs, traced if there is none yet; without arguments
    /// that of the input signature. Lives as long as this function.
    template <class... Given>
    const ConcreteFunction& concrete(const Argument& first, const Given&... given) const {
        return m_core->concrete(CallArguments::of(first, given...).from(first.where()));
    }
    const ConcreteFunction& concrete(Where where = Where::current()) const {
        return m_core->concrete({{}, {}, where});
    }

    /// Calls the wrapped callable itself, without looking anything up: on the values, or, inside a trace, as
    /// a part of it (python_function of tf.function). Takes what a call takes.
    template <class... Given>
    Result callBody(const Argument& first, const Given&... given) const {
        return callDirectly(CallArguments::of(first, given...).from(first.where()));
    }
    Result callBody(Where where = Where::current()) const { return callDirectly({{}, {}, where}); }

    const std::string& name() const { return m_core->name(); }
    const FunctionOptions& options() const { return m_core->options(); }
    /// Names, kinds and whether optional; types::TypeId::None as type unless an input signature gives one.
    std::span<const types::Parameter> parameters() const { return m_core->parameters(); }
    /// TensorSpecs, one structure per parameter; none without an input signature.
    const std::optional<std::vector<Value>>& inputSignature() const {
        return m_core->options().inputSignature;
    }
    /// How many concrete functions the cache holds.
    std::size_t tracingCount() const { return m_core->tracingCount(); }
    /// How many traces were ever made, failed ones included.
    std::size_t traceCount() const { return m_core->traceCount(); }
    std::size_t failedTraceCount() const { return m_core->failedTraceCount(); }
    /// How often the callable ran: once per trace, twice where a first call creates variables.
    std::size_t bodyRuns() const { return m_core->bodyRuns(); }
    std::vector<const ConcreteFunction*> concreteFunctions() const { return m_core->concreteFunctions(); }
    /// All signatures as text, in the order they were traced; printing never traces.
    std::string signatures(bool verbose = true) const { return m_core->signatures(verbose); }
    /// Empties the cache. Variables keep their values, traceCount() and bodyRuns() go on.
    void clear() const { m_core->clear(); }

    FunctionCore& core() const { return *m_core; }

    /// As an argument of another traced function, which gets this one: typed by which function it is.
    operator Value() const { return Value::Object{m_core, &detail::objectClass<Function>()}; }
    static Function fromArgument(const Value& value) {
        const auto* object = value.as<Value::Object>();
        if (object == nullptr || object->itsClass != &detail::objectClass<Function>())
            detail::refuseValue(value, detail::objectClass<Function>().name);
        return Function(std::const_pointer_cast<FunctionCore>(
            std::static_pointer_cast<const FunctionCore>(object->pointer)));
    }

private:
    static constexpr bool kIsFlat = (detail::kIsWord<A> && ...);
    static constexpr std::size_t kWordCount = std::max(sizeof...(A), std::size_t{1}); ///< no key is empty

    explicit Function(std::shared_ptr<FunctionCore> core) : m_core(std::move(core)) {}

    template <class Callable>
    static std::shared_ptr<FunctionCore> make(std::string name, std::vector<ParameterName> parameters,
                                              Callable callable, FunctionOptions options, Where definedAt) {
        if constexpr (std::is_pointer_v<Callable> || requires { callable.operator bool(); })
            if (!callable)
                throw UsageError("[" + name + "] expected a callable, got an empty one" +
                                 placeText(definedAt));
        if (parameters.size() != sizeof...(A))
            throw UsageError("[" + name + "] expected " + std::to_string(sizeof...(A)) +
                             " parameter names, one per parameter of the callable, got " +
                             std::to_string(parameters.size()) + placeText(definedAt));
        constexpr std::array<Value (*)(Value, const std::string&, bool), sizeof...(A)> asParameter{
            &detail::asParameter<A>...};
        constexpr std::array<bool, sizeof...(A)> isRest{detail::kIsRest<A>...};
        constexpr std::array<bool, sizeof...(A)> isNamedRest{detail::kIsNamedRest<A>...};
        bool isBehindRest = false;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            parameters[i].asParameter = asParameter[i];
            types::ParameterKind& kind = parameters[i].kind;
            if (isRest[i])
                kind = types::ParameterKind::VarPositional;
            else if (isNamedRest[i])
                kind = types::ParameterKind::VarKeyword;
            else if (isBehindRest && kind == types::ParameterKind::PositionalOrKeyword)
                kind = types::ParameterKind::KeywordOnly;
            isBehindRest = isBehindRest || isRest[i];
        }
        auto body = [callable = std::move(callable), name](std::span<const Value> values) mutable {
            return invoke(callable, values, std::index_sequence_for<A...>());
        };
        return std::make_shared<FunctionCore>(std::move(name), std::move(parameters), std::move(body),
                                              std::move(options), definedAt);
    }

    template <class One>
    static One argumentFrom(const Value& value, std::size_t parameter) {
        try {
            return fromValue<One>(value);
        } catch (detail::WrongValue& wrong) {
            wrong.parameter = parameter;
            throw;
        }
    }

    template <class Callable, std::size_t... I>
    static Value invoke(Callable& callable, std::span<const Value> values, std::index_sequence<I...>) {
        if constexpr (std::is_void_v<R>) {
            callable(argumentFrom<A>(values[I], I)...);
            return {};
        } else {
            return Value(callable(argumentFrom<A>(values[I], I)...));
        }
    }

    template <class One>
    [[gnu::always_inline]] void requireKept([[maybe_unused]] const One& taken,
                                            [[maybe_unused]] std::size_t parameter,
                                            [[maybe_unused]] Where where) const {
        if constexpr (detail::kIsTakenNumber<One>)
            if (!taken.isKept()) [[unlikely]]
                m_core->refuseArgument(parameter, taken.problem(), where);
    }

    [[gnu::always_inline]] Result callInFull(Where where, const A&... arguments) const {
        if (functionsRunEagerly()) [[unlikely]]
            return callEagerly({{Value(arguments)...}, {}, where});
        if constexpr (kIsFlat) {
            const std::array<std::uint64_t, kWordCount> words{detail::wordOf(arguments)...};
            if (const Served* served = m_core->find(std::span(words))) [[likely]]
                return runFlatHit(*served, where, arguments...);
            return callSlowly({{Value(arguments)...}, {}, where}, words);
        } else {
            detail::KeyWords words;
            placed(where, [&] { (words.add(arguments), ...); });
            if (const Served* served = m_core->find(words.all())) [[likely]]
                return runHit(*served, where, arguments...);
            return callSlowly({{Value(arguments)...}, {}, where}, words.all());
        }
    }

    /// For arguments that are tensors and numbers.
    [[gnu::always_inline]] Result runFlatHit(const Served& served, Where where, const A&... arguments) const {
        const ConcreteFunction& concrete = *served.concrete;
        if (concrete.mayCallHost()) [[unlikely]] // it may let go of the arguments meanwhile
            return runHeld(served, where, arguments...);
        constexpr std::size_t kLeaves = (detail::kPlainLeaves<A> + ... + 0);
        std::array<tensor::BorrowedTensors::Place, kLeaves + 1> places;
        tensor::BorrowedTensors leaves(places.data());
        [[maybe_unused]] const auto add = [&]([[maybe_unused]] const auto& argument, bool isThere) {
            if constexpr (std::is_same_v<std::decay_t<decltype(argument)>, Tensor>)
                if (isThere || !argument.isEmpty())
                    leaves.add(argument);
        };
        if (served.leafCount == kLeaves) [[likely]]
            (add(arguments, true), ...);
        else
            (add(arguments, false), ...);
        return runLeaves(concrete, served.plan, leaves.all(), where);
    }

    /// For all arguments.
    Result runHit(const Served& served, Where where, const A&... arguments) const {
        if constexpr ((detail::isInWords<A>() && ...)) {
            if (!served.concrete->mayCallHost() && served.leafCount <= detail::kFewLeaves) {
                std::array<tensor::BorrowedTensors::Place, detail::kFewLeaves> places;
                tensor::BorrowedTensors leaves(places.data());
                AliasNumbers aliases;
                (detail::forEachLeaf(arguments, aliases, [&](const Tensor& leaf) { leaves.add(leaf); }), ...);
                return runLeaves(*served.concrete, served.plan, leaves.all(), where);
            }
        }
        return runHeld(served, where, arguments...);
    }

    /// Holds the tensors while it runs. Without the plan: the key may not tell their kinds.
    Result runHeld(const Served& served, Where where, const A&... arguments) const {
        const std::shared_ptr<FunctionCore> held = m_core; // host code may let go of the function itself
        std::vector<Tensor> leaves;
        AliasNumbers aliases;
        (appendLeaves(Value(arguments), aliases, leaves), ...);
        return runLeaves(*served.concrete, nullptr, leaves, where);
    }

    [[gnu::always_inline]] Result runLeaves(const ConcreteFunction& concrete, const runtime::Plan* plan,
                                            std::span<const Tensor> leaves, Where where) const {
        if constexpr (detail::kMostTensors<Result> != std::dynamic_extent) {
            tensor::FewTensors<detail::kMostTensors<Result>> results;
            const std::span used = results.first(concrete.outputCount());
            m_core->runHit(concrete, plan, leaves, used, where);
            return detail::resultFrom<Result>(concrete, used);
        } else if constexpr (std::is_same_v<Result, std::vector<Tensor>>) {
            std::vector<Tensor> results(concrete.outputCount());
            m_core->runHit(concrete, plan, leaves, results, where);
            return concrete.returnsTensorList() ? std::move(results)
                                                : detail::resultFrom<Result>(concrete, results);
        } else {
            std::array<Tensor, 4> few;
            std::vector<Tensor> many(concrete.outputCount() > few.size() ? concrete.outputCount() : 0);
            const std::span results =
                many.empty() ? std::span(few).first(concrete.outputCount()) : std::span(many);
            m_core->runHit(concrete, plan, leaves, results, where);
            return detail::resultFrom<Result>(concrete, results);
        }
    }

    /// As operator() does, from that line.
    template <class... Given>
    Result callFrom(Where where, const Given&... given) const {
        if constexpr (sizeof...(Given) == sizeof...(A) && !detail::kIsVariadic<A...> &&
                      detail::kIsWrittenInFull<std::tuple<Given...>, std::tuple<A...>>)
            return (*this)(given..., where);
        else
            return callAsWritten(CallArguments::of(given...).from(where));
    }
    template <class>
    friend class Method;

    Result callAsWritten(const CallArguments& arguments) const {
        if (functionsRunEagerly()) [[unlikely]]
            return callEagerly(arguments);
        return callSlowly(arguments, {});
    }

    Result callSlowly(const CallArguments& arguments, std::span<const std::uint64_t> words) const {
        const std::shared_ptr<FunctionCore> held = m_core; // the body may let go of the function itself
        auto [concrete, results] = held->call(arguments, words);
        return detail::resultFrom<Result>(*concrete, results);
    }

    Result callEagerly(const CallArguments& arguments) const {
        return unpacked(std::shared_ptr(m_core)->runEagerly(arguments));
    }
    Result callDirectly(const CallArguments& arguments) const {
        return unpacked(std::shared_ptr(m_core)->runBodyOn(arguments));
    }
    static Result unpacked([[maybe_unused]] const Value& result) {
        if constexpr (!std::is_void_v<Result>)
            return fromValue<Result>(result);
    }

    std::shared_ptr<FunctionCore> m_core;
};

template <class Callable>
Function(std::string, std::vector<ParameterName>, Callable, FunctionOptions = {}, Where = Where::current())
    -> Function<typename detail::SignatureOf<std::decay_t<Callable>>::Type>;

} // namespace retracescope::trace
