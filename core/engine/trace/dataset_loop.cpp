#include <retracescope/engine/trace/dataset_loop.h>

#include <array>

#include <retracescope/engine/tensor/list.h>
#include <retracescope/engine/trace/control_flow.h>

namespace retracescope::trace {

namespace {

/// What the loop has beside its value: the number of the trip and the element for it, if there is one.
class Trip {
public:
    Trip(const DatasetIterator& elements, std::optional<std::int64_t> most, Where where)
        : m_elements(elements), m_most(most), m_where(where) {}

    Value first() const { return at(constant(std::int64_t{0}, m_where)); }
    Value after(const Value& trip) const {
        return at(add(Operand(numberOf(trip), m_where), Operand(std::int64_t{1}, m_where)));
    }
    OptionalElement elementOf(const Value& trip) const {
        return {*trip.as<Value::Sequence>()->items[1].as<Tensor>(), m_elements.elementType()};
    }
    static Value spec() {
        return Value(
            std::tuple(TensorSpec{types::DType::Int64, {}, {}}, TensorSpec{types::DType::Variant, {}, {}}));
    }

private:
    static Tensor numberOf(const Value& trip) { return *trip.as<Value::Sequence>()->items[0].as<Tensor>(); }

    Value at(const Tensor& number) const {
        const auto pull = [&] { return m_elements.nextOptional(m_where).list(); };
        return Value(std::tuple(number, !m_most
                                            ? pull()
                                            : cond(
                                                  less(Operand(number, m_where), Operand(*m_most, m_where)),
                                                  pull, [&] { return none(); }, m_where)));
    }
    Tensor none() const {
        const Tensor size = constant(std::int64_t{0}, m_where);
        return apply(ir::Op::ListReserve, std::span(&size, 1), {}, m_where);
    }

    const DatasetIterator& m_elements;
    const std::optional<std::int64_t> m_most;
    const Where m_where;
};

const Value& itemOf(const Value& pair, std::size_t index) {
    return pair.as<Value::Sequence>()->items[index];
}

} // namespace

Value forEachValue(const DatasetIterator& elements,
                   const std::function<Value(const Value& element, const Value& value)>& body,
                   const Value& initial, const LoopOptions& options, Where where) {
    const Trip trip(elements, options.maximumIterations, where);
    LoopOptions inner;
    if (options.shapeInvariants)
        inner.shapeInvariants = Value(std::tuple(Trip::spec(), *options.shapeInvariants));
    return itemOf(
        whileValue([&](const Value& pair) { return Value(trip.elementOf(itemOf(pair, 0)).hasValue(where)); },
                   [&](const Value& pair) {
                       const Value element = trip.elementOf(itemOf(pair, 0)).structured(where);
                       const Value next = body(element, itemOf(pair, 1));
                       return Value(std::tuple(trip.after(itemOf(pair, 0)), next));
                   },
                   Value(std::tuple(trip.first(), initial)), inner, where, {"forEach", 1}),
        1);
}

} // namespace retracescope::trace
