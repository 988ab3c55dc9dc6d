#include <retracescope/engine/trace/loop.h>

#include <map>
#include <memory>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/misfit.h>
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
    for (std::int64_t trip = 0; trip != most && decision(condition(value), where).data<bool>()[0]; ++trip)
        value = body(value);
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

} // namespace

Value whileValue(const std::function<Value(const Value&)>& condition,
                 const std::function<Value(const Value&)>& body, const Value& initial,
                 const LoopOptions& options, Where where) {
    Tracer* const tracer = Tracer::current();
    if (!tracer)
        return hostLoop(condition, body, initial, options, where);
    if (!options.maximumIterations)
        return StagedLoop(*tracer, initial, options, where).run(condition, body);
    // A counter beside the value ends the loop.
    LoopOptions counted;
    if (options.shapeInvariants)
        counted.shapeInvariants =
            Value(std::tuple(TensorSpec{types::DType::Int64, {}, {}}, *options.shapeInvariants));
    const std::int64_t most = *options.maximumIterations;
    const auto valueOf = [](const Value& pair) { return pair.as<Value::Sequence>()->items[1]; };
    const auto tripOf = [](const Value& pair) { return *pair.as<Value::Sequence>()->items[0].as<Tensor>(); };
    const Value result =
        StagedLoop(*tracer, Value(std::tuple(constant(std::int64_t{0}, where), initial)), counted, where)
            .run(
                [&](const Value& pair) {
                    return Value(logicalAnd(tripOf(pair) < most, decision(condition(valueOf(pair)), where)));
                },
                [&](const Value& pair) {
                    return Value(std::tuple(tripOf(pair) + std::int64_t{1}, body(valueOf(pair))));
                });
    return valueOf(result);
}

} // namespace retracescope::trace
