#include <retracescope/record/engine_graph.h>

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <retracescope/engine/ir/embedded.h>
#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/tensor/text.h>
#include <retracescope/types/dtype.h>
#include <retracescope/types/tensor_type.h>

namespace retracescope::record {

namespace {

using ir::Attribute;
using session::GraphId;
using session::StringId;

/// Converts a graph and all it leads to; each graph once.
class Converter {
public:
    EngineGraphs convert(const ir::Graph& graph) {
        rowOf(graph);
        for (std::size_t row = 0; row < m_found.size(); ++row) {
            session::Graph converted = convertOne(*m_found[row]); // may find more
            converted.isLibraryFunction = row > 0;
            m_result.graphs.push_back(std::move(converted));
        }
        return std::move(m_result);
    }

private:
    GraphId rowOf(const ir::Graph& graph) {
        const auto [it, isNew] = m_rows.try_emplace(&graph, GraphId(m_found.size()));
        if (isNew)
            m_found.push_back(&graph);
        return it->second;
    }

    StringId text(std::string_view text) { return m_result.strings.intern(text); }

    session::Graph convertOne(const ir::Graph& graph) {
        session::Graph to;
        to.name = text(graph.name());
        for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
            to.nodes.push_back(convertNode(graph, node, to));
        for (const ir::NodeId output : graph.outputs())
            to.outputs.push_back(edgeFrom(graph, output));
        return to;
    }

    session::GraphEdge edgeFrom(const ir::Graph& graph, ir::NodeId node) {
        return {node, 0, false, StringId(), typeText(graph, node)};
    }

    StringId typeText(const ir::Graph& graph, ir::NodeId node) {
        const types::TensorTypeId type = graph.typeOf(node);
        const auto [known, isNew] = m_typeTexts.try_emplace(type);
        if (isNew)
            known->second = text(type == types::TensorTypeId::None ? "" : types::toText(type));
        return known->second;
    }

    session::GraphNode convertNode(const ir::Graph& graph, ir::NodeId id, session::Graph& to) {
        session::GraphNode node;
        node.name = text(graph.nameOf(id));
        const tensor::Tensor* const embedded = ir::embeddedValue(graph, id);
        node.op = text(ir::opName(embedded != nullptr ? ir::Op::Constant : graph.node(id).op));
        node.type = typeText(graph, id);
        node.device = text("cpu");
        if (const ir::SourceLine* source = graph.sourceOf(id)) {
            node.file = text(source->file);
            node.line = source->line;
        }
        node.firstInput = static_cast<std::uint32_t>(to.inputs.size());
        for (const ir::NodeId input : graph.inputsOf(id))
            to.inputs.push_back(edgeFrom(graph, input));
        node.inputCount = static_cast<std::uint32_t>(to.inputs.size()) - node.firstInput;
        node.firstAttribute = static_cast<std::uint32_t>(to.attributes.size());
        node.firstCallee = static_cast<std::uint32_t>(to.callees.size());
        for (const Attribute attribute : graph.attributesOf(id).all())
            convertAttribute(graph, id, attribute, to);
        if (embedded != nullptr && graph.node(id).op != ir::Op::Constant)
            to.attributes.push_back(
                {text(ir::attributeName(Attribute::Constant)), text(tensor::valueText(*embedded))});
        node.attributeCount = static_cast<std::uint32_t>(to.attributes.size()) - node.firstAttribute;
        node.calleeCount = static_cast<std::uint32_t>(to.callees.size()) - node.firstCallee;
        return node;
    }

    void convertAttribute(const ir::Graph& graph, ir::NodeId node, Attribute attribute, session::Graph& to) {
        if (attribute == Attribute::Callee)
            addCallee("call", graph.calleeOf(node).graph(), to);
        else if (std::ranges::count(ir::branchAttributes(graph.node(node).op), attribute) > 0)
            addCallee(ir::attributeName(attribute), graph.branchOf(node, attribute), to);
        else
            to.attributes.push_back(
                {text(ir::attributeName(attribute)), text(valueText(graph, node, attribute))});
    }

    void addCallee(std::string_view role, const ir::Graph& callee, session::Graph& to) {
        to.callees.push_back({text(role), text(callee.name()), rowOf(callee)});
    }

    static std::string valueText(const ir::Graph& graph, ir::NodeId node, Attribute attribute) {
        const ir::AttributeView view = graph.attributesOf(node);
        if (attribute == Attribute::Constant)
            return tensor::valueText(graph.constantOf(node));
        if (attribute == Attribute::Host)
            return graph.hostOf(node).name;
        if (attribute == Attribute::DType)
            return std::string(types::dtypeName(static_cast<types::DType>(view.number(attribute))));
        if (attribute == Attribute::Type)
            return types::toText(static_cast<types::TensorTypeId>(view.number(attribute)));
        switch (ir::attributeKind(attribute)) {
        case ir::AttributeKind::Number:
            return std::to_string(view.number(attribute));
        case ir::AttributeKind::List:
            return fmt::format("[{}]", fmt::join(view.list(attribute), ", "));
        case ir::AttributeKind::Text:
            break;
        }
        return std::string(view.text(attribute));
    }

    std::unordered_map<const ir::Graph*, GraphId> m_rows;
    std::vector<const ir::Graph*> m_found;
    std::unordered_map<types::TensorTypeId, StringId> m_typeTexts;
    EngineGraphs m_result;
};

} // namespace

EngineGraphs convertGraph(const ir::Graph& graph) {
    return Converter().convert(graph);
}

} // namespace retracescope::record
