#include <retracescope/engine/runtime/plan_builder.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/dataset_kernels.h>
#include <retracescope/engine/runtime/kernels/list_kernels.h>
#include <retracescope/engine/runtime/run_error.h>
#include <retracescope/engine/runtime/tensor_commands.h>

namespace retracescope::runtime {

using ir::NodeId;
using ir::Op;

namespace {

bool isOnTensors(Op op) {
    return op == Op::ReadVariable || op == Op::AssignVariable || op == Op::AssignAddVariable ||
           op == Op::AssignSubVariable || op == Op::Print || op == Op::Assert || op == Op::CheckNumerics ||
           ir::hasResultNodes(op) || isOnLists(op) || isOnDatasets(op);
}

} // namespace

PlanBuilder::PlanBuilder(Plan& plan)
    : m_plan(plan), m_graph(plan.m_graph), m_types(m_graph.nodeCount()), m_needsTensor(m_graph.nodeCount()),
      m_places(m_graph.nodeCount(), Place::Nowhere), m_roots(m_graph.nodeCount()),
      m_lastUse(m_graph.nodeCount()), m_offsets(m_graph.nodeCount()) {}

void PlanBuilder::build() {
    inferTypes();
    noteFacts();
    markTensors();
    choosePlaces();
    findLastUses();
    addCommands();
    addUses();
    addOutputs();
    m_plan.m_slabBytes = m_layout.slabBytes();
    m_plan.m_leastBytes = m_layout.leastBytes();
}

void PlanBuilder::inferTypes() {
    for (std::size_t i = 0; i < m_graph.inputs().size(); ++i)
        m_types[m_graph.inputs()[i]] = m_plan.m_inputTypes[i];
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node) {
        if (m_types[node] != types::TensorTypeId::None)
            continue;
        m_types[node] = m_graph.typeOf(node);
        const bool isNarrowed = std::ranges::any_of(
            m_graph.inputsOf(node), [&](NodeId input) { return m_types[input] != m_graph.typeOf(input); });
        if (isNarrowed && ir::isInferred(m_graph.node(node).op))
            m_types[node] = inferNode(node); // throws before the first effect if actual sizes do not fit
    }
}

types::TensorTypeId PlanBuilder::inferNode(NodeId node) const {
    std::vector<types::TensorTypeId> inputTypes;
    std::vector<tensor::Tensor> values;
    for (const NodeId input : m_graph.inputsOf(node)) {
        inputTypes.push_back(m_types[input]);
        const bool isConstant = m_graph.node(input).op == Op::Constant;
        values.push_back(isConstant ? m_graph.constantOf(input) : tensor::Tensor());
    }
    try {
        return ir::inferType({m_graph.node(node).op, inputTypes, m_graph.attributesOf(node), values});
    } catch (const UsageError& error) {
        throwAtNode(m_graph, node, error);
    }
}

void PlanBuilder::requireRoom(NodeId node) const {
    try {
        tensor::Tensor::requireRoom(m_types[node], ir::opName(m_graph.node(node).op));
    } catch (const UsageError& error) {
        throwAtNode(m_graph, node, error);
    }
}

void PlanBuilder::noteFacts() {
    m_facts.resize(m_graph.nodeCount());
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node) {
        Facts& facts = m_facts[node];
        const types::TensorTypeId type = m_types[node];
        facts.isOnTensors = isOnTensors(m_graph.node(node).op);
        if (type != types::TensorTypeId::None) {
            const auto elements = types::elementsOf(type);
            const types::DType dtype = types::dtypeOf(type);
            facts.isKnown = elements.has_value();
            if (facts.isKnown)
                requireRoom(node);
            facts.isObjects = dtype == types::DType::String || tensor::holdsResources(dtype);
            facts.elementBytes = static_cast<std::uint32_t>(types::dtypeBytes(dtype));
            facts.bytes = static_cast<std::size_t>(elements.value_or(0)) * facts.elementBytes;
        }
        facts.hasUnknownShapes = (type != types::TensorTypeId::None && !facts.isKnown) ||
                                 std::ranges::any_of(m_graph.inputsOf(node),
                                                     [&](NodeId input) { return !m_facts[input].isKnown; });
    }
}

/// From the end to the start, so that a view hands its need on to what it looks at.
void PlanBuilder::markTensors() {
    for (const NodeId output : m_graph.outputs())
        m_needsTensor[output] = true;
    for (NodeId node = m_graph.nodeCount(); node-- > 0;) {
        const Op op = m_graph.node(node).op;
        if (op == Op::Placeholder || op == Op::Constant || op == Op::Result)
            continue;
        const bool handsOn = m_facts[node].runsOnTensors() || (m_needsTensor[node] && isView(op));
        if (!handsOn)
            continue;
        for (const NodeId input : m_graph.inputsOf(node))
            m_needsTensor[input] = true;
    }
}

void PlanBuilder::choosePlaces() {
    m_plan.m_slotOf.assign(m_graph.nodeCount(), kNoSlot);
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node) {
        m_roots[node] = node;
        const Op op = m_graph.node(node).op;
        if (m_types[node] == types::TensorTypeId::None)
            continue;
        if (op == Op::Placeholder)
            m_places[node] = std::ranges::count(m_graph.inputs(), node) > 0 ? Place::Input : Place::Bound;
        else if (op == Op::Constant)
            m_places[node] = Place::Bound;
        else if (op == Op::Result || m_facts[node].runsOnTensors())
            m_places[node] = Place::Slot;
        else if (isView(op))
            placeView(node);
        else
            m_places[node] = m_needsTensor[node] || m_facts[node].isObjects ? Place::Slot : Place::Slab;
        if (m_places[node] == Place::Slot)
            m_plan.m_slotOf[node] = m_plan.m_slotCount++;
    }
}

/// A view that kernels alone read costs nothing: it lies where its source lies. Else it is a tensor on the
/// same storage.
void PlanBuilder::placeView(NodeId node) {
    const NodeId source = m_graph.inputsOf(node)[0];
    if (m_needsTensor[node] || m_places[source] == Place::Slot) {
        m_places[node] = Place::Slot;
        return;
    }
    m_places[node] = m_places[source];
    m_roots[node] = m_roots[source];
}

void PlanBuilder::findLastUses() {
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node) {
        m_lastUse[m_roots[node]] = node;
        for (const NodeId input : m_graph.inputsOf(node))
            m_lastUse[m_roots[input]] = node;
    }
}

void PlanBuilder::addCommands() {
    m_plan.m_commands.reserve(m_graph.nodeCount());
    m_plan.m_commandNodes.reserve(m_graph.nodeCount());
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node) {
        const Op op = m_graph.node(node).op;
        if (op == Op::Placeholder || op == Op::Constant || op == Op::Result)
            continue;
        addCommand(node);
        releaseDead(node);
    }
}

void PlanBuilder::addCommand(NodeId node) {
    const Op op = m_graph.node(node).op;
    if (!m_facts[node].runsOnTensors()) {
        if (!isView(op))
            addKernel(node);
        else if (m_places[node] == Place::Slot)
            addTensorCommand(node, &runView);
    } else if (op == Op::ReadVariable) {
        addTensorCommand(node, &runReadVariable);
    } else if (op == Op::HostCall) {
        addTensorCommand(node, &runHostCall);
    } else if (op == Op::Call) {
        addTensorCommand(node, &runCall);
    } else if (op == Op::Cond) {
        addTensorCommand(node, &runCond);
    } else if (op == Op::While) {
        addTensorCommand(node, &runWhile);
    } else if (!m_facts[node].isOnTensors || isOnLists(op) || isOnDatasets(op) || op == Op::CheckNumerics) {
        addTensorCommand(node, &runWhole);
    } else {
        addTensorCommand(node, &runEffectNode);
    }
}

void PlanBuilder::addTensorCommand(NodeId node, Kernel kernel) {
    Command command;
    command.kernel = kernel;
    command.output = node;
    command.params = static_cast<std::uint32_t>(m_plan.m_params.size());
    m_plan.m_params.push_back(static_cast<std::int64_t>(m_types[node]));
    const auto inputs = m_graph.inputsOf(node);
    command.a = inputs.empty() ? 0 : inputs[0];
    const Op op = m_graph.node(node).op;
    const std::size_t results = ir::hasResultNodes(op) ? m_graph.node(node).resultCount : 0;
    const std::size_t decisions = op == Op::While ? 1 : 0; // what the condition returns
    m_plan.m_scratchCount = std::max(m_plan.m_scratchCount, inputs.size() + results + decisions);
    m_plan.m_commands.push_back(command);
    m_plan.m_commandNodes.push_back(node);
}

void PlanBuilder::addKernel(NodeId node) {
    if (m_places[node] == Place::Slot)
        m_plan.m_preparedSlots.push_back({node, m_types[node], outputOf(node)});
    else
        placeInSlab(node);
    const auto inputs = m_graph.inputsOf(node);
    m_inputTypes.clear();
    for (const NodeId input : inputs)
        m_inputTypes.push_back(m_types[input]);
    const Command command = chooseKernel(
        {m_graph.node(node).op, m_graph.attributesOf(node), m_inputTypes, m_types[node], inputs, node},
        m_plan.m_params);
    m_plan.m_commands.push_back(command);
    m_plan.m_commandNodes.push_back(node);
}

std::uint32_t PlanBuilder::outputOf(NodeId node) const {
    const auto found = std::ranges::find(m_graph.outputs(), node);
    return found == m_graph.outputs().end() ? kNoOutput
                                            : static_cast<std::uint32_t>(found - m_graph.outputs().begin());
}

/// Elementwise results may lie on an input of equal size that dies here: element i is read before it is
/// written.
bool PlanBuilder::reusesInput(NodeId node) {
    if (!ir::opInfo(m_graph.node(node).op).elementwise)
        return false;
    for (const NodeId input : m_graph.inputsOf(node)) {
        const NodeId root = m_roots[input];
        const bool dies = m_places[input] == Place::Slab && m_lastUse[root] == node;
        const bool fits = m_facts[root].bytes == m_facts[node].bytes &&
                          m_facts[root].elementBytes == m_facts[node].elementBytes;
        if (dies && fits) {
            m_offsets[node] = m_offsets[root];
            m_lastUse[root] = ir::kNoNode; // its place went to the result
            return true;
        }
    }
    return false;
}

void PlanBuilder::placeInSlab(NodeId node) {
    if (!reusesInput(node))
        m_offsets[node] = m_layout.place(m_facts[node].bytes);
}

void PlanBuilder::releaseDead(NodeId node) {
    const auto releaseIfDead = [&](NodeId root) {
        if (m_places[root] == Place::Slab && m_lastUse[root] == node) {
            m_layout.release(m_offsets[root], m_facts[root].bytes);
            m_lastUse[root] = ir::kNoNode;
        }
    };
    for (const NodeId input : m_graph.inputsOf(node))
        releaseIfDead(m_roots[input]);
    if (m_types[node] != types::TensorTypeId::None)
        releaseIfDead(m_roots[node]);
}

void PlanBuilder::addUses() {
    m_plan.m_slabUses.reserve(m_graph.nodeCount());
    for (NodeId node = 0; node < m_graph.nodeCount(); ++node) {
        const NodeId root = m_roots[node];
        if (m_places[node] == Place::Slab) {
            m_plan.m_slabUses.push_back({node, m_offsets[root]});
        } else if (m_places[node] == Place::Input) {
            const auto input = std::ranges::find(m_graph.inputs(), root) - m_graph.inputs().begin();
            m_plan.m_inputUses.push_back({node, static_cast<std::uint32_t>(input)});
        } else if (m_places[node] == Place::Bound && m_graph.node(root).op == Op::Constant) {
            m_plan.m_boundUses.push_back({node, &m_graph.constantOf(root)});
        } else if (m_places[node] == Place::Bound) {
            m_plan.m_boundUses.push_back(
                {node, &std::ranges::find(m_graph.captures(), root, &ir::Capture::node)->value});
        }
    }
}

void PlanBuilder::addOutputs() {
    const auto outputs = m_graph.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const bool isRepeated = std::ranges::count(outputs.subspan(i + 1), outputs[i]) > 0;
        m_plan.m_movesOutput.push_back(m_places[outputs[i]] == Place::Slot && !isRepeated);
        if (m_plan.m_commands.empty())
            m_plan.m_sources.push_back(sourceOf(outputs[i]));
    }
    m_plan.m_isPlain = isPlain();
}

bool PlanBuilder::isPlain() const {
    return m_plan.m_preparedSlots.size() == m_graph.outputs().size() &&
           std::ranges::all_of(m_plan.m_preparedSlots,
                               [](const auto& slot) { return slot.output != kNoOutput; }) &&
           m_plan.m_slotCount == m_plan.m_preparedSlots.size() &&
           std::ranges::none_of(m_facts,
                                [](const Facts& facts) { return facts.runsOnTensors() || facts.isObjects; });
}

Plan::Source PlanBuilder::sourceOf(NodeId node) const {
    if (m_places[node] == Place::Input)
        return {nullptr, std::ranges::find(m_plan.m_inputUses, node, &Plan::InputUse::node)->input};
    return {std::ranges::find(m_plan.m_boundUses, node, &Plan::BoundUse::node)->tensor, 0};
}

} // namespace retracescope::runtime
