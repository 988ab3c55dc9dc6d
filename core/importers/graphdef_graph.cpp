#include <retracescope/importers/graphdef_graph.h>

#include <algorithm>
#include <array>
#include <charconv>

#include <retracescope/importers/graphdef_text.h>

namespace retracescope::importers {

using session::GraphEdge;
using session::StringId;

namespace {

constexpr std::size_t kMostFlawNames = 5;

std::string_view roleOf(std::string_view attribute) {
    if (attribute == "f")
        return "call";
    if (attribute == "then_branch")
        return "then";
    if (attribute == "else_branch")
        return "else";
    return attribute;
}

const graph_def::AttributeValue* attribute(const graph_def::Node& node, std::string_view key) {
    for (const auto& attr : node.attr()) {
        if (attr.key() == key)
            return &attr.value();
    }
    return nullptr;
}

/// Ops whose result has the dtype of attribute T; of others (comparisons, shapes) T says nothing about the
/// result.
bool resultHasDtypeT(std::string_view op) {
    static constexpr std::array<std::string_view, 40> kOps = {
        "Add",     "AddN",       "AddV2",   "BiasAdd",  "Concat",       "ConcatV2", "Conv2D", "Cos",
        "Exp",     "ExpandDims", "Fill",    "Identity", "Log",          "MatMul",   "Max",    "Maximum",
        "Mean",    "Min",        "Minimum", "Mul",      "Neg",          "Pack",     "Pow",    "RealDiv",
        "Relu",    "Reshape",    "Rsqrt",   "Select",   "SelectV2",     "Sigmoid",  "Sin",    "Slice",
        "Softmax", "Sqrt",       "Square",  "Squeeze",  "StridedSlice", "Sub",      "Sum",    "Tanh"};
    return std::ranges::binary_search(kOps, op);
}

/// Type of output 0 as far as the attributes say.
std::string resultType(const graph_def::Node& node) {
    using Case = graph_def::AttributeValue::ValueCase;
    std::string dtype;
    for (const std::string_view key : {"dtype", "DstT", "out_type", "output_type"}) {
        const auto* value = attribute(node, key);
        if (dtype.empty() && value != nullptr && value->value_case() == Case::kType)
            dtype = dtypeText(value->type());
    }
    if (dtype.empty() && resultHasDtypeT(node.op())) {
        const auto* value = attribute(node, "T");
        if (value != nullptr && value->value_case() == Case::kType)
            dtype = dtypeText(value->type());
    }
    if (dtype.empty())
        return {};
    if (const auto* shapes = attribute(node, "_output_shapes");
        shapes != nullptr && shapes->list().shape_size() > 0)
        return dtype + shapeText(shapes->list().shape(0));
    if (const auto* value = attribute(node, "value");
        value != nullptr && value->value_case() == Case::kTensor)
        return dtype + shapeText(value->tensor().shape());
    if (const auto* shape = attribute(node, "shape"); shape != nullptr && shape->value_case() == Case::kShape)
        return dtype + shapeText(shape->shape());
    return dtype;
}

struct Source {
    std::string_view node;
    std::uint32_t output = 0;
    bool control = false;
};

/// "node", "node:2", "^node"; in a function body "node:sum:0".
Source parseSource(std::string_view text) {
    Source source;
    source.control = text.starts_with('^');
    if (source.control) {
        source.node = text.substr(1);
        return source;
    }
    const std::size_t colon = text.find(':');
    source.node = text.substr(0, colon);
    if (colon == std::string_view::npos)
        return source;
    const std::string_view last = text.substr(text.rfind(':') + 1);
    std::from_chars(last.data(), last.data() + last.size(), source.output);
    return source;
}

} // namespace

GraphBuilder::GraphBuilder(session::Session& session, std::string_view name, bool isLibraryFunction)
    : m_session(session) {
    m_graph.name = session.strings.intern(name);
    m_graph.isLibraryFunction = isLibraryFunction;
}

void GraphBuilder::addArgument(std::string_view name, std::string type) {
    m_arguments[std::string(name)] = m_session.strings.intern(type);
}

void GraphBuilder::addNode(const graph_def::Node& node) {
    session::StringPool& strings = m_session.strings;
    const std::string name = plainText(node.name());
    const auto row = static_cast<std::uint32_t>(m_graph.nodes.size());
    if (!m_nodes.try_emplace(name, row).second)
        m_sharedNames.push_back(name);
    session::GraphNode added;
    added.name = strings.intern(name);
    added.op = strings.intern(plainText(node.op()));
    added.device = strings.intern(plainText(node.device()));
    added.type = strings.intern(resultType(node));
    added.firstInput = static_cast<std::uint32_t>(m_inputs.size());
    added.inputCount = static_cast<std::uint32_t>(node.input_size());
    for (const std::string& input : node.input())
        m_inputs.push_back(strings.intern(plainText(input)));
    added.firstAttribute = static_cast<std::uint32_t>(m_graph.attributes.size());
    added.firstCallee = static_cast<std::uint32_t>(m_graph.callees.size());
    for (const auto& attr : node.attr()) {
        const std::string key = plainText(attr.key());
        m_graph.attributes.push_back({strings.intern(key), strings.intern(attributeText(attr.value()))});
        const auto addCallee = [&](const graph_def::FunctionReference& callee) {
            m_graph.callees.push_back(
                {strings.intern(roleOf(key)), strings.intern(plainText(callee.name())), {}});
        };
        if (attr.value().has_func())
            addCallee(attr.value().func());
        for (const auto& callee : attr.value().list().func())
            addCallee(callee);
    }
    added.attributeCount = static_cast<std::uint32_t>(m_graph.attributes.size()) - added.firstAttribute;
    added.calleeCount = static_cast<std::uint32_t>(m_graph.callees.size()) - added.firstCallee;
    m_graph.nodes.push_back(added);
}

void GraphBuilder::addOutput(std::string_view source, bool control) {
    m_outputs.emplace_back(plainText(source), control);
}

session::GraphEdge GraphBuilder::resolve(std::string_view text, GraphFlaws& flaws) const {
    const Source source = parseSource(text);
    GraphEdge edge;
    edge.output = source.output;
    edge.control = source.control;
    const std::string name(source.node);
    if (const auto node = m_nodes.find(name); node != m_nodes.end()) {
        edge.from = node->second;
        if (!edge.control && edge.output == 0)
            edge.type = m_graph.nodes[node->second].type;
        return edge;
    }
    edge.external = m_session.strings.intern(text);
    if (const auto argument = m_arguments.find(name); argument != m_arguments.end()) {
        edge.type = argument->second;
        return edge;
    }
    ++flaws.danglingInputs;
    if (flaws.danglingNames.size() < kMostFlawNames)
        flaws.danglingNames.emplace_back(text);
    return edge;
}

session::GraphId GraphBuilder::finish(GraphFlaws& flaws) {
    for (const StringId input : m_inputs)
        m_graph.inputs.push_back(resolve(std::string(m_session.text(input)), flaws));
    for (const auto& [source, control] : m_outputs) {
        GraphEdge edge = resolve(source, flaws);
        edge.control = control;
        m_graph.outputs.push_back(edge);
    }
    flaws.sharedNames += static_cast<std::int64_t>(m_sharedNames.size());
    for (const std::string& name : m_sharedNames) {
        if (flaws.sharedNamesList.size() < kMostFlawNames &&
            std::ranges::find(flaws.sharedNamesList, name) == flaws.sharedNamesList.end())
            flaws.sharedNamesList.push_back(name);
    }
    m_session.graphs.push_back(std::move(m_graph));
    return session::GraphId(m_session.graphs.size() - 1);
}

void linkCallees(session::Session& session) {
    std::unordered_map<StringId, session::GraphId> byName;
    for (std::size_t row = 0; row < session.graphs.size(); ++row) {
        if (session.graphs[row].isLibraryFunction)
            byName.try_emplace(session.graphs[row].name, session::GraphId(row));
    }
    const StringId call = session.strings.intern("call");
    for (session::Graph& graph : session.graphs) {
        for (session::GraphCallee& callee : graph.callees) {
            const auto found = byName.find(callee.name);
            if (found != byName.end())
                callee.graph = found->second;
        }
        for (session::GraphNode& node : graph.nodes) {
            const auto found = byName.find(node.op);
            if (found == byName.end() || node.calleeCount > 0)
                continue;
            node.firstCallee = static_cast<std::uint32_t>(graph.callees.size());
            node.calleeCount = 1;
            graph.callees.push_back({call, node.op, found->second});
        }
    }
}

} // namespace retracescope::importers
