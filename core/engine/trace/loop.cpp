#include <retracescope/engine/trace/loop.h>

#include <map>
#include <memory>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/misfit.h>
#include <retracescope/engine/trace/tensor_array.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

/// A condition's answer as a bool scalar.
Tensor decision(const Value& answer, Where where) {
    if (const auto* literal = answer.as<types::Literal>()) {
        if (const bool* flag = std::get_if<bool>(&literal->value()))
            return constant(*flag, where);
    }
    const Tensor* tensor = answer.as<Tensor>();
    if (!tensor || tensor->isEmpty() || tensor->dtype() != types::DType::Bool || tensor->shape().rank() > 0)
        throw UsageError(fmt::format("[while] expected a bool scalar from the condition, got {}{}",
                                     types::toText(typeOfValue(answer)), placeText(where)));
    return *tensor;
}

Value hostLoop(const std::function<Value(const Value&)>& condition,
               const std::function<Value(const Value&)>& body, Value value, const LoopOptions& options,
               Where where) {
    const std::int64_t most = options.maximumIterations.value_or(-1);
    value = eagerResultOf(value, "while");
    for (std::int64_t trip = 0; trip != most && decision(condition(value), where).data<bool>()[0]; ++trip)
        value = eagerResultOf(body(value), "while");
    return value;
}

/// Condition and body on their way into the graph: both take the loop's leaves, then what they use from
/// outside.
class StagedLoop {
public:
    StagedLoop(Tracer& outer, const Value& initial, const LoopOptions& options, Where where)
        : m_outer(outer), m_initial(resultOf(initial, outer, "while")), m_type(typeOfValue(m_initial)),
          m_where(where) {
        if (!options.shapeInvariants)
            return;
        const types::TypeId wanted = typeOfValue(*options.shapeInvariants);
        requireFit(m_type, wanted, "the first value does not fit the shape invariants");
        m_type = wanted;
    }

    Value run(const std::function<Value(const Value&)>& condition,
              const std::function<Value(const Value&)>& body);

private:
    void requireFit(types::TypeId given, types::TypeId wanted, std::string_view otherwise) const {
        const auto misfit = findMisfit(
            given, wanted, [](types::TypeId a, types::TypeId b) { return types::isSubtype(a, b); }, "value");
        if (misfit)
            throw UsageError(fmt::format("[while] {}: {}: {}, expected {}{}", otherwise, misfit->path,
                                         misfit->first, misfit->second, placeText(m_where)));
    }
    Value placeholders(Tracer& tracer) const {
        std::map<std::uint32_t, Tensor> handles;
        return placeholderFor(m_initial, m_type, "value", tracer, handles);
    }

    Tracer& m_outer;
    const Value m_initial; ///< tensors only
    types::TypeId m_type;
    Where m_where;
};

Value StagedLoop::run(const std::function<Value(const Value&)>& condition,
                      const std::function<Value(const Value&)>& body) {
    const std::vector<Tensor> start = leavesOf(m_initial);
    std::vector<Tensor> lifted;
    ir::Graph conditionGraph;
    ir::Graph bodyGraph;
    {
        Tracer tracer(m_outer.name() + "/while", Tracer::Role::Branch, m_outer.creation());
        const Tensor answer = decision(condition(placeholders(tracer)), m_where);
        tracer.graph().setOutputs(std::array{tracer.nodeOf(answer, "while")});
        lifted = tracer.lifted();
        conditionGraph = tracer.takeGraph();
    }
    {
        Tracer tracer(m_outer.name() + "/body", Tracer::Role::Branch, m_outer.creation());
        const Value values = placeholders(tracer);
        tracer.liftAlso(lifted);
        const Value next = resultOf(body(values), tracer, tracer.name());
        requireFit(typeOfValue(next), m_type,
                   "the body changes the type of a value; give a shape invariant if only its shape changes");
        std::vector<ir::NodeId> outputs;
        for (const Tensor& leaf : leavesOf(next))
            outputs.push_back(tracer.nodeOf(leaf, "while"));
        tracer.graph().setOutputs(outputs);
        // What only the body uses becomes a further input of the condition.
        for (std::size_t i = lifted.size(); i < tracer.lifted().size(); ++i)
            conditionGraph.addInput(tracer.lifted()[i].type(), fmt::format("unused_{}", i));
        lifted = tracer.lifted();
        bodyGraph = tracer.takeGraph();
    }
    std::vector<ir::NodeId> arguments;
    for (const Tensor& tensor : start)
        arguments.push_back(m_outer.nodeOf(tensor, "while"));
    for (const Tensor& tensor : lifted)
        arguments.push_back(m_outer.nodeOf(tensor, "while"));
    ir::Graph& graph = m_outer.graph();
    graph.setSource(m_where.file_name(), m_where.function_name(), m_where.line());
    const ir::NodeId node =
        graph.addWhile(std::make_shared<const ir::Graph>(std::move(conditionGraph)),
                       std::make_shared<const ir::Graph>(std::move(bodyGraph)), arguments, start.size());
    const std::vector<Tensor> results = resultsInTrace(m_outer, node);
    std::size_t next = 0;
    return packed(m_type, results, next);
}

// A loop whose value has a counter beside it.

Value withCounter(const Value& initial, Where where) {
    return Value(std::tuple(constant(std::int64_t{0}, where), initial));
}

LoopOptions withCounter(LoopOptions options) {
    if (options.shapeInvariants)
        options.shapeInvariants =
            Value(std::tuple(TensorSpec{types::DType::Int64, {}, {}}, *options.shapeInvariants));
    return options;
}

Value valueOf(const Value& pair) {
    return pair.as<Value::Sequence>()->items[1];
}

Tensor tripOf(const Value& pair) {
    return *pair.as<Value::Sequence>()->items[0].as<Tensor>();
}

void requireRows(std::string_view user, const Tensor& x, Where where) {
    if (!x.isEmpty() && (!x.shape().hasRank() || x.shape().rank() > 0))
        return;
    throw UsageError(fmt::format("[{}] expected a tensor with a leading axis to go along, got {}{}", user,
                                 x.isEmpty() ? "an empty tensor" : types::toText(x.type()),
                                 placeText(where)));
}

} // namespace

Value whileValue(const std::function<Value(const Value&)>& condition,
                 const std::function<Value(const Value&)>& body, const Value& initial,
                 const LoopOptions& options, Where where) {
    Tracer* const tracer = Tracer::current();
    if (!tracer)
        return hostLoop(condition, body, initial, options, where);
    if (!options.maximumIterations)
        return StagedLoop(*tracer, initial, options, where).run(condition, body);
    const std::int64_t most = *options.maximumIterations; // a counter beside the value ends the loop
    return valueOf(
        StagedLoop(*tracer, withCounter(initial, where), withCounter(options), where)
            .run(
                [&](const Value& pair) {
                    return Value(logicalAnd(tripOf(pair) < most, decision(condition(valueOf(pair)), where)));
                },
                [&](const Value& pair) {
                    return Value(std::tuple(tripOf(pair) + std::int64_t{1}, body(valueOf(pair))));
                }));
}

Value forEachValue(const Tensor& rows, const std::function<Value(const Tensor&, const Value&)>& body,
                   const Value& initial, const LoopOptions& options, Where where) {
    requireRows("forEach", rows, where);
    const TensorArray all = TensorArray::unstack(rows, where);
    const Tensor count = cast(all.size(where), types::DType::Int64);
    return valueOf(whileValue([&](const Value& pair) { return Value(tripOf(pair) < count); },
                              [&](const Value& pair) {
                                  const Tensor trip = tripOf(pair);
                                  return Value(
                                      std::tuple(trip + std::int64_t{1},
                                                 body(all.read(Operand(trip, where)), valueOf(pair))));
                              },
                              withCounter(initial, where), withCounter(options), where));
}

std::vector<Tensor> hostRows(const Tensor& x, Where where) {
    requireRows("hostRows", x, where);
    if (x.isSymbolic())
        throw UsageError(fmt::format("[hostRows] the rows of a symbolic {} are not known while a function is "
                                     "traced; loop with forEach{}",
                                     types::toText(x.type()), placeText(where)));
    const EagerScope eager;
    const TensorArray all = TensorArray::unstack(x, where);
    std::vector<Tensor> rows;
    for (std::int64_t i = 0; i < x.shape()[0]; ++i)
        rows.push_back(all.read(Operand(i, where)));
    return rows;
}

} // namespace retracescope::trace
