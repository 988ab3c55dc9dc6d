#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <retracescope/engine/trace/dataset_iterator.h>
#include <retracescope/engine/trace/function.h>
#include <retracescope/engine/trace/ops.h>

namespace retracescope::trace {

namespace detail {

/// The first types of a tuple, all but `kBehind`.
template <class Tuple, std::size_t kBehind>
struct LeadingTypes;
template <class... T, std::size_t kBehind>
    requires(sizeof...(T) > kBehind)
struct LeadingTypes<std::tuple<T...>, kBehind> {
    template <std::size_t... I>
    static std::tuple<std::tuple_element_t<I, std::tuple<T...>>...> pick(std::index_sequence<I...>);
    using Type = decltype(pick(std::make_index_sequence<sizeof...(T) - kBehind>()));
};

template <class Signature>
struct ParametersOf;
template <class R, class... A>
struct ParametersOf<R(A...)> {
    using Type = std::tuple<A...>;
};

/// The parameters of a callable that take an element: all but the last `kBehind`, whose types it must name.
template <class Callable, std::size_t kBehind = 0>
using ElementParameters =
    typename LeadingTypes<typename ParametersOf<typename SignatureOf<std::decay_t<Callable>>::Type>::Type,
                          kBehind>::Type;

/// An element for these parameters: one takes it whole, several take the items of a tuple.
template <class Parameters>
Parameters elementAs(const Value& element, std::string_view op, Where where) {
    if constexpr (std::tuple_size_v<Parameters> == 1)
        return Parameters(fromValueOf<std::tuple_element_t<0, Parameters>>(element, op, where));
    else
        return fromValueOf<Parameters>(element, op, where);
}

} // namespace detail

/// A recipe for a sequence of elements, which are tensors or structures of them (tuples, std::vector,
/// std::map, structs with traceFields()). A dataset never changes; its stages return another one. Elements
/// are made one by one when an iterator asks for them.
///
///     const Dataset squares = Dataset::range(10).map([](Tensor x) { return x * x; }).batch(4);
///     for (const Tensor& batch : squares)
///         print("batch", {batch});
///
/// Works eagerly and, inside a traced function, from symbolic tensors, too: the stages are then nodes of the
/// graph. As an argument it is typed by the structure of its elements, their dtypes and shapes, and not by
/// which dataset it is or how many elements it has; forEach() (dataset_loop.h) loops over it. Elements are
/// no sources of gradients. Numbers of elements and sizes are int32 or int64 scalars. Throws UsageError for
/// one that makes no sense, when the stage runs.
class Dataset {
public:
    /// No dataset.
    Dataset() = default;

    /// 0, 1, ... up to `stop`, which is left out: int64 scalars.
    static Dataset range(const Operand& stop);
    /// start, start + step, ... up to `stop`, which is left out. `step` may be negative, but not 0.
    static Dataset range(const Operand& start, const Operand& stop, const Operand& step = 1);
    /// One element: tensors, host numbers, or a structure of them.
    static Dataset fromTensors(const Value& element, Where where = Where::current());
    /// The rows of tensors along their leading axes, which must be of one size; of a structure, structures of
    /// rows.
    static Dataset fromTensorSlices(const Value& tensors, Where where = Where::current());
    /// What a callable of the host returns until it returns none. `begin` is called at the start of each pass
    /// and returns that callable. `element` says with TensorSpecs what it makes; host numbers become its
    /// dtypes. Anything else that it returns throws UsageError, from the iterator. It runs on the thread that
    /// asks for the element.
    static Dataset fromGenerator(std::function<std::function<std::optional<Value>()>()> begin,
                                 const Value& element, Where where = Where::current());
    /// Tuples of an element of each, until the first of them ends.
    static Dataset zip(const std::vector<Dataset>& datasets, Where where = Where::current());
    /// What stands for any dataset of such elements, TensorSpecs, in an input signature and where a concrete
    /// function is asked for.
    static Value spec(const Value& element);

    /// `size` elements at a time, each tensor of them joined along a new leading axis. Elements of one batch
    /// must have one shape. The last batch may be smaller, so that the size of the axis is not known, unless
    /// `dropRemainder` leaves it out.
    Dataset batch(const Operand& size, bool dropRemainder = false) const;
    /// Every element is taken at random out of a buffer of that many, which the elements of this dataset pass
    /// through in order; the whole is shuffled if the buffer is as large. The order depends on nothing but
    /// the seed and, unless `reshuffleEachIteration` is false, on how many passes over the returned dataset
    /// began before: so repeat() behind it, and the next loop over it, have another order each.
    Dataset shuffle(const Operand& bufferSize, std::int64_t seed, bool reshuffleEachIteration = true) const;
    /// `count` passes one after the other; without a count, for ever.
    Dataset repeat(const Operand& count = -1) const;
    /// The first `count` elements; all if there are fewer.
    Dataset take(const Operand& count) const;
    /// All but the first `count` elements.
    Dataset skip(const Operand& count) const;
    /// What `function` makes of each. It is traced once, here, for the structure of the elements, and takes
    /// an element or, with several parameters, the items of a tuple; it must name their types. It may use
    /// tensors and variables from outside.
    template <class Callable>
    Dataset map(Callable&& function, Where where = Where::current()) const {
        return mapValue(elementBody(function, "map", where), where);
    }
    /// The elements for which `predicate`, traced like the function of map(), returns true, a bool scalar.
    template <class Callable>
    Dataset filter(Callable&& predicate, Where where = Where::current()) const {
        return filterValue(elementBody(predicate, "filter", where), where);
    }
    /// Tuples of a number, counted from `start` as an int64 scalar, and an element.
    Dataset enumerate(const Operand& start = 0) const;

    Dataset mapValue(const std::function<Value(const Value&)>& function, Where where) const;
    Dataset filterValue(const std::function<Value(const Value&)>& predicate, Where where) const;

    static constexpr std::int64_t kInfinite = -1;
    static constexpr std::int64_t kUnknown = -2;
    /// How many elements a pass has, an int64 scalar: kInfinite, or kUnknown behind a filter or generator.
    Tensor cardinality(Where where = Where::current()) const;
    /// TensorSpecs in the structure of an element.
    Value elementSpec() const { return isEmpty() ? Value() : specOf(m_element); }
    types::TypeId elementType() const { return m_element; }

    /// For C++ loops: each element as a T, for instance std::tuple<Tensor, Tensor>. In a traced function such
    /// a loop over a dataset from outside is unrolled; over one that only the graph will have, it throws
    /// UsageError.
    template <class T>
    HostElements<T> elements(Where where = Where::current()) const {
        return HostElements<T>(DatasetIterator::onHost(*this, where), where);
    }
    /// The same of elements that are tensors.
    HostElements<Tensor>::Iterator begin(Where where = Where::current()) const {
        return elements<Tensor>(where).begin();
    }
    std::default_sentinel_t end() const { return {}; }

    const Tensor& handle() const { return m_handle; }
    bool isEmpty() const { return m_handle.isEmpty(); }
    /// None if empty.
    operator Value() const {
        return isEmpty() ? Value() : Value(Value::Stream{m_handle, types::datasetType(m_element)});
    }
    static Dataset fromArgument(const Value& value);

private:
    Dataset(Tensor handle, types::TypeId element) : m_handle(std::move(handle)), m_element(element) {}

    template <class Callable>
    static auto elementBody(Callable& callable, const char* op, Where where) {
        using Parameters = detail::ElementParameters<Callable>;
        return [&callable, op, where](const Value& element) {
            return Value(std::apply(callable, detail::elementAs<Parameters>(element, op, where)));
        };
    }
    Dataset stage(ir::Op op, std::span<const Operand> numbers, const ir::Attributes& attributes,
                  types::TypeId element) const;
    const Tensor& given(std::string_view user, Where where) const;

    Tensor m_handle;
    types::TypeId m_element = types::TypeId::None;
};

} // namespace retracescope::trace
