#include <retracescope/engine/autodiff/loop_gradients.h>

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/division.h>
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

class LoopGradient {
public:
    LoopGradient(const Graph& graph, NodeId loop, std::span<const Target> targets,
                 const MakeCallee& makeCallee)
        : m_graph(graph), m_loop(loop), m_condition(graph.branchOf(loop, Attribute::Condition)),
          m_body(graph.branchOf(loop, Attribute::Body)), m_targets(targets), m_makeCallee(makeCallee),
          m_valueCount(graph.node(loop).resultCount) {
        findActiveValues();
    }

    InnerGradient make(const std::vector<bool>& isSeeded);

private:
    /// A value of the loop whose gradient goes from trip to trip.
    struct Value {
        std::size_t place;
        NodeId seed = kNoNode;     ///< in the whole: the gradient after the trip
        NodeId gradient = kNoNode; ///< and before it
    };
    /// What is the same in every trip; its gradient is summed.
    struct Constant {
        const Target* target;
        NodeId inside = kNoNode;   ///< in the whole
        NodeId gradient = kNoNode; ///< of one trip; kNoNode if none flows
    };

    bool isValue(const Target& target) const {
        return target.captured.isEmpty() && target.input < m_valueCount;
    }
    void findActiveValues();
    void differentiateBody();
    void addSeeds();
    std::vector<NodeId> found() const;
    std::size_t placeOfInput(NodeId node) const;
    Graph backwardBody(const Division& division) const;
    static Graph conditionOf(const Graph& backwardBody);
    Graph backward(const Division& division, InnerGradient& result) const;
    void addForwardInputs(passes::Rewrite& copy) const;
    Graph forwardCondition() const;
    Graph forwardBody(const Division& division) const;
    Graph forward(const Division& division) const;

    const Graph& m_graph;
    const NodeId m_loop;
    const Graph& m_condition;
    const Graph& m_body;
    const std::span<const Target> m_targets;
    const MakeCallee& m_makeCallee;
    const std::size_t m_valueCount;

    std::vector<Value> m_values;
    std::vector<Constant> m_constants;
    Graph m_whole;              ///< the body, and behind it its gradient
    NodeId m_count = 0;         ///< where that begins
    std::vector<NodeId> m_kept; ///< in the whole: values of which every trip's is kept
};

/// Values that gradients reach in some trip, even if not in the first.
void LoopGradient::findActiveValues() {
    std::vector<bool> isActive(m_body.inputs().size());
    std::vector<NodeId> always;
    Graph body = m_body; // that captures what only graphs inside of it capture
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
                wrt.push_back(body.inputs()[i]);
        }
        const std::vector<bool> active = activeNodes(body, wrt);
        for (std::size_t i = 0; i < m_valueCount; ++i) {
            if (!isActive[i] && active[m_body.outputs()[i]])
                isActive[i] = changed = true;
        }
    }
    for (std::size_t i = 0; i < m_valueCount; ++i) {
        if (isActive[i])
            m_values.push_back({i});
    }
}

void LoopGradient::addSeeds() {
    for (Constant& constant : m_constants)
        constant.inside = constant.target->inside(m_whole);
    m_count = m_whole.nodeCount();
    for (Value& value : m_values)
        value.seed = m_whole.addInput(m_body.typeOf(m_body.inputs()[value.place]),
                                      fmt::format("gradient_{}", value.place));
}

void LoopGradient::differentiateBody() {
    m_whole = m_body;
    addSeeds();
    std::vector<NodeId> outputs;
    std::vector<NodeId> seeds;
    std::vector<NodeId> wrt;
    for (const Value& value : m_values) {
        outputs.push_back(m_body.outputs()[value.place]);
        seeds.push_back(value.seed);
        wrt.push_back(m_body.inputs()[value.place]);
    }
    for (const Constant& constant : m_constants)
        wrt.push_back(constant.inside);
    const std::vector<NodeId> gradients = appendGradients(m_whole, outputs, seeds, wrt, m_makeCallee);
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        Value& value = m_values[i];
        value.gradient = gradients[i];
        if (value.gradient == kNoNode) // of a known shape it is the same before and after the trip
            value.gradient = zeroGradient(
                m_whole, types::shapeOf(m_whole.typeOf(value.seed)).isKnown() ? value.seed : wrt[i]);
        value.gradient = fitted(m_whole, value.gradient, wrt[i]);
    }
    for (std::size_t i = 0; i < m_constants.size(); ++i)
        m_constants[i].gradient = gradients[m_values.size() + i];
    std::erase_if(m_constants, [](const Constant& constant) { return constant.gradient == kNoNode; });
}

std::vector<NodeId> LoopGradient::found() const {
    std::vector<NodeId> gradients;
    for (const Value& value : m_values)
        gradients.push_back(value.gradient);
    for (const Constant& constant : m_constants)
        gradients.push_back(constant.gradient);
    return gradients;
}

/// Among all inputs of the body, or their number if it is none.
std::size_t LoopGradient::placeOfInput(NodeId node) const {
    const auto inputs = m_body.inputs();
    return static_cast<std::size_t>(std::ranges::find(inputs, node) - inputs.begin());
}

/// Takes the number of trips left, the gradients of the values after the trip, the sums, the lists of what
/// was kept, and what the body takes behind its values; returns the first three before the trip.
Graph LoopGradient::backwardBody(const Division& division) const {
    passes::Rewrite copy(m_whole);
    Graph& graph = copy.to();
    graph.rename("gradient of " + m_body.name());
    const NodeId left = graph.addInput(countType(), "trips");
    for (const Value& value : m_values)
        copy.copy(value.seed);
    std::vector<NodeId> sums;
    for (const Constant& constant : m_constants) {
        const bool isVariable = isHandle(m_whole, constant.inside);
        sums.push_back(
            graph.addInput(isVariable ? constant.target->held : m_whole.typeOf(constant.inside), "sum"));
    }
    const NodeId trip = graph.append(Op::Sub, {left, count(graph, 1)});
    std::vector<NodeId> lists;
    for (std::size_t i = 0; i < m_kept.size(); ++i)
        lists.push_back(graph.addInput(tensor::listType(), "kept"));
    for (const NodeId input : m_body.inputs().subspan(m_valueCount))
        copy.copy(input);
    for (std::size_t i = 0; i < m_kept.size(); ++i) {
        const auto type = static_cast<std::int64_t>(m_whole.typeOf(m_kept[i]));
        copy.replace(m_kept[i],
                     graph.append(Op::ListGet, {lists[i], trip}, Attributes().set(Attribute::Type, type)));
    }
    division.copyBackward(copy);
    std::vector<NodeId> results{trip};
    for (const Value& value : m_values)
        results.push_back(copy.mapped(value.gradient));
    for (std::size_t i = 0; i < m_constants.size(); ++i) {
        const NodeId sum = sumOfGradients(graph, sums[i], copy.mapped(m_constants[i].gradient));
        results.push_back(fitted(graph, sum, sums[i]));
    }
    graph.setOutputs(results);
    return std::move(graph);
}

Graph LoopGradient::conditionOf(const Graph& backwardBody) {
    Graph graph("trips of " + backwardBody.name());
    for (const NodeId input : backwardBody.inputs())
        graph.addInput(backwardBody.typeOf(input), backwardBody.givenNameOf(input));
    graph.setOutputs(std::array{graph.append(Op::Greater, {graph.inputs()[0], count(graph, 0)})});
    return graph;
}

/// Takes the gradients of the seeded results and then what it lists in `result.saved`.
Graph LoopGradient::backward(const Division& division, InnerGradient& result) const {
    Graph graph("backward " + m_graph.nameOf(m_loop));
    const std::vector<NodeId> results = m_graph.resultsOf(m_loop);
    std::vector<NodeId> gradients(m_valueCount, kNoNode);
    for (const std::size_t place : result.seeded)
        gradients[place] = graph.addInput(m_graph.typeOf(results[place]), "gradient");
    const auto take = [&](Saved saved, TensorTypeId type, std::string_view name) {
        result.saved.push_back(saved);
        return graph.addInput(type, name);
    };
    std::vector<NodeId> arguments{take({Saved::From::Result, m_valueCount}, countType(), "trips")};
    for (const Value& value : m_values) {
        NodeId& gradient = gradients[value.place];
        if (gradient == kNoNode)
            gradient = zeroGradient(graph, take({Saved::From::Result, value.place},
                                                m_graph.typeOf(results[value.place]), "result"));
        arguments.push_back(gradient);
    }
    std::vector<NodeId> behind;
    for (std::size_t i = m_valueCount; i < m_body.inputs().size(); ++i)
        behind.push_back(take({Saved::From::Input, i}, m_body.typeOf(m_body.inputs()[i]), "argument"));
    for (const Constant& constant : m_constants) {
        const Target& target = *constant.target;
        const NodeId value = target.captured.isEmpty() ? behind[target.input - m_valueCount]
                                                       : graph.addCapture(target.captured);
        arguments.push_back(zeroGradient(graph, value, target.held));
    }
    const std::size_t changing = arguments.size();
    for (std::size_t i = 0; i < m_kept.size(); ++i)
        arguments.push_back(take({Saved::From::Result, m_valueCount + 1 + i}, tensor::listType(), "kept"));
    arguments.insert(arguments.end(), behind.begin(), behind.end());
    Graph body = backwardBody(division);
    const auto condition = std::make_shared<const Graph>(conditionOf(body));
    const NodeId loop =
        graph.addWhile(condition, std::make_shared<const Graph>(std::move(body)), arguments, changing);
    const std::vector<NodeId> all = graph.resultsOf(loop);
    graph.setOutputs(std::span(all).subspan(1));
    return graph;
}

/// The inputs of both graphs of the forward loop: the values, the number of the trip, the lists, and what the
/// loop takes behind its values.
void LoopGradient::addForwardInputs(passes::Rewrite& copy) const {
    const auto inputs = copy.from().inputs().first(m_body.inputs().size());
    std::ranges::for_each(inputs.first(m_valueCount), [&](NodeId input) { copy.copy(input); });
    copy.to().addInput(countType(), "trip");
    for (std::size_t i = 0; i < m_kept.size(); ++i)
        copy.to().addInput(tensor::listType(), "kept");
    std::ranges::for_each(inputs.subspan(m_valueCount), [&](NodeId input) { copy.copy(input); });
}

Graph LoopGradient::forwardCondition() const {
    passes::Rewrite copy(m_condition);
    addForwardInputs(copy);
    copy.copyRest();
    return copy.finish();
}

Graph LoopGradient::forwardBody(const Division& division) const {
    passes::Rewrite copy(m_whole);
    addForwardInputs(copy);
    division.copyForward(copy);
    Graph& graph = copy.to();
    std::vector<NodeId> results;
    for (const NodeId output : m_body.outputs())
        results.push_back(copy.mapped(output));
    const NodeId trip = graph.inputs()[m_valueCount];
    results.push_back(graph.append(Op::Add, {trip, count(graph, 1)}));
    for (std::size_t i = 0; i < m_kept.size(); ++i)
        results.push_back(
            graph.append(Op::ListSet, {graph.inputs()[m_valueCount + 1 + i], trip, copy.mapped(m_kept[i])}));
    graph.setOutputs(results);
    return std::move(graph);
}

/// Takes what the loop takes; returns its results, the number of trips, and the lists.
Graph LoopGradient::forward(const Division& division) const {
    Graph graph("forward " + m_graph.nameOf(m_loop));
    std::vector<NodeId> arguments;
    for (const NodeId input : m_body.inputs())
        arguments.push_back(graph.addInput(m_body.typeOf(input), m_body.givenNameOf(input)));
    std::vector<NodeId> added{count(graph, 0)};
    const auto dynamic = Attributes().set(Attribute::DynamicSize, 1);
    const NodeId none = graph.append(Op::ListReserve, {added[0]}, dynamic);
    added.insert(added.end(), m_kept.size(), none);
    arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(m_valueCount), added.begin(),
                     added.end());
    const NodeId loop = graph.addWhile(std::make_shared<const Graph>(forwardCondition()),
                                       std::make_shared<const Graph>(forwardBody(division)), arguments,
                                       m_valueCount + added.size());
    graph.setOutputs(graph.resultsOf(loop));
    return graph;
}

InnerGradient LoopGradient::make(const std::vector<bool>& isSeeded) {
    differentiateBody();
    std::vector<NodeId> seeds;
    for (const Value& value : m_values)
        seeds.push_back(value.seed);
    const Division division(m_whole, m_count, seeds, found(), Again::Cheap);
    for (const NodeId node : division.saved())
        if (const std::size_t place = placeOfInput(node);
            place < m_valueCount || place == m_body.inputs().size())
            m_kept.push_back(node);
    InnerGradient result;
    for (std::size_t i = 0; i < m_valueCount; ++i)
        if (isSeeded[i])
            result.seeded.push_back(i);
    result.forward = m_makeCallee(forward(division));
    result.backward = m_makeCallee(backward(division, result));
    for (const Target& target : m_targets) {
        const auto value = std::ranges::find(m_values, target.input, &Value::place);
        const auto constant = std::ranges::find(m_constants, &target, &Constant::target);
        if (isValue(target))
            result.gradientOf.push_back(static_cast<std::size_t>(value - m_values.begin()));
        else if (constant != m_constants.end())
            result.gradientOf.push_back(m_values.size() +
                                        static_cast<std::size_t>(constant - m_constants.begin()));
        else
            result.gradientOf.push_back(std::nullopt);
    }
    return result;
}

} // namespace

InnerGradient loopGradient(const Graph& graph, NodeId loop, const std::vector<bool>& isSeeded,
                           std::span<const Target> targets, const MakeCallee& makeCallee) {
    return LoopGradient(graph, loop, targets, makeCallee).make(isSeeded);
}

} // namespace retracescope::autodiff
