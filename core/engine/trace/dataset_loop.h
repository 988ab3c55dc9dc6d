#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include <retracescope/engine/trace/dataset.h>
#include <retracescope/engine/trace/loop.h>

namespace retracescope::trace {

/// A loop with one trip per element that the iterator has left: the body takes the element and the value.
/// Staged in a traced function, as whileValue() is, with the same rules. Shape invariants are the value's
/// alone. After `maximumIterations` trips no further element is taken.
Value forEachValue(const DatasetIterator& elements,
                   const std::function<Value(const Value& element, const Value& value)>& body,
                   const Value& initial, const LoopOptions& options, Where where);

/// One value. The body takes an element, or the items of a tuple, and the value, and must name their types.
/// Of a dataset all elements, from the first on:
///
///     forEach(dataset, [](Tensor x, Tensor y, Tensor loss) { return loss + abs(x - y); }, constant(0.0f));
template <class Body>
Tensor forEach(const DatasetIterator& elements, Body&& body, const Tensor& initial,
               const LoopOptions& options = {}, Where where = Where::current()) {
    using Element = detail::ElementParameters<Body, 1>;
    return fromValue<Tensor>(forEachValue(
        elements,
        [&](const Value& element, const Value& value) {
            return Value(
                std::apply(body, std::tuple_cat(detail::elementAs<Element>(element, "forEach", where),
                                                std::tuple(fromValue<Tensor>(value)))));
        },
        Value(initial), options, where));
}

/// Several values, in and out as a tuple; the body takes the element and then them.
template <class Body, class... T>
auto forEach(const DatasetIterator& elements, Body&& body, const std::tuple<T...>& initial,
             const LoopOptions& options = {}, Where where = Where::current()) {
    using Values = std::tuple<detail::Held<T>...>;
    using Element = detail::ElementParameters<Body, sizeof...(T)>;
    return fromValue<Values>(forEachValue(
        elements,
        [&](const Value& element, const Value& value) {
            return Value(
                std::apply(body, std::tuple_cat(detail::elementAs<Element>(element, "forEach", where),
                                                fromValue<Values>(value))));
        },
        Value(initial), options, where));
}

} // namespace retracescope::trace
