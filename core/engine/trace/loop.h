#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <retracescope/engine/trace/tensor_array.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// How a staged loop is traced.
struct LoopOptions {
    /// TensorSpecs in the structure of the loop's values: what each may become. Without it a value keeps its
    /// first shape.
    std::optional<Value> shapeInvariants = std::nullopt;
    /// The loop ends after so many trips, whatever the condition says.
    std::optional<std::int64_t> maximumIterations = std::nullopt;
};

/// How messages about a loop speak of it.
struct LoopWords {
    std::string op = "whileLoop";
    /// The user's values are the second item of a pair, beside what the loop counts with; so many times.
    int pairs = 0;
    /// It stands for what it does: a body that assigns no Local and has no effect is refused.
    bool isStatement = false;
};

/// Repeats `value = body(value)` while `condition(value)`, a bool scalar, is true; returns the last value.
/// Inside a traced function condition and body are traced once each and the graph loops; outside the host
/// loops. Host numbers among the values become tensors. Staged, every tensor of the value keeps its dtype,
/// and its shape up to the invariants; structure never changes. The same goes for every local (local.h) that
/// the body assigns. Throws UsageError that names the value ("value 2 of 3") or local that breaks this with
/// both types.
Value whileValue(const std::function<Value(const Value&)>& condition,
                 const std::function<Value(const Value&)>& body, const Value& initial,
                 const LoopOptions& options, Where where, const LoopWords& words = {});

/// One value:
///
///     whileLoop([](Tensor x) { return reduceSum(x) < 100.0f; }, [](Tensor x) { return x * 2.0f; }, x);
template <class Condition, class Body>
Tensor whileLoop(Condition&& condition, Body&& body, const Tensor& initial, const LoopOptions& options = {},
                 Where where = Where::current()) {
    return fromValue<Tensor>(
        whileValue([&](const Value& value) { return Value(condition(fromValue<Tensor>(value))); },
                   [&](const Value& value) { return Value(body(fromValue<Tensor>(value))); }, Value(initial),
                   options, where));
}

/// Several values, in and out as a tuple; condition and body take them one by one:
///
///     auto [i, sum] = whileLoop([&](Tensor i, Tensor) { return i < n; },
///                               [](Tensor i, Tensor sum) { return std::tuple(i + 1, sum + i); },
///                               std::tuple(0, 0));
template <class Condition, class Body, class... T>
auto whileLoop(Condition&& condition, Body&& body, const std::tuple<T...>& initial,
               const LoopOptions& options = {}, Where where = Where::current()) {
    using Values = std::tuple<detail::Held<T>...>;
    return fromValue<Values>(
        whileValue([&](const Value& value) { return Value(std::apply(condition, fromValue<Values>(value))); },
                   [&](const Value& value) { return Value(std::apply(body, fromValue<Values>(value))); },
                   Value(initial), options, where));
}

/// The count of a loop as an int64 scalar. Throws UsageError of `op` for anything but an integer scalar.
Tensor tripsOf(const Operand& count, std::string_view op);

/// The same for `count` trips: the body takes the trip's number, an int64 scalar from 0, and the value. Shape
/// invariants are the value's alone.
Value forRangeValue(const Operand& count, const std::function<Value(const Tensor&, const Value&)>& body,
                    const Value& initial, const LoopOptions& options, Where where,
                    const LoopWords& words = {"forRange"});

/// The same with one trip per row of `rows` along its leading axis: the body takes the row and the value.
/// Throws UsageError for a scalar, which has no rows.
Value forEachValue(const Tensor& rows, const std::function<Value(const Tensor&, const Value&)>& body,
                   const Value& initial, const LoopOptions& options, Where where,
                   const LoopWords& words = {"forEach"});

/// One value:
///
///     forEach(x, [](Tensor row, Tensor sum) { return sum + row; }, constant(0.0f));
template <class Body>
Tensor forEach(const Operand& rows, Body&& body, const Tensor& initial, const LoopOptions& options = {},
               Where where = Where::current()) {
    return fromValue<Tensor>(forEachValue(
        rows.tensor(),
        [&](const Tensor& row, const Value& value) { return Value(body(row, fromValue<Tensor>(value))); },
        Value(initial), options, where));
}

/// Several values, in and out as a tuple; the body takes the row and then them.
template <class Body, class... T>
auto forEach(const Operand& rows, Body&& body, const std::tuple<T...>& initial,
             const LoopOptions& options = {}, Where where = Where::current()) {
    using Values = std::tuple<detail::Held<T>...>;
    return fromValue<Values>(forEachValue(
        rows.tensor(),
        [&](const Tensor& row, const Value& value) {
            return Value(std::apply(body, std::tuple_cat(std::tuple(row), fromValue<Values>(value))));
        },
        Value(initial), options, where));
}

/// The rows of a tensor along its leading axis. Throws UsageError that starts with `user` for a scalar, which
/// has none.
TensorArray rowsOf(const Tensor& x, std::string_view user, Where where);

/// The rows of an eager tensor along its leading axis, for a loop of the host. Throws UsageError for a
/// symbolic tensor, whose rows are known to forEach() only, and for a scalar.
std::vector<Tensor> hostRows(const Tensor& x, Where where = Where::current());

/// The same for `count` trips: the body takes the trip's number, an int64 scalar from 0, and then the values.
///
///     forRange(n, [](Tensor i, Tensor sum) { return sum + cast(i, DType::Float32); }, constant(0.0f));
template <class Body>
Tensor forRange(const Operand& count, Body&& body, const Tensor& initial, const LoopOptions& options = {},
                Where where = Where::current()) {
    return fromValue<Tensor>(forRangeValue(
        count,
        [&](const Tensor& i, const Value& value) { return Value(Tensor(body(i, fromValue<Tensor>(value)))); },
        Value(initial), options, where));
}

} // namespace retracescope::trace
