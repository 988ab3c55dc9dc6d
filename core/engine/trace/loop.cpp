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
Tensor decision(const Value& answer, const std::string& op, Where where) {
    if (const auto* literal = answer.as<types::Literal>()) {
        if (const bool* flag = std::get_if<bool>(&literal->value()))
            return constant(*flag, where);
    }
    const Tensor* tensor = answer.as<Tensor>();
    if (!tensor || tensor->isEmpty() || tensor->dtype() != types::DType::Bool || tensor->shape().rank() > 0)
        refuse(op, "expected a bool scalar from the condition, got " + types::toText(typeOfValue(answer)),
               where);
    return *tensor;
}

Value hostLoop(const std::function<Value(const Value&)>& condition,
               const std::function<Value(const Value&)>& body, Value value, const LoopOptions& options,
               Where where, const LoopWords& words) {
    const std::optional<std::int64_t> most = options.maximumIterations;
    value = eagerResultOf(value, words.op);
    for (std::int64_t trip = 0;
         (!most || trip < *most) && decision(condition(value), words.op, where).data<bool>()[0]; ++trip)
        value = eagerResultOf(body(value), words.op);
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
Tensor zerosLikeLeaf(const Tensor& after, const LocalCell& cell, const std::string& op, Where where) {
    if (tensor::holdsResources(after.dtype()))
        refuse(op,
               cell.name() +
                   " has no value before the loop; only tensors can do without, so declare it with one",
               where);
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
    StagedLoop(Tracer& outer, const Value& initial, const LoopOptions& options, Where where,
               const LoopWords& words)
        : m_outer(outer), m_initial(resultOf(initial, outer, words.op)), m_type(typeOfValue(m_initial)),
          m_where(where), m_words(words) {
        if (!options.shapeInvariants)
            return;
        const types::TypeId wanted = typeOfValue(*options.shapeInvariants);
        if (const auto misfit = misfitOfValue(m_type, wanted))
            refuse(m_words.op,
                   fmt::format("{} is {} before the loop, its shape invariant is {}; give invariants in the "
                               "structure of the values, each open where they differ",
                               misfit->path, misfit->first, misfit->second),
                   m_where);
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
    /// Where a type of the values does not fit another, in words of the user's own values.
    std::optional<Misfit> misfitOfValue(types::TypeId given, types::TypeId wanted) const;
    /// Refuses what the body makes of a value if the next trip cannot start with it.
    void requireKept(const std::optional<Misfit>& misfit, std::string_view openedBy) const;
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
    const LoopWords m_words;
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

bool fits(types::TypeId given, types::TypeId wanted) {
    return types::isSubtype(given, wanted);
}

std::optional<Misfit> StagedLoop::misfitOfValue(types::TypeId given, types::TypeId wanted) const {
    for (int pair = 0; pair < m_words.pairs; ++pair) {
        given = types::typeOf(given).items[1];
        wanted = types::typeOf(wanted).items[1];
    }
    const types::TraceType& own = types::typeOf(given);
    const types::TraceType& other = types::typeOf(wanted);
    if (own.kind != types::TypeKind::Tuple || other.kind != own.kind ||
        other.items.size() != own.items.size())
        return findMisfit(given, wanted, &fits, "the value");
    for (std::size_t i = 0; i < own.items.size(); ++i)
        if (auto misfit = findMisfit(own.items[i], other.items[i], &fits,
                                     fmt::format("value {} of {}", i + 1, own.items.size())))
            return misfit;
    return std::nullopt;
}

void StagedLoop::requireKept(const std::optional<Misfit>& misfit, std::string_view openedBy) const {
    if (!misfit)
        return;
    const std::string todo =
        misfit->isOfShape ? fmt::format("let it keep its shape, or open the axes that change: {}", openedBy)
                          : "let it keep structure and dtype: cast it in the body, or what it starts with";
    refuse(m_words.op,
           fmt::format("{} is {} before the body, but {} after it; {}", misfit->path, misfit->second,
                       misfit->first, todo),
           m_where);
}

void StagedLoop::traceCondition(const std::function<Value(const Value&)>& condition) {
    Tracer tracer(m_outer.name() + "/while", Tracer::Role::Branch, m_outer.creation());
    LocalScope scope(tracer, LocalScope::Kind::Condition);
    const Tensor answer = decision(condition(placeholders(tracer)), m_words.op, m_where);
    tracer.graph().setOutputs(std::array{tracer.nodeOf(answer, m_words.op)});
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
    requireKept(misfitOfValue(typeOfValue(next), m_type),
                "LoopOptions::shapeInvariants of whileLoop, forRange and forEach");
    std::vector<Tensor> outputs = leavesOf(next);
    for (const Touched& touched : scope.finish()) {
        if (!touched.after) {
            if (touched.before)
                m_read.push_back(touched);
            continue;
        }
        requireKept(findMisfit(typeOfValue(*touched.after), typeOf(touched), &fits, touched.cell->name()),
                    "its shapeInvariants()");
        std::ranges::copy(leavesOf(*touched.after), std::back_inserter(outputs));
        m_countsTrips = m_countsTrips || !touched.before;
        m_assigned.push_back(touched);
    }
    if (m_countsTrips)
        outputs.push_back(tracer.embed(tensor::constant(true), m_where));
    tracer.graph().setOutputs(nodesOf(tracer, outputs, m_words.op));
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
        m_arguments.push_back(m_outer.nodeOf(argument, m_words.op));
        condition.push_back({inCondition, type});
        body.push_back({inBody, type});
    };
    const auto addLocal = [&](const Touched& local) {
        if (!local.before) {
            for (const Tensor& leaf : leavesOf(*local.after))
                add(zerosLikeLeaf(leaf, *local.cell, m_words.op, m_where), ir::kNoNode, ir::kNoNode,
                    leaf.type());
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
    if (m_words.isStatement && m_assigned.empty() && m_body.effect() < ir::Effect::Writes)
        refuse(m_words.op,
               "the body assigns no Local and has no effect, so that nothing comes out of it; a Tensor that "
               "is assigned inside stays inside: declare it as a Local",
               m_where);
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

LoopWords withCounter(LoopWords words) {
    ++words.pairs;
    return words;
}

Value valueOf(const Value& pair) {
    return pair.as<Value::Sequence>()->items[1];
}

Tensor tripOf(const Value& pair) {
    return *pair.as<Value::Sequence>()->items[0].as<Tensor>();
}

Tensor after(const Tensor& trip, Where where) {
    return add(Operand(trip, where), Operand(std::int64_t{1}, where));
}

} // namespace

Value whileValue(const std::function<Value(const Value&)>& condition,
                 const std::function<Value(const Value&)>& body, const Value& initial,
                 const LoopOptions& options, Where where, const LoopWords& words) {
    Tracer* const tracer = Tracer::current();
    if (!tracer)
        return hostLoop(condition, body, initial, options, where, words);
    const auto staged = [&](const Value& start, const LoopOptions& its, const LoopWords& said,
                            const std::function<Value(const Value&)>& goesOn,
                            const std::function<Value(const Value&)>& step) {
        return placed(where, [&] { return StagedLoop(*tracer, start, its, where, said).run(goesOn, step); });
    };
    if (!options.maximumIterations)
        return staged(initial, options, words, condition, body);
    const Operand most(*options.maximumIterations, where); // a counter beside the value ends the loop
    return valueOf(staged(
        withCounter(initial, where), withCounter(options), withCounter(words),
        [&](const Value& pair) {
            const Tensor mayGoOn = less(Operand(tripOf(pair), where), most);
            const Tensor goesOn = decision(condition(valueOf(pair)), words.op, where);
            return Value(logicalAnd(Operand(mayGoOn, where), Operand(goesOn, where)));
        },
        [&](const Value& pair) {
            return Value(std::tuple(after(tripOf(pair), where), body(valueOf(pair))));
        }));
}

Tensor tripsOf(const Operand& count, std::string_view op) {
    const Tensor& given = count.tensorFor(op);
    if (!types::isInteger(given.dtype()) || (given.shape().hasRank() && given.shape().rank() > 0))
        refuse(op, fmt::format("expected an integer scalar as count, got {}", types::toText(given.type())),
               count.where());
    return cast(count, types::DType::Int64);
}

Value forRangeValue(const Operand& count, const std::function<Value(const Tensor&, const Value&)>& body,
                    const Value& initial, const LoopOptions& options, Where where, const LoopWords& words) {
    const Tensor end = tripsOf(count, words.op);
    return valueOf(whileValue(
        [&](const Value& pair) { return Value(less(Operand(tripOf(pair), where), Operand(end, where))); },
        [&](const Value& pair) {
            const Tensor trip = tripOf(pair);
            return Value(std::tuple(after(trip, where), body(trip, valueOf(pair))));
        },
        withCounter(initial, where), withCounter(options), where, withCounter(words)));
}

Value forEachValue(const Tensor& rows, const std::function<Value(const Tensor&, const Value&)>& body,
                   const Value& initial, const LoopOptions& options, Where where, const LoopWords& words) {
    const TensorArray all = rowsOf(rows, words.op, where);
    return forRangeValue(
        Operand(all.size(where), where),
        [&](const Tensor& trip, const Value& value) { return body(all.read(Operand(trip, where)), value); },
        initial, options, where, words);
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
