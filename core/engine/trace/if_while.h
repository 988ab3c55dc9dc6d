#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include <retracescope/engine/trace/control_flow.h>
#include <retracescope/engine/trace/local.h>
#include <retracescope/engine/trace/loop.h>

/// if, while and for over tensors, written as in C++: their branches and bodies are lambdas that capture by
/// reference and assign to Local variables. Inside a traced function they become nodes of its graph; outside
/// the host runs them. (Capital letters: the small words belong to the language.)
namespace retracescope::trace {

namespace detail {

/// The predicate of a branch: a bool scalar, a host bool, or a callable that computes one when it is its
/// turn.
template <class Predicate>
Operand predicateOf(Predicate&& predicate, Where where) {
    if constexpr (std::invocable<Predicate>)
        return Operand(predicate(), where);
    else
        return Operand(predicate, where);
}

inline bool isHostBool(const Operand& predicate) {
    return predicate.isHost() && predicate.tensor().dtype() == types::DType::Bool;
}

template <class Result, class Branch>
constexpr void requireResult() {
    static_assert(std::is_same_v<Result, std::invoke_result_t<Branch>>,
                  "all branches of an If must return the same C++ type");
}

/// `then`, or what the rest of the chain comes to: nothing, an else branch, or a further predicate and
/// branch.
template <class Result, class Then, class... Rest>
Value ifChain(const Operand& predicate, Then&& then, Rest&&... rest) {
    requireResult<Result, Then>();
    const auto otherwise = [&]() -> Value {
        if constexpr (sizeof...(Rest) == 0) {
            static_assert(std::is_void_v<Result> || std::is_same_v<Result, Value>,
                          "an If that returns something needs an else branch as its last argument");
            return {};
        } else if constexpr (sizeof...(Rest) == 1) {
            (requireResult<Result, Rest>(), ...);
            return valueOfCall(std::forward<Rest>(rest)...);
        } else {
            return [&]<class Next, class... Further>(Next&& next, Further&&... further) {
                return ifChain<Result>(predicateOf(next, predicate.where()),
                                       std::forward<Further>(further)...);
            }(std::forward<Rest>(rest)...);
        }
    };
    if (isHostBool(predicate))
        return predicate.tensor().template data<bool>()[0] ? valueOfCall(then) : otherwise();
    CondWords words;
    words.op = "If";
    words.isStatement = std::is_void_v<Result>;
    return condValue(
        predicate.tensor(), [&] { return valueOfCall(then); }, otherwise, predicate.where(), words);
}

} // namespace detail

/// if, else if, else: pairs of a predicate and a branch, and perhaps a last branch for all other cases.
///
///     If(x > 0.0f, [&] { y = x; });
///     If(x > 0.0f, [&] { y = x; }, [&] { y = -x; });
///     If(x > 0.0f, [&] { y = x; },
///        [&] { return x < -10.0f; }, [&] { y = x * 2.0f; },
///        [&] { y = -x; });
///
/// A predicate is a bool scalar, or a callable that returns one and is asked only if those before it were
/// false. A host bool is decided while tracing. Branches return nothing or all the same type, which If then
/// returns; so a `return` out of one branch alone does not compile, or is refused if it is a Value. Throws
/// UsageError as cond() does, and in a traced function for an If that returns nothing, assigns no Local and
/// has no effect.
template <class Then, class... Rest>
auto If(const Operand& predicate, Then&& then, Rest&&... rest) {
    using Result = std::invoke_result_t<Then>;
    if constexpr (std::is_void_v<Result>)
        detail::ifChain<Result>(predicate, std::forward<Then>(then), std::forward<Rest>(rest)...);
    else
        return fromValue<detail::Held<Result>>(
            detail::ifChain<Result>(predicate, std::forward<Then>(then), std::forward<Rest>(rest)...));
}

/// Given to the body of a loop that wants it, for what `break` does in C++.
class Loop {
public:
    explicit Loop(Where where = Where::current()) : m_ends(false, where) {}

    /// Makes the trip under way the last one; what follows in the body still runs, so put it into the other
    /// branch. In a staged loop the condition is not asked again.
    void endAfterThisTrip() { m_ends = true; }

    const Local<>& ends() const { return m_ends; }

private:
    Local<> m_ends;
};

namespace detail {

/// Runs a body that takes `argument...` and perhaps the loop, and refuses a value that it returns.
template <class Body, class... Arguments>
void runBody(const char* op, Body& body, Loop& loop, Where where, const Arguments&... arguments) {
    const auto run = [&](auto&&... all) {
        using Result = std::invoke_result_t<Body&, decltype(all)...>;
        static_assert(std::is_void_v<Result> || std::is_same_v<Result, Value>,
                      "the body of a loop returns nothing: assign to a Local, and end the loop by its "
                      "condition or Loop::endAfterThisTrip()");
        const Value returned = valueOfCall(body, all...);
        const auto* literal = returned.as<types::Literal>();
        if (literal == nullptr || !literal->isNone())
            refuse(op,
                   "the body returns a value, but a loop is not left by return; assign it to a Local and "
                   "end the loop by its condition or Loop::endAfterThisTrip()",
                   where);
    };
    if constexpr (std::invocable<Body&, const Arguments&..., Loop&>)
        run(arguments..., loop);
    else
        run(arguments...);
}

template <class Body, class... Arguments>
inline constexpr bool kTakesLoop = std::invocable<Body&, const Arguments&..., Loop&>;

/// `condition`, unless the loop is to end.
template <bool takesLoop, class Condition>
Value goesOn(const Loop& loop, Condition&& condition, Where where) {
    if constexpr (takesLoop)
        return condValue(
            loop.ends().read(where), [&] { return Value(constant(false, where)); },
            [&] { return Value(Tensor(condition())); }, where);
    else
        return Value(Tensor(condition()));
}

} // namespace detail

struct WhileOptions {
    /// The loop ends after so many trips, whatever the condition says.
    std::optional<std::int64_t> maximumIterations = std::nullopt;
};

/// Repeats `body` while `condition`, a bool scalar, is true. The body may take the Loop.
///
///     Local i = 0, sum = 0;
///     While([&] { return i < n; }, [&] { sum += i; i += 1; });
///
/// Throws UsageError as whileLoop() does, and in a traced function for a body that assigns no Local and has
/// no effect: it would never end.
template <class Condition, class Body>
void While(Condition&& condition, Body&& body, const WhileOptions& options = {},
           Where where = Where::current()) {
    static_assert(!std::is_same_v<std::invoke_result_t<Condition>, bool>,
                  "the condition of While must return a tensor: a host bool is decided while tracing, so "
                  "write a C++ while");
    Loop loop(where);
    whileValue([&](const Value&) { return detail::goesOn<detail::kTakesLoop<Body>>(loop, condition, where); },
               [&](const Value&) {
                   detail::runBody("While", body, loop, where);
                   return Value();
               },
               Value(), {std::nullopt, options.maximumIterations}, where,
               {.op = "While", .isStatement = true});
}

namespace detail {

/// `body` is told the trip's number and the loop.
template <bool takesLoop, class Body>
void forTrips(const char* op, const Tensor& end, Body&& body, Where where) {
    Loop loop(where);
    whileValue(
        [&](const Value& trip) {
            return goesOn<takesLoop>(
                loop, [&] { return less(Operand(*trip.as<Tensor>(), where), Operand(end, where)); }, where);
        },
        [&](const Value& trip) {
            body(*trip.as<Tensor>(), loop);
            return Value(add(Operand(*trip.as<Tensor>(), where), Operand(std::int64_t{1}, where)));
        },
        Value(constant(std::int64_t{0}, where)), {}, where, {.op = op, .isStatement = true});
}

} // namespace detail

/// `count` trips; the body takes the trip's number, an int64 scalar from 0, and perhaps the Loop.
///
///     For(n, [&](Tensor i) { sum += cast(i, DType::Float32); });
template <class Body>
void For(const Operand& count, Body&& body, Where where = Where::current()) {
    detail::forTrips<detail::kTakesLoop<Body, Tensor>>(
        "For", tripsOf(count, "For"),
        [&](const Tensor& trip, Loop& loop) { detail::runBody("For", body, loop, where, trip); }, where);
}

/// One trip for each row of `rows` along its leading axis; the body takes the row, and perhaps the Loop.
///
///     ForEach(points, [&](Tensor point) { most = maximum(most, reduceSum(point)); });
template <class Body>
void ForEach(const Operand& rows, Body&& body, Where where = Where::current()) {
    const TensorArray all = rowsOf(rows.tensor(), "ForEach", where);
    detail::forTrips<detail::kTakesLoop<Body, Tensor>>(
        "ForEach", cast(Operand(all.size(where), where), types::DType::Int64),
        [&](const Tensor& trip, Loop& loop) {
            detail::runBody("ForEach", body, loop, where, all.read(Operand(trip, where)));
        },
        where);
}

} // namespace retracescope::trace
