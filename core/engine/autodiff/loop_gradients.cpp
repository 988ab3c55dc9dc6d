#include <retracescope/engine/autodiff/loop_gradients.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/recompute.h>
#include <retracescope/engine/passes/remove_dead_nodes.h>
#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/list.h>

namespace retracescope::autodiff {

using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;
using types::TensorTypeId;

namespace {

TensorTypeId countType() {
    return types::tensorType(types::DType::Int64, types::Shape{});
}

NodeId count(Graph& graph, std::int64_t value) {
    return graph.addConstant(tensor::constant(value));
}

/// A gradient under the type of the value that it belongs to: rules may know less of its shape.
NodeId fitted(Graph& graph, NodeId gradient, NodeId like) {
    const bool fits = types::isSubtype(graph.typeOf(gradient), graph.typeOf(like));
    return fits ? gradient : graph.append(Op::ReshapeLike, {gradient, like});
}

bool isUsed(const Graph& graph, NodeId value) {
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        if (std::ranges::count(graph.inputsOf(node), value) > 0)
            return true;
    }
    return std::ranges::count(graph.outputs(), value) > 0;
}

class LoopGradients {
public:
    LoopGradients(Graph& graph, NodeId loop, std::span<const Target> targets, const MakeCallee& makeCallee)
        : m_graph(graph), m_loop(loop), m_condition(graph.branchOf(loop, Attribute::Condition)),
          m_body(graph.branchOf(loop, Attribute::Body)), m_targets(targets), m_makeCallee(makeCallee),
          m_arguments(graph.inputsOf(loop).begin(), graph.inputsOf(loop).end()),
          m_valueCount(graph.node(loop).resultCount) {
        findActiveValues();
    }

    std::vector<NodeId> run(std::span<const NodeId> resultGradients);

private:
    /// A value of the loop whose gradient goes from trip to trip.
    struct Value {
        std::size_t place;
        NodeId seed = kNoNode; ///< in the body of the backward loop: the gradient after the trip
        NodeId before = kNoNode;
    };
    /// What is the same in every trip; its gradient is summed.
    struct Constant {
        const Target* target;
        NodeId sum = kNoNode; ///< in the body of the backward loop
        NodeId inside = kNoNode;
    };

    bool isValue(const Target& target) const {
        return target.captured.isEmpty() && target.input < m_valueCount;
    }
    void findActiveValues();
    void buildBackwardBody();
    Graph backwardCondition() const;
    void addForwardLoop();
    Graph forwardCondition() const;
    Graph forwardBody() const;
    NodeId bodyInput(std::size_t place) const { return m_body.inputs()[place]; }

    Graph& m_graph;
    const NodeId m_loop;
    const Graph& m_condition;
    const Graph& m_body;
    const std::span<const Target> m_targets;
    const MakeCallee& m_makeCallee;
    const std::vector<NodeId> m_arguments;
    const std::size_t m_valueCount;

    std::vector<Value> m_values;
    std::vector<Constant> m_constants;
    Graph m_backwardBody;
    std::vector<std::size_t> m_kept; ///< places of values of which every trip's is kept
    NodeId m_trips = kNoNode;        ///< how many there were
    std::vector<NodeId> m_lists;     ///< one per kept value
};

/// Values that gradients reach in some trip, even if not in the first.
void LoopGradients::findActiveValues() {
    std::vector<bool> isActive(m_arguments.size());
    std::vector<NodeId> always;
    passes::Rewrite body(m_body); // a copy that captures what only graphs inside of it capture
    for (NodeId node = 0; node < m_body.nodeCount(); ++node)
        body.copy(node);
    for (const Target& target : m_targets) {
        if (target.captured.isEmpty())
            isActive[target.input] = true;
        else
            always.push_back(target.inside(body));
        if (!isValue(target))
            m_constants.push_back({&target});
    }
    for (bool changed = true; changed;) {
        changed = false;
        std::vector<NodeId> wrt = always;
        for (std::size_t i = 0; i < isActive.size(); ++i) {
            if (isActive[i])
                wrt.push_back(body.mapped(bodyInput(i)));
        }
        const std::vector<bool> active = activeNodes(body.to(), wrt);
        for (std::size_t i = 0; i < m_valueCount; ++i) {
            if (!isActive[i] && active[body.mapped(m_body.outputs()[i])])
                isActive[i] = changed = true;
        }
    }
    for (std::size_t i = 0; i < m_valueCount; ++i) {
        if (isActive[i])
            m_values.push_back({i});
    }
}

/// Takes the number of trips left, the gradients of the values after the trip, the sums, the lists of what
/// was kept, and what the body takes behind its values; returns the first three before the trip.
void LoopGradients::buildBackwardBody() {
    passes::Rewrite copy(m_body);
    Graph& graph = copy.to();
    graph.rename("gradient of " + m_body.name());
    const NodeId left = graph.addInput(countType(), "trips");
    for (Value& value : m_values)
        value.seed =
            graph.addInput(m_body.typeOf(bodyInput(value.place)), fmt::format("gradient_{}", value.place));
    for (Constant& constant : m_constants) {
        const Target& target = *constant.target;
        const TensorTypeId type = target.captured.isEmpty() && !isHandle(m_body, bodyInput(target.input))
                                      ? m_body.typeOf(bodyInput(target.input))
                                      : target.held;
        constant.sum = graph.addInput(type, "sum");
    }
    const NodeId trip = graph.append(Op::Sub, {left, count(graph, 1)});
    std::vector<NodeId> lists;
    for (std::size_t i = 0; i < m_valueCount; ++i) {
        lists.push_back(graph.addInput(tensor::listType(), fmt::format("kept_{}", i)));
        copy.replace(bodyInput(i),
                     graph.append(Op::ListGet, {lists[i], trip},
                                  Attributes().set(Attribute::Type,
                                                   static_cast<std::int64_t>(m_body.typeOf(bodyInput(i))))));
    }
    copyWithoutEffects(copy, m_makeCallee);

    std::vector<NodeId> outputs;
    std::vector<NodeId> seeds;
    std::vector<NodeId> wrt;
    for (Value& value : m_values) {
        outputs.push_back(copy.mapped(m_body.outputs()[value.place]));
        seeds.push_back(value.seed);
        wrt.push_back(value.before = copy.mapped(bodyInput(value.place)));
    }
    for (Constant& constant : m_constants)
        wrt.push_back(constant.inside = constant.target->inside(copy));
    const std::vector<NodeId> gradients = appendGradients(graph, outputs, seeds, wrt, m_makeCallee);

    std::vector<NodeId> results{trip};
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        const Value& value = m_values[i];
        NodeId gradient = gradients[i];
        if (gradient == kNoNode) // of a known shape it is the same before and after the trip
            gradient = zeroGradient(graph, types::shapeOf(graph.typeOf(value.seed)).isKnown() ? value.seed
                                                                                              : value.before);
        results.push_back(fitted(graph, gradient, value.before));
    }
    for (std::size_t i = 0; i < m_constants.size(); ++i) {
        const NodeId sum = m_constants[i].sum;
        const NodeId gradient = gradients[m_values.size() + i];
        results.push_back(gradient == kNoNode ? sum
                                              : fitted(graph, sumOfGradients(graph, sum, gradient), sum));
    }
    graph.setOutputs(results);

    const Graph live = passes::removeDeadNodes(graph);
    const std::size_t firstList = 1 + m_values.size() + m_constants.size();
    passes::Rewrite used(live);
    std::vector<NodeId> unused;
    for (std::size_t i = 0; i < m_valueCount; ++i) {
        const NodeId list = live.inputs()[firstList + i];
        if (isUsed(live, list))
            m_kept.push_back(i);
        else
            unused.push_back(list);
    }
    for (NodeId node = 0; node < live.nodeCount(); ++node) {
        if (std::ranges::count(unused, node) == 0)
            used.copy(node);
    }
    m_backwardBody = used.finish();
}

Graph LoopGradients::backwardCondition() const {
    Graph graph("trips of " + m_backwardBody.name());
    for (const NodeId input : m_backwardBody.inputs())
        graph.addInput(m_backwardBody.typeOf(input), m_backwardBody.givenNameOf(input));
    graph.setOutputs(std::array{graph.append(Op::Greater, {graph.inputs()[0], count(graph, 0)})});
    return graph;
}

/// The inputs of both graphs of the forward loop: the values, the number of the trip, the lists, and what the
/// loop takes behind its values.
void addForwardInputs(passes::Rewrite& copy, std::size_t valueCount, std::size_t lists) {
    const Graph& from = copy.from();
    Graph& graph = copy.to();
    const auto add = [&](NodeId input) {
        copy.replace(input, graph.addInput(from.typeOf(input), from.givenNameOf(input)));
    };
    std::ranges::for_each(from.inputs().first(valueCount), add);
    graph.addInput(countType(), "trip");
    for (std::size_t i = 0; i < lists; ++i)
        graph.addInput(tensor::listType(), "kept");
    std::ranges::for_each(from.inputs().subspan(valueCount), add);
}

Graph LoopGradients::forwardCondition() const {
    passes::Rewrite copy(m_condition);
    addForwardInputs(copy, m_valueCount, m_kept.size());
    copyWithoutEffects(copy, m_makeCallee);
    return copy.finish();
}

Graph LoopGradients::forwardBody() const {
    passes::Rewrite copy(m_body);
    addForwardInputs(copy, m_valueCount, m_kept.size());
    copyWithoutEffects(copy, m_makeCallee);
    Graph& graph = copy.to();
    std::vector<NodeId> results;
    for (const NodeId output : m_body.outputs())
        results.push_back(copy.mapped(output));
    const NodeId trip = graph.inputs()[m_valueCount];
    results.push_back(graph.append(Op::Add, {trip, count(graph, 1)}));
    for (std::size_t i = 0; i < m_kept.size(); ++i)
        results.push_back(graph.append(
            Op::ListSet, {graph.inputs()[m_valueCount + 1 + i], trip, copy.mapped(bodyInput(m_kept[i]))}));
    graph.setOutputs(results);
    return std::move(graph);
}

void LoopGradients::addForwardLoop() {
    const auto values = std::span(m_arguments).first(m_valueCount);
    std::vector<NodeId> arguments(values.begin(), values.end());
    arguments.push_back(count(m_graph, 0));
    const NodeId none =
        m_graph.append(Op::ListReserve, {count(m_graph, 0)}, Attributes().set(Attribute::DynamicSize, 1));
    arguments.insert(arguments.end(), m_kept.size(), none);
    arguments.insert(arguments.end(), m_arguments.begin() + static_cast<std::ptrdiff_t>(m_valueCount),
                     m_arguments.end());
    const NodeId loop = m_graph.addWhile(std::make_shared<const Graph>(forwardCondition()),
                                         std::make_shared<const Graph>(forwardBody()), arguments,
                                         m_valueCount + 1 + m_kept.size());
    m_trips = m_graph.resultsOf(loop)[m_valueCount];
    for (std::size_t i = 0; i < m_kept.size(); ++i)
        m_lists.push_back(m_trips + 1 + static_cast<NodeId>(i));
}

std::vector<NodeId> LoopGradients::run(std::span<const NodeId> resultGradients) {
    buildBackwardBody();
    addForwardLoop();
    const std::vector<NodeId> results = m_graph.resultsOf(m_loop);
    std::vector<NodeId> arguments{m_trips};
    for (const Value& value : m_values) {
        const NodeId result = results[value.place];
        const NodeId gradient = resultGradients[value.place];
        arguments.push_back(gradient == kNoNode ? zeroGradient(m_graph, result)
                                                : fitted(m_graph, gradient, result));
    }
    for (const Constant& constant : m_constants)
        arguments.push_back(zeroGradient(m_graph, constant.target->outside, constant.target->held));
    const std::size_t changing = arguments.size();
    arguments.insert(arguments.end(), m_lists.begin(), m_lists.end());
    arguments.insert(arguments.end(), m_arguments.begin() + static_cast<std::ptrdiff_t>(m_valueCount),
                     m_arguments.end());
    const NodeId loop = m_graph.addWhile(std::make_shared<const Graph>(backwardCondition()),
                                         std::make_shared<const Graph>(m_backwardBody), arguments, changing);

    std::vector<NodeId> gradients;
    std::size_t constants = 0;
    for (const Target& target : m_targets) {
        const auto value = std::ranges::find(m_values, target.input, &Value::place);
        const std::size_t place = isValue(target) ? static_cast<std::size_t>(value - m_values.begin())
                                                  : m_values.size() + constants++;
        const NodeId gradient = loop + 1 + static_cast<NodeId>(place);
        gradients.push_back(isHandle(m_graph, target.outside) ? gradient
                                                              : fitted(m_graph, gradient, target.outside));
    }
    return gradients;
}

} // namespace

std::vector<NodeId> loopGradients(Graph& graph, NodeId loop, std::span<const NodeId> resultGradients,
                                  std::span<const Target> targets, const MakeCallee& makeCallee) {
    return LoopGradients(graph, loop, targets, makeCallee).run(resultGradients);
}

} // namespace retracescope::autodiff
