#pragma once

#include <iterator>
#include <optional>
#include <utility>

#include <retracescope/engine/trace/ops.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

class Dataset;

/// An element of a dataset, or none if it has ended. Whether there is one may be decided when a graph runs.
class OptionalElement {
public:
    /// `list` has the element's tensors, or nothing; `element` is its structure.
    OptionalElement(Tensor list, types::TypeId element) : m_list(std::move(list)), m_element(element) {}

    /// A bool scalar.
    Tensor hasValue(Where where = Where::current()) const;
    /// The element, as fromValue() makes it. Throws UsageError if there is none; in a traced function, when
    /// the graph runs.
    template <class T = Tensor>
    T value(Where where = Where::current()) const {
        return detail::fromValueOf<T>(structured(where), "DatasetIterator", where);
    }

    /// As a Value.
    Value structured(Where where) const;
    const Tensor& list() const { return m_list; }

private:
    Tensor m_list;
    types::TypeId m_element;
};

/// A walk over a dataset: state that outlives calls. Copies are the same iterator. As an argument it is typed
/// by the structure of its elements, so a traced function goes on with any iterator of that type where it
/// stands. Several threads may use one; each element is given out once.
///
///     DatasetIterator numbers = Dataset::range(3);
///     numbers.next() + numbers.next(); // 0 + 1
///
/// Taking elements is an effect: it happens in program order, once per run of a graph, also where a gradient
/// goes through the loop that takes them. Elements are no sources of gradients.
class DatasetIterator {
public:
    /// No iterator.
    DatasetIterator() = default;
    /// From the first element on. In a traced function a new one for each run.
    DatasetIterator(const Dataset& dataset, Where where = Where::current());

    /// The next element. Throws UsageError that names the dataset at its end; in a traced function, when the
    /// graph runs.
    template <class T = Tensor>
    T next(Where where = Where::current()) const {
        return detail::fromValueOf<T>(pulled(false, where).structured(where), "DatasetIterator", where);
    }
    /// The next element or none.
    OptionalElement nextOptional(Where where = Where::current()) const { return pulled(true, where); }

    /// TensorSpecs in the structure of an element.
    Value elementSpec() const { return isEmpty() ? Value() : specOf(m_element); }
    types::TypeId elementType() const { return m_element; }
    /// What stands for any iterator over such elements, as Dataset::spec() does for datasets.
    static Value spec(const Value& element);

    const Tensor& handle() const { return m_handle; }
    bool isEmpty() const { return m_handle.isEmpty(); }
    /// None if empty.
    operator Value() const {
        return isEmpty() ? Value() : Value(Value::Stream{m_handle, types::iteratorType(m_element)});
    }
    static DatasetIterator fromArgument(const Value& value);

    /// For a loop of the host: see Dataset::elements().
    static DatasetIterator onHost(const Dataset& dataset, Where where);
    std::optional<Value> nextOnHost(Where where) const;

private:
    DatasetIterator(Tensor handle, types::TypeId element) : m_handle(std::move(handle)), m_element(element) {}
    OptionalElement pulled(bool optional, Where where) const;

    Tensor m_handle;
    types::TypeId m_element = types::TypeId::None;
};

/// The elements that an iterator has left, for a C++ loop; goes along them once.
template <class T>
class HostElements {
public:
    class Iterator {
    public:
        using difference_type = std::ptrdiff_t;
        using value_type = T;

        Iterator(DatasetIterator source, Where where) : m_source(std::move(source)), m_where(where) {
            ++*this;
        }
        const T& operator*() const { return *m_element; }
        Iterator& operator++() {
            const std::optional<Value> next = m_source.nextOnHost(m_where);
            m_element = next ? std::optional<T>(detail::fromValueOf<T>(*next, "Dataset.elements", m_where))
                             : std::nullopt;
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return !m_element.has_value(); }

    private:
        DatasetIterator m_source;
        Where m_where;
        std::optional<T> m_element;
    };

    HostElements(DatasetIterator source, Where where) : m_source(std::move(source)), m_where(where) {}
    Iterator begin() const { return Iterator(m_source, m_where); }
    std::default_sentinel_t end() const { return {}; }

private:
    DatasetIterator m_source;
    Where m_where;
};

} // namespace retracescope::trace
