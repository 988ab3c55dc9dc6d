#include <retracescope/engine/trace/loop.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/passes/rewrite.h>
#include <retracescope/engine/tensor/list.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/local_scope.h>
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
    value = eagerResultOf(value, "while");
    for (std::int64_t trip = 0; trip != most && decision(condition(value), where).data<bool>()[0]; ++trip)
        value = eagerResultOf(body(value), "while");
    return value;
}

/// An input of a condition or body: a node of its graph, or, where the graph does not use it, its type.
struct InputSlot {
    ir::NodeId node = ir::kNoNode;
    types::TensorTypeId type = types::TensorTypeId::None;
};

/// The graph with its inputs in that order.
ir::Graph withInputs(ir::Graph graph, std::span<const InputSlot> slots) {
    const auto used = std::ranges::find(slots, ir::kNoNode, &InputSlot::node) - slots.begin();
    if (std::ranges::equal(graph.inputs(), slots.first(static_cast<std::size_t>(used)), {}, {},
                           &InputSlot::node)) { // as it is, but for what is unused
        for (const InputSlot& slot : slots.subspan(static_cast<std::size_t>(used)))
            graph.addInput(slot.type, fmt::format("unused_{}", graph.inputs().size()));
        return graph;
    }
    passes::Rewrite rewrite(graph);
    for (const InputSlot& slot : slots) {
        if (slot.node == ir::kNoNode)
            rewrite.to().addInput(slot.type, fmt::format("unused_{}", rewrite.to().inputs().size()));
        else
            rewrite.copy(slot.node);
    }
    for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
        if (rewrite.mapped(node) == ir::kNoNode)
            rewrite.copy(node);
    return rewrite.finish();
}

/// What a local that has no value before the loop starts with: zeros, along axes that the body leaves open
/// none.
Tensor zerosLikeLeaf(const Tensor& after, const LocalCell& cell, Where where) {
    if (tensor::holdsResources(after.dtype()))
        throw UsageError(
            fmt::format("[while] {} has no value before the loop; only tensors can do without, so "
                        "declare it with one{}",
                        cell.name(), placeText(where)));
    std::vector<std::int64_t> sizes;
    for (int axis = 0; after.shape().hasRank() && axis < after.shape().rank(); ++axis)
        sizes.push_back(std::max<std::int64_t>(after.shape()[axis], 0)); // unknown is negative
    Tensor zeros = Tensor::uninitialized(types::tensorType(after.dtype(), types::Shape(sizes)));
    if (after.dtype() != types::DType::String)
        std::fill_n(zeros.mutableBytes(),
                    static_cast<std::size_t>(zeros.elements()) * types::dtypeBytes(after.dtype()),
                    std::byte{0});
    return embedded(zeros, where);
}

/// Condition and body on their way into the graph. Both take the loop's leaves, then the locals that the body
/// assigns, then what they use from outside.
class StagedLoop {
public:
    StagedLoop(Tracer& outer, const Value& initial, const LoopOptions& options, Where where, LoopUse use)
        : m_outer(outer), m_initial(resultOf(initial, outer, "while")), m_type(typeOfValue(m_initial)),
          m_where(where), m_use(use) {
        if (!options.shapeInvariants)
            return;
        const types::TypeId wanted = typeOfValue(*options.shapeInvariants);
        requireFit(m_type, wanted, "the first value does not fit the shape invariants", "value");
        m_type = wanted;
    }

    Value run(const std::function<Value(const Value&)>& condition,
              const std::function<Value(const Value&)>& body);

private:
    using Touched = LocalScope::Touched;

    void traceCondition(const std::function<Value(const Value&)>& condition);
    void traceBody(const std::function<Value(const Value&)>& body);
    /// The type of a local from trip to trip.
    types::TypeId typeOf(const Touched& local) const {
        return local.before ? local.type : typeOfValue(*local.after);
    }
    void arrangeInputs();
    void requireFit(types::TypeId given, types::TypeId wanted, std::string_view otherwise,
                    const std::string& name) const {
        const auto misfit = findMisfit(
            given, wanted, [](types::TypeId a, types::TypeId b) { return types::isSubtype(a, b); }, name);
        if (misfit)
            throw UsageError(fmt::format("[while] {}: {}: {}, expected {}{}", otherwise, misfit->path,
                                         misfit->first, misfit->second, placeText(m_where)));
    }
    void requireOutcome() const;
    Value placeholders(Tracer& tracer) const {
        std::map<std::uint32_t, Tensor> handles;
        return placeholderFor(m_initial, m_type, "value", tracer, handles);
    }
    void requireTrips(std::span<const Tensor> results) const;

    Tracer& m_outer;
    const Value m_initial; ///< tensors only
    types::TypeId m_type;
    Where m_where;
    const LoopUse m_use;
    std::vector<Touched> m_touchedByCondition;
    std::vector<Touched> m_assigned;
    std::vector<Touched> m_read;  ///< by condition or body, and never assigned
    bool m_countsTrips = false;   ///< a bool beside the values: whether there was one
    std::vector<Tensor> m_lifted; ///< what both use from outside
    ir::Graph m_condition;
    ir::Graph m_body;
    std::vector<ir::NodeId> m_arguments;
    std::size_t m_carried = 0; ///< of the arguments, those that change
};

void StagedLoop::traceCondition(const std::function<Value(const Value&)>& condition) {
    Tracer tracer(m_outer.name() + "/while", Tracer::Role::Branch, m_outer.creation());
    LocalScope scope(tracer, LocalScope::Kind::Condition);
    const Tensor answer = decision(condition(placeholders(tracer)), m_where);
    tracer.graph().setOutputs(std::array{tracer.nodeOf(answer, "while")});
    m_touchedByCondition = scope.finish();
    m_lifted = tracer.lifted();
    m_condition = tracer.takeGraph();
}

void StagedLoop::traceBody(const std::function<Value(const Value&)>& body) {
    Tracer tracer(m_outer.name() + "/body", Tracer::Role::Branch, m_outer.creation());
    LocalScope scope(tracer, LocalScope::Kind::Body);
    const Value values = placeholders(tracer);
    tracer.liftAlso(m_lifted);
    for (const Touched& touched : m_touchedByCondition)
        scope.touch(*touched.cell);
    const Value next = resultOf(body(values), tracer, tracer.name());
    const auto otherwise =
        "the body changes the type of a value; give a shape invariant if only its shape changes";
    requireFit(typeOfValue(next), m_type, otherwise, "value");
    std::vector<Tensor> outputs = leavesOf(next);
    for (const Touched& touched : scope.finish()) {
        if (!touched.after) {
            if (touched.before)
                m_read.push_back(touched);
            continue;
        }
        requireFit(typeOfValue(*touched.after), typeOf(touched), otherwise, touched.cell->name());
        std::ranges::copy(leavesOf(*touched.after), std::back_inserter(outputs));
        m_countsTrips = m_countsTrips || !touched.before;
        m_assigned.push_back(touched);
    }
    if (m_countsTrips)
        outputs.push_back(tracer.embed(tensor::constant(true), m_where));
    tracer.graph().setOutputs(nodesOf(tracer, outputs, "while"));
    m_lifted = tracer.lifted();
    m_body = tracer.takeGraph();
}

/// Arguments, and the inputs of both graphs in the order of the arguments.
void StagedLoop::arrangeInputs() {
    std::vector<InputSlot> condition;
    std::vector<InputSlot> body;
    const std::size_t values = leavesOf(m_initial).size();
    const auto add = [&](const Tensor& argument, ir::NodeId inCondition, ir::NodeId inBody,
                         types::TensorTypeId type) {
        m_arguments.push_back(m_outer.nodeOf(argument, "while"));
        condition.push_back({inCondition, type});
        body.push_back({inBody, type});
    };
    const auto addLocal = [&](const Touched& local) {
        if (!local.before) {
            for (const Tensor& leaf : leavesOf(*local.after))
                add(zerosLikeLeaf(leaf, *local.cell, m_where), ir::kNoNode, ir::kNoNode, leaf.type());
            return;
        }
        const auto inCondition = std::ranges::find(m_touchedByCondition, local.cell, &Touched::cell);
        const std::vector<Tensor> before = leavesOf(*local.before);
        for (std::size_t i = 0; i < before.size(); ++i)
            add(before[i],
                inCondition == m_touchedByCondition.end() ? ir::kNoNode : inCondition->inputs[i].node(),
                local.inputs[i].node(), local.inputs[i].type());
    };
    const std::vector<Tensor> start = leavesOf(m_initial);
    for (std::size_t i = 0; i < values; ++i)
        add(start[i], m_condition.inputs()[i], m_body.inputs()[i], m_body.typeOf(m_body.inputs()[i]));
    std::ranges::for_each(m_assigned, addLocal);
    if (m_countsTrips)
        add(embedded(tensor::constant(false), m_where), ir::kNoNode, ir::kNoNode,
            tensor::constant(false).type());
    m_carried = m_arguments.size();
    std::ranges::for_each(m_read, addLocal);

    // Of the inputs of a graph, those that are no values and no locals stand for what is lifted, in its
    // order.
    const auto lifted = [&](const ir::Graph& graph, std::span<const InputSlot> known) {
        std::vector<ir::NodeId> nodes;
        for (const ir::NodeId input : graph.inputs())
            if (std::ranges::count(known, input, &InputSlot::node) == 0)
                nodes.push_back(input);
        return nodes;
    };
    const std::vector<ir::NodeId> liftedInCondition = lifted(m_condition, condition);
    const std::vector<ir::NodeId> liftedInBody = lifted(m_body, body);
    for (std::size_t i = 0; i < m_lifted.size(); ++i)
        add(m_lifted[i], i < liftedInCondition.size() ? liftedInCondition[i] : ir::kNoNode, liftedInBody[i],
            m_lifted[i].type());
    m_condition = withInputs(std::move(m_condition), condition);
    m_body = withInputs(std::move(m_body), body);
}

/// A local without a value before the loop has one behind it only if there was a trip.
void StagedLoop::requireTrips(std::span<const Tensor> results) const {
    std::string names;
    for (const Touched& local : m_assigned)
        if (!local.before)
            names += (names.empty() ? "" : ", ") + local.cell->name();
    const std::string text =
        fmt::format("the loop must run at least once, since it gives {} its first value", names);
    apply(ir::Op::Assert, results.last(1), ir::Attributes().set(ir::Attribute::Text, text), m_where);
}

void StagedLoop::requireOutcome() const {
    if (m_use == LoopUse::Statement && m_assigned.empty() && m_body.effect() < ir::Effect::Writes)
        throw UsageError(fmt::format(
            "[while] the body assigns no Local and has no effect, so that nothing comes out of it "
            "and the loop would not end; a Tensor that is assigned inside stays inside: declare "
            "it as a Local{}",
            placeText(m_where)));
}

Value StagedLoop::run(const std::function<Value(const Value&)>& condition,
                      const std::function<Value(const Value&)>& body) {
    traceCondition(condition);
    traceBody(body);
    requireOutcome();
    arrangeInputs();
    ir::Graph& graph = m_outer.graph();
    graph.setSource(m_where);
    const ir::NodeId node =
        graph.addWhile(std::make_shared<const ir::Graph>(std::move(m_condition)),
                       std::make_shared<const ir::Graph>(std::move(m_body)), m_arguments, m_carried);
    const std::vector<Tensor> results = resultsInTrace(m_outer, node);
    std::size_t next = 0;
    Value value = packed(m_type, results, next);
    for (const Touched& local : m_assigned)
        local.cell->assign(packed(typeOf(local), results, next), m_where);
    if (m_countsTrips)
        requireTrips(results);
    return value;
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

} // namespace

Value whileValue(const std::function<Value(const Value&)>& condition,
                 const std::function<Value(const Value&)>& body, const Value& initial,
                 const LoopOptions& options, Where where, LoopUse use) {
    Tracer* const tracer = Tracer::current();
    if (!tracer)
        return hostLoop(condition, body, initial, options, where);
    if (!options.maximumIterations)
        return StagedLoop(*tracer, initial, options, where, use).run(condition, body);
    const std::int64_t most = *options.maximumIterations; // a counter beside the value ends the loop
    return valueOf(
        StagedLoop(*tracer, withCounter(initial, where), withCounter(options), where, use)
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
    const TensorArray all = rowsOf(rows, "forEach", where);
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

TensorArray rowsOf(const Tensor& x, std::string_view user, Where where) {
    if (x.isEmpty() || (x.shape().hasRank() && x.shape().rank() == 0))
        throw UsageError(fmt::format("[{}] expected a tensor with a leading axis to go along, got {}{}", user,
                                     x.isEmpty() ? "an empty tensor" : types::toText(x.type()),
                                     placeText(where)));
    return TensorArray::unstack(x, where);
}

std::vector<Tensor> hostRows(const Tensor& x, Where where) {
    if (x.isSymbolic())
        throw UsageError(fmt::format("[hostRows] the rows of a symbolic {} are not known while a function is "
                                     "traced; loop with forEach{}",
                                     types::toText(x.type()), placeText(where)));
    const EagerScope eager;
    const TensorArray all = rowsOf(x, "hostRows", where);
    std::vector<Tensor> rows;
    for (std::int64_t i = 0; i < x.shape()[0]; ++i)
        rows.push_back(all.read(Operand(i, where)));
    return rows;
}

} // namespace retracescope::trace
