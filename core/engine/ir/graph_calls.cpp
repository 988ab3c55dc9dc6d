// Nodes that run other graphs or the program's own code, and their results.
#include <algorithm>

#include <fmt/format.h>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::ir {

namespace {

bool isBoolScalar(types::TensorTypeId type) {
    const types::Shape& shape = types::shapeOf(type);
    return types::dtypeOf(type) == types::DType::Bool && (!shape.hasRank() || shape.rank() == 0);
}

bool canBe(types::TensorTypeId given, types::TensorTypeId wanted) {
    return types::isSubtype(given, wanted);
}

std::vector<types::TensorTypeId> outputTypes(const Graph& graph) {
    std::vector<types::TensorTypeId> found;
    for (const NodeId output : graph.outputs())
        found.push_back(graph.typeOf(output));
    return found;
}

/// Why a gradient does not belong to a call of `callee`, or nothing.
std::string misfitOf(const OwnGradient& gradient, const Graph& callee,
                     std::span<const types::TensorTypeId> results) {
    const Graph& backward = *gradient.backward;
    if (gradient.results > results.size())
        return fmt::format("a gradient for {} results, the callee has {}", gradient.results, results.size());
    std::vector<types::TensorTypeId> taken;
    for (const NodeId input : callee.inputs())
        taken.push_back(callee.typeOf(input));
    taken.insert(taken.end(), results.begin(), results.end());
    for (const types::TensorTypeId result : results.first(gradient.results))
        if (types::isFloating(types::dtypeOf(result)))
            taken.push_back(result);
    std::vector<types::TensorTypeId> expected;
    for (const NodeId input : backward.inputs())
        expected.push_back(backward.typeOf(input));
    if (!std::ranges::equal(taken, expected, &canBe))
        return "its gradient does not take its arguments, its results, and the results' gradients";
    const bool isInside = std::ranges::all_of(
        gradient.gradientsOf, [&](std::size_t place) { return place < callee.inputs().size(); });
    if (!isInside || gradient.gradientsOf.size() != backward.outputs().size())
        return fmt::format("its gradient returns {} values for {} of its arguments",
                           backward.outputs().size(), gradient.gradientsOf.size());
    return {};
}

} // namespace

NodeId Graph::addHostCall(std::shared_ptr<const HostFunction> function, std::span<const NodeId> arguments) {
    requireNodes(arguments);
    const auto known = std::ranges::find(m_hosts, function);
    const auto row = known - m_hosts.begin();
    const std::vector<types::TensorTypeId> results = function->results;
    if (known == m_hosts.end())
        m_hosts.push_back(std::move(function));
    return appendWithResults(Op::HostCall, arguments, Attributes().set(Attribute::Host, row).words(),
                             Effect::Ordered, results);
}

void Graph::requireArguments(const Graph& inner, std::span<const NodeId> arguments) const {
    requireNodes(arguments);
    if (arguments.size() != inner.inputs().size())
        throw UsageError(fmt::format("[{}] expected {} arguments, got {}{}", inner.name(),
                                     inner.inputs().size(), arguments.size(), placeText()));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const types::TensorTypeId wanted = inner.typeOf(inner.inputs()[i]);
        const types::TensorTypeId given = m_nodes[arguments[i]].type;
        if (!canBe(given, wanted))
            throw UsageError(fmt::format("[{}] argument {} is {}, expected {}{}", inner.name(), i,
                                         types::toText(given), types::toText(wanted), placeText()));
    }
}

std::uint32_t Graph::calleeRow(std::shared_ptr<const Callee> callee) {
    const auto known = std::ranges::find(m_callees, callee);
    const auto row = static_cast<std::uint32_t>(known - m_callees.begin());
    if (known == m_callees.end())
        m_callees.push_back(std::move(callee));
    return row;
}

NodeId Graph::addCall(std::shared_ptr<const Callee> callee, std::span<const NodeId> arguments) {
    const Graph& inner = callee->graph();
    requireArguments(inner, arguments);
    return appendWithResults(Op::Call, arguments,
                             Attributes().set(Attribute::Callee, calleeRow(std::move(callee))).words(),
                             inner.effect(), outputTypes(inner));
}

NodeId Graph::addCall(std::shared_ptr<const Callee> callee, std::span<const NodeId> arguments,
                      const OwnGradient& gradient) {
    const Graph& inner = callee->graph();
    requireArguments(inner, arguments);
    const std::vector<types::TensorTypeId> results = outputTypes(inner);
    if (const std::string misfit = misfitOf(gradient, inner, results); !misfit.empty())
        throw UsageError(fmt::format("[{}] {}{}", inner.name(), misfit, placeText()));
    const std::vector<std::int64_t> places(gradient.gradientsOf.begin(), gradient.gradientsOf.end());
    const auto row = static_cast<std::int64_t>(m_branches.size());
    m_branches.push_back(gradient.backward);
    return appendWithResults(Op::Call, arguments,
                             Attributes()
                                 .set(Attribute::Callee, calleeRow(std::move(callee)))
                                 .set(Attribute::Index, static_cast<std::int64_t>(gradient.results))
                                 .set(Attribute::Backward, row)
                                 .set(Attribute::GradientsOf, places)
                                 .words(),
                             inner.effect(), results);
}

std::vector<NodeId> Graph::replaceByCall(NodeId id, std::shared_ptr<const Callee> callee) {
    RETRACESCOPE_CHECK(runsGraphs(m_nodes[id].op) && m_nodes[id].resultCount > 0);
    const Graph& inner = callee->graph();
    const Op op = m_nodes[id].op;
    const std::vector<types::TensorTypeId> types = outputTypes(inner);
    const std::size_t before = m_nodes[id].resultCount;
    RETRACESCOPE_CHECK(inner.inputs().size() == m_nodes[id].inputCount && types.size() >= before &&
                       types.size() <= 0xffff);
    Attributes attributes = Attributes().set(Attribute::Callee, calleeRow(callee));
    if (const auto own = op == Op::Call ? ownGradientOf(id) : std::nullopt) {
        const AttributeView old = attributesOf(id);
        const auto places = old.list(Attribute::GradientsOf);
        attributes.set(Attribute::Index, old.number(Attribute::Index))
            .set(Attribute::Backward, old.number(Attribute::Backward))
            .set(Attribute::GradientsOf, std::vector<std::int64_t>(places.begin(), places.end()));
    }
    const std::uint32_t row = addAttributes(attributes.words());
    Node& node = m_nodes[id];
    node.op = Op::Call;
    node.effect = static_cast<std::uint8_t>(inner.effect());
    node.attributes = row;
    node.resultCount = static_cast<std::uint16_t>(types.size());
    std::vector<NodeId> further;
    for (std::size_t i = before; i < types.size(); ++i) {
        Node result;
        result.op = Op::Result;
        result.resultCount = static_cast<std::uint16_t>(i);
        result.type = types[i];
        further.push_back(appendNode(result, std::span(&id, 1), {}));
    }
    m_lateResults.insert(m_lateResults.end(), further.begin(), further.end());
    return further;
}

std::vector<std::shared_ptr<const Note>> Graph::notesOf(NodeId node) const {
    std::vector<std::shared_ptr<const Note>> notes;
    const auto [first, last] = m_notes.equal_range(node);
    for (auto note = first; note != last; ++note)
        notes.push_back(note->second);
    return notes;
}

std::optional<OwnGradient> Graph::ownGradientOf(NodeId id) const {
    const AttributeView attributes = attributesOf(id);
    if (m_nodes[id].op != Op::Call || !attributes.has(Attribute::Backward))
        return std::nullopt;
    OwnGradient gradient;
    gradient.backward = m_branches[static_cast<std::size_t>(attributes.number(Attribute::Backward))];
    gradient.results = static_cast<std::size_t>(attributes.number(Attribute::Index));
    for (const std::int64_t place : attributes.list(Attribute::GradientsOf))
        gradient.gradientsOf.push_back(static_cast<std::size_t>(place));
    return gradient;
}

NodeId Graph::addCond(NodeId predicate, std::shared_ptr<const Graph> thenBranch,
                      std::shared_ptr<const Graph> elseBranch, std::span<const NodeId> arguments) {
    std::vector<NodeId> inputs{predicate};
    inputs.insert(inputs.end(), arguments.begin(), arguments.end());
    requireNodes(inputs);
    if (!isBoolScalar(m_nodes[predicate].type))
        throw UsageError(fmt::format("[cond] expected a bool scalar as predicate, got {}{}",
                                     types::toText(m_nodes[predicate].type), placeText()));
    for (const auto& branch : {thenBranch, elseBranch}) {
        RETRACESCOPE_CHECK(branch->inputs().size() == arguments.size());
        for (std::size_t i = 0; i < arguments.size(); ++i)
            RETRACESCOPE_CHECK(canBe(m_nodes[arguments[i]].type, branch->typeOf(branch->inputs()[i])));
    }
    if (thenBranch->outputs().size() != elseBranch->outputs().size())
        throw UsageError(fmt::format("[cond] the then branch returns {} values, the else branch {}{}",
                                     thenBranch->outputs().size(), elseBranch->outputs().size(),
                                     placeText()));
    std::vector<types::TensorTypeId> results;
    for (std::size_t i = 0; i < thenBranch->outputs().size(); ++i) {
        const types::TensorTypeId thenType = thenBranch->typeOf(thenBranch->outputs()[i]);
        const types::TensorTypeId elseType = elseBranch->typeOf(elseBranch->outputs()[i]);
        results.push_back(types::commonSupertype(thenType, elseType));
        if (results.back() == types::TensorTypeId::None)
            throw UsageError(
                fmt::format("[cond] result {} is {} in the then branch, but {} in the else branch{}", i,
                            types::toText(thenType), types::toText(elseType), placeText()));
    }
    const auto row = static_cast<std::int64_t>(m_branches.size());
    const Effect effect = std::max(thenBranch->effect(), elseBranch->effect());
    m_branches.push_back(std::move(thenBranch));
    m_branches.push_back(std::move(elseBranch));
    return appendWithResults(Op::Cond, inputs,
                             Attributes().set(Attribute::Then, row).set(Attribute::Else, row + 1).words(),
                             effect, results);
}

NodeId Graph::addWhile(std::shared_ptr<const Graph> condition, std::shared_ptr<const Graph> body,
                       std::span<const NodeId> arguments, std::size_t count) {
    requireNodes(arguments);
    RETRACESCOPE_CHECK(count <= arguments.size());
    for (const auto& inner : {condition, body}) {
        RETRACESCOPE_CHECK(inner->inputs().size() == arguments.size());
        for (std::size_t i = 0; i < arguments.size(); ++i)
            RETRACESCOPE_CHECK(canBe(m_nodes[arguments[i]].type, inner->typeOf(inner->inputs()[i])));
    }
    if (condition->outputs().size() != 1 || !isBoolScalar(condition->typeOf(condition->outputs()[0])))
        throw UsageError(fmt::format("[while] expected one bool scalar from the condition, got {}{}",
                                     condition->outputs().size() != 1
                                         ? fmt::format("{} values", condition->outputs().size())
                                         : types::toText(condition->typeOf(condition->outputs()[0])),
                                     placeText()));
    if (body->outputs().size() != count)
        throw UsageError(fmt::format("[while] the body returns {} values, the loop has {}{}",
                                     body->outputs().size(), count, placeText()));
    std::vector<types::TensorTypeId> results;
    for (std::size_t i = 0; i < count; ++i) {
        results.push_back(body->typeOf(body->inputs()[i]));
        const types::TensorTypeId after = body->typeOf(body->outputs()[i]);
        if (condition->typeOf(condition->inputs()[i]) != results[i] || !canBe(after, results[i]))
            throw UsageError(fmt::format("[while] value {} is {} before the body, but {} after it{}", i,
                                         types::toText(results[i]), types::toText(after), placeText()));
    }
    const auto row = static_cast<std::int64_t>(m_branches.size());
    const Effect effect = std::max(condition->effect(), body->effect());
    m_branches.push_back(std::move(condition));
    m_branches.push_back(std::move(body));
    return appendWithResults(
        Op::While, arguments,
        Attributes().set(Attribute::Condition, row).set(Attribute::Body, row + 1).words(), effect, results);
}

NodeId Graph::appendWithResults(Op op, std::span<const NodeId> inputs, Words attributes, Effect effect,
                                std::span<const types::TensorTypeId> results) {
    RETRACESCOPE_CHECK(results.size() <= 0xffff);
    Node node;
    node.op = op;
    node.effect = static_cast<std::uint8_t>(effect);
    node.resultCount = static_cast<std::uint16_t>(results.size());
    node.type = results.empty() ? types::TensorTypeId::None : results[0];
    const NodeId id = appendNode(node, inputs, attributes);
    for (std::size_t i = 1; i < results.size(); ++i) {
        Node result;
        result.op = Op::Result;
        result.resultCount = static_cast<std::uint16_t>(i);
        result.type = results[i];
        appendNode(result, std::span(&id, 1), {});
    }
    return id;
}

} // namespace retracescope::ir
