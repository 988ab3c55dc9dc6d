#include <retracescope/engine/ir/print.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <retracescope/engine/tensor/text.h>

namespace retracescope::ir {

namespace {

using tensor::quoted;

std::string attributeText(AttributeView attributes, Attribute attribute) {
    switch (attribute) {
    case Attribute::DType:
        return std::string(types::dtypeName(static_cast<types::DType>(attributes.number(attribute))));
    case Attribute::Type:
        return types::toText(static_cast<types::TensorTypeId>(attributes.number(attribute)));
    default:
        break;
    }
    switch (attributeKind(attribute)) {
    case AttributeKind::Number:
        return fmt::format("{}", attributes.number(attribute));
    case AttributeKind::List:
        return fmt::format("[{}]", fmt::join(attributes.list(attribute), ","));
    case AttributeKind::Text:
        return quoted(attributes.text(attribute));
    }
    return {};
}

bool isTableRow(Attribute attribute) {
    return attribute == Attribute::Constant || attribute == Attribute::Callee ||
           attribute == Attribute::Then || attribute == Attribute::Else ||
           attribute == Attribute::Condition || attribute == Attribute::Body ||
           attribute == Attribute::Backward || attribute == Attribute::Host;
}

class Printer {
public:
    std::string print(const Graph& graph) {
        printGraph(graph, 0);
        return std::move(m_text) + '\n';
    }

private:
    void printGraph(const Graph& graph, int depth) {
        m_text += fmt::format("graph {} {{\n", quoted(graph.name()));
        for (NodeId id = 0; id < graph.nodeCount(); ++id) {
            if (graph.node(id).op != Op::Result)
                printNode(graph, id, depth + 1);
        }
        m_text += fmt::format("{:{}}return{}\n", "", 2 * (depth + 1), listOf(graph.outputs()));
        m_text += fmt::format("{:{}}}}", "", 2 * depth);
    }

    void printNode(const Graph& graph, NodeId id, int depth) {
        const auto results = graph.resultsOf(id);
        m_text += fmt::format("{:{}}", "", 2 * depth);
        if (!results.empty())
            m_text += listOf(results).substr(1) + " = ";
        m_text += headOf(graph, id);
        printAttributes(graph.attributesOf(id));
        for (std::size_t i = 0; i < results.size(); ++i)
            m_text += (i == 0 ? " : " : ", ") + types::toText(graph.typeOf(results[i]));
        printPlace(graph, id);
        for (const Attribute branch : branchAttributes(graph.node(id).op)) {
            if (!graph.attributesOf(id).has(branch))
                continue;
            m_text += fmt::format(" {} ", attributeName(branch));
            printGraph(graph.branchOf(id, branch), depth);
        }
        m_text += '\n';
    }

    static std::string headOf(const Graph& graph, NodeId id) {
        switch (graph.node(id).op) {
        case Op::Placeholder: {
            const bool isCapture = std::ranges::count(graph.captures(), id, &Capture::node) > 0;
            return fmt::format("{} {}", isCapture ? "capture" : "input", quoted(graph.givenNameOf(id)));
        }
        case Op::Constant:
            return "constant " + tensor::valueText(graph.constantOf(id), 0);
        case Op::HostCall:
            return fmt::format("host_call {}({})", quoted(graph.hostOf(id).name), inputsText(graph, id));
        case Op::Call:
            return fmt::format("call {}({})", quoted(graph.calleeOf(id).graph().name()),
                               inputsText(graph, id));
        default:
            return fmt::format("{}({})", opName(graph.node(id).op), inputsText(graph, id));
        }
    }

    void printAttributes(AttributeView attributes) {
        std::string text;
        for (const Attribute attribute : attributes.all()) {
            if (!isTableRow(attribute))
                text += fmt::format("{}{}={}", text.empty() ? "" : ", ", attributeName(attribute),
                                    attributeText(attributes, attribute));
        }
        if (!text.empty())
            m_text += " {" + text + '}';
    }

    void printPlace(const Graph& graph, NodeId id) {
        if (const SourceLine* source = graph.sourceOf(id))
            m_text +=
                fmt::format(" @ {}:{} {}", quoted(source->file), source->line, quoted(source->function));
        if (!graph.scopeOf(id).empty())
            m_text += " in " + quoted(graph.scopeOf(id));
        if (graph.node(id).op != Op::Placeholder && !graph.givenNameOf(id).empty())
            m_text += " named " + quoted(graph.givenNameOf(id));
    }

    static std::string inputsText(const Graph& graph, NodeId id) {
        const std::string list = listOf(graph.inputsOf(id));
        return list.empty() ? list : list.substr(1);
    }

    /// " %1, %2", or nothing.
    static std::string listOf(std::span<const NodeId> nodes) {
        std::string text;
        for (const NodeId node : nodes)
            text += fmt::format("{} %{}", text.empty() ? "" : ",", node);
        return text;
    }

    std::string m_text;
};

} // namespace

std::string toText(const Graph& graph) {
    return Printer().print(graph);
}

} // namespace retracescope::ir
