#include <retracescope/record/engine_graph.h>

#include <algorithm>

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

std::string valueText(const ir::Graph& graph, ir::NodeId node, Attribute attribute) {
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

} // namespace

/// One graph and all it leads to; each graph once.
class GraphConverter::Run {
public:
    Run(GraphConverter& converter, GraphId first) : m_converter(converter), m_first(first.value) {}

    std::vector<session::Graph> convert(const ir::Graph& graph) {
        rowOf(graph);
        for (std::size_t row = 0; row < m_found.size(); ++row) {
            session::Graph converted = convertOne(*m_found[row]); // may find more
            converted.isLibraryFunction = row > 0;
            m_converted.push_back(std::move(converted));
        }
        return std::move(m_converted);
    }

private:
    GraphId rowOf(const ir::Graph& graph) {
        const auto found = std::ranges::find(m_found, &graph);
        const GraphId row(m_first + static_cast<std::size_t>(found - m_found.begin()));
        if (found == m_found.end())
            m_found.push_back(&graph);
        return row;
    }

    session::Graph convertOne(const ir::Graph& graph) {
        session::Graph to;
        to.name = m_converter.text(graph.name());
        to.nodes.reserve(graph.nodeCount());
        to.inputs.reserve(2 * graph.nodeCount());
        m_source = nullptr;
        for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
            to.nodes.push_back(convertNode(graph, node, to));
        for (const ir::NodeId output : graph.outputs())
            to.outputs.push_back(edgeFrom(graph, output));
        return to;
    }

    session::GraphEdge edgeFrom(const ir::Graph& graph, ir::NodeId node) {
        return {node, 0, false, StringId(), m_converter.typeText(graph.typeOf(node))};
    }

    session::GraphNode convertNode(const ir::Graph& graph, ir::NodeId id, session::Graph& to) {
        session::GraphNode node;
        const ir::Op op = graph.node(id).op;
        const tensor::Tensor* const embedded = ir::embeddedValue(graph, id);
        node.name = m_converter.nameText(graph, id);
        node.op = m_converter.opText(embedded != nullptr ? ir::Op::Constant : op);
        node.type = m_converter.typeText(graph.typeOf(id));
        node.device = m_device;
        setSource(graph.sourceOf(id), node);
        node.firstInput = static_cast<std::uint32_t>(to.inputs.size());
        for (const ir::NodeId input : graph.inputsOf(id))
            to.inputs.push_back(edgeFrom(graph, input));
        node.inputCount = static_cast<std::uint32_t>(to.inputs.size()) - node.firstInput;
        node.firstAttribute = static_cast<std::uint32_t>(to.attributes.size());
        node.firstCallee = static_cast<std::uint32_t>(to.callees.size());
        for (const Attribute attribute : graph.attributesOf(id).all())
            convertAttribute(graph, id, attribute, to);
        if (embedded != nullptr && op != ir::Op::Constant)
            addAttribute(Attribute::Constant, tensor::valueText(*embedded), to);
        node.attributeCount = static_cast<std::uint32_t>(to.attributes.size()) - node.firstAttribute;
        node.calleeCount = static_cast<std::uint32_t>(to.callees.size()) - node.firstCallee;
        return node;
    }

    /// Nodes that follow each other are mostly of one line.
    void setSource(const ir::SourceLine* source, session::GraphNode& node) {
        if (source == nullptr)
            return;
        if (source != m_source) {
            m_source = source;
            m_file = m_converter.fileText(source->file);
        }
        node.file = m_file;
        node.line = source->line;
    }

    void convertAttribute(const ir::Graph& graph, ir::NodeId node, Attribute attribute, session::Graph& to) {
        if (attribute == Attribute::Callee)
            addCallee("call", graph.calleeOf(node).graph(), to);
        else if (std::ranges::count(ir::branchAttributes(graph.node(node).op), attribute) > 0)
            addCallee(ir::attributeName(attribute), graph.branchOf(node, attribute), to);
        else
            addAttribute(attribute, valueText(graph, node, attribute), to);
    }

    void addAttribute(Attribute attribute, std::string_view value, session::Graph& to) {
        to.attributes.push_back({m_converter.text(ir::attributeName(attribute)), m_converter.text(value)});
    }

    void addCallee(std::string_view role, const ir::Graph& callee, session::Graph& to) {
        to.callees.push_back({m_converter.text(role), m_converter.text(callee.name()), rowOf(callee)});
    }

    GraphConverter& m_converter;
    std::size_t m_first;
    std::vector<const ir::Graph*> m_found;
    std::vector<session::Graph> m_converted;
    StringId m_device = m_converter.text("cpu");
    const ir::SourceLine* m_source = nullptr; ///< of the last node that has one
    StringId m_file;
};

std::vector<session::Graph> GraphConverter::convert(const ir::Graph& graph, GraphId first) {
    return Run(*this, first).convert(graph);
}

StringId GraphConverter::opText(ir::Op op) {
    StringId& known = m_ops[static_cast<std::size_t>(op)];
    if (!known.isValid())
        known = text(ir::opName(op));
    return known;
}

StringId GraphConverter::typeText(types::TensorTypeId type) {
    const auto [known, isNew] = m_types.try_emplace(type);
    if (isNew)
        known->second = text(type == types::TensorTypeId::None ? "" : types::toText(type));
    return known->second;
}

StringId GraphConverter::nameText(const ir::Graph& graph, std::uint32_t node) {
    if (!graph.givenNameOf(node).empty() || !graph.scopeOf(node).empty())
        return text(graph.nameOf(node));
    const std::uint64_t key = static_cast<std::uint64_t>(graph.node(node).op) << 32 | node;
    const auto [known, isNew] = m_names.try_emplace(key);
    if (isNew)
        known->second = text(graph.nameOf(node));
    return known->second;
}

StringId GraphConverter::fileText(const std::string& named) {
    const auto [known, isNew] = m_located.try_emplace(named);
    if (isNew)
        known->second = text(m_files.locate(named));
    return known->second;
}

} // namespace retracescope::record
