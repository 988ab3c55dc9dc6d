#include <retracescope/engine/ir/parse.h>

#include <charconv>
#include <cstdlib>
#include <map>

#include <fmt/format.h>

#include <retracescope/engine/ir/text_reader.h>
#include <retracescope/engine/tensor/constant.h>

namespace retracescope::ir {

namespace {

using tensor::Tensor;

/// One element after the other of a nested list, whose shape the type already says.
template <class T>
Tensor readNumbers(TextReader& reader, types::TensorTypeId type) {
    Tensor result = Tensor::uninitialized(type);
    for (T& element : result.mutableData<T>())
        element = reader.number<T>();
    return result;
}

Tensor readElements(TextReader& reader, types::TensorTypeId type) {
    using types::DType;
    switch (types::dtypeOf(type)) {
    case DType::Bool:
        return readNumbers<bool>(reader, type);
    case DType::Int8:
        return readNumbers<std::int8_t>(reader, type);
    case DType::Int16:
        return readNumbers<std::int16_t>(reader, type);
    case DType::Int32:
        return readNumbers<std::int32_t>(reader, type);
    case DType::Int64:
        return readNumbers<std::int64_t>(reader, type);
    case DType::UInt8:
        return readNumbers<std::uint8_t>(reader, type);
    case DType::UInt16:
        return readNumbers<std::uint16_t>(reader, type);
    case DType::UInt32:
        return readNumbers<std::uint32_t>(reader, type);
    case DType::UInt64:
        return readNumbers<std::uint64_t>(reader, type);
    case DType::Float32:
        return readNumbers<float>(reader, type);
    case DType::Float64:
        return readNumbers<double>(reader, type);
    case DType::String: {
        Tensor result = Tensor::uninitialized(type);
        for (std::string& element : result.mutableStrings())
            element = reader.quoted();
        return result;
    }
    default:
        reader.fail(fmt::format("a constant of dtype {} cannot be written down",
                                types::dtypeName(types::dtypeOf(type))));
    }
}

class GraphParser {
public:
    GraphParser(TextReader& reader, const ParseContext& context) : m_reader(reader), m_context(context) {}

    Graph parse() {
        m_reader.expect("graph");
        m_graph = Graph(m_reader.quoted());
        m_graph.shareEqualNodes(false);
        m_reader.expect("{");
        for (m_reader.beginStatement(); !m_reader.accept("return"); m_reader.beginStatement())
            parseNode();
        std::vector<NodeId> outputs;
        if (!m_reader.at("}"))
            outputs = parseNodes();
        m_graph.setOutputs(outputs);
        m_reader.expect("}");
        m_graph.shareEqualNodes(true);
        return std::move(m_graph);
    }

private:
    /// What stands behind the head of a node.
    struct Tail {
        Attributes attributes;
        std::vector<types::TensorTypeId> types;
        std::string name;
    };

    void parseNode() {
        std::vector<std::int64_t> labels;
        if (m_reader.at("%")) {
            do
                labels.push_back(parseLabel());
            while (m_reader.accept(","));
            m_reader.expect("=");
        }
        const std::string op = m_reader.word();
        NodeId node = kNoNode;
        if (op == "input" || op == "capture")
            node = parsePlaceholder(op == "capture");
        else if (op == "constant")
            node = parseConstant();
        else if (op == "call")
            node = parseCall();
        else if (op == "host_call")
            node = parseHostCall();
        else if (op == "cond")
            node = parseCond();
        else if (op == "while")
            node = parseWhile();
        else
            node = parseOp(op);
        if (m_graph.resultsOf(node).size() != labels.size())
            m_reader.fail(fmt::format("{} has {} results, {} are named", op, m_graph.resultsOf(node).size(),
                                      labels.size()));
        for (std::size_t i = 0; i < labels.size(); ++i)
            m_nodes[labels[i]] = node + static_cast<NodeId>(i);
    }

    NodeId parsePlaceholder(bool isCapture) {
        const std::string name = m_reader.quoted();
        const Tail tail = parseTail();
        if (tail.types.size() != 1)
            m_reader.fail("expected one type");
        if (!isCapture)
            return m_graph.addInput(tail.types[0], name);
        const Tensor value = m_context.capture ? m_context.capture(name) : Tensor();
        if (!value.isEager() || value.type() != tail.types[0])
            m_reader.fail(
                fmt::format("no tensor {} is known for the capture {}", types::toText(tail.types[0]), name));
        return m_graph.addCapture(value, name);
    }

    /// The type stands behind the value and is needed to read it.
    NodeId parseConstant() {
        TextReader value = m_reader;
        m_reader.skipValue();
        const Tail tail = parseTail();
        if (tail.types.size() != 1 || !types::shapeOf(tail.types[0]).isKnown())
            m_reader.fail("a constant needs a type with a known shape");
        if (*types::shapeOf(tail.types[0]).elementCount() > m_reader.size())
            m_reader.fail("a constant has fewer elements than its type says");
        return m_graph.addConstant(readElements(value, tail.types[0]), tail.name);
    }

    NodeId parseHostCall() {
        const std::string name = m_reader.quoted();
        const std::vector<NodeId> inputs = parseInputs();
        const Tail tail = parseTail();
        auto function = m_context.host ? m_context.host(name) : nullptr;
        if (!function || function->results != tail.types)
            m_reader.fail(
                fmt::format("no function with these results is known for the host call of {}", name));
        return named(m_graph.addHostCall(std::move(function), inputs), tail);
    }

    NodeId parseCall() {
        const std::string name = m_reader.quoted();
        const std::vector<NodeId> inputs = parseInputs();
        const Tail tail = parseTail();
        auto callee = m_context.callee ? m_context.callee(name) : nullptr;
        if (!callee)
            m_reader.fail(fmt::format("no graph is known for the call of {}", name));
        if (!m_reader.accept("backward"))
            return named(m_graph.addCall(std::move(callee), inputs), tail);
        OwnGradient gradient;
        gradient.backward = std::make_shared<const Graph>(parseInner());
        const AttributeView attributes = tail.attributes.view();
        gradient.results = static_cast<std::size_t>(attributes.number(Attribute::Index));
        for (const std::int64_t place : attributes.list(Attribute::GradientsOf))
            gradient.gradientsOf.push_back(static_cast<std::size_t>(place));
        return named(m_graph.addCall(std::move(callee), inputs, gradient), tail);
    }

    NodeId parseCond() {
        const std::vector<NodeId> inputs = parseInputs();
        if (inputs.empty())
            m_reader.fail("cond needs a predicate");
        const Tail tail = parseTail();
        const auto arguments = std::span(inputs).subspan(1);
        m_reader.expect("then");
        auto thenBranch = parseBranch(arguments);
        m_reader.expect("else");
        auto elseBranch = parseBranch(arguments);
        return named(m_graph.addCond(inputs[0], std::move(thenBranch), std::move(elseBranch),
                                     std::span(inputs).subspan(1)),
                     tail);
    }

    /// As many values change as the node has types.
    NodeId parseWhile() {
        const std::vector<NodeId> inputs = parseInputs();
        const Tail tail = parseTail();
        m_reader.expect("cond");
        auto condition = parseBranch(inputs);
        m_reader.expect("body");
        auto body = parseBranch(inputs);
        if (tail.types.size() > inputs.size())
            m_reader.fail("a loop has more values than inputs");
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (condition->typeOf(condition->inputs()[i]) != body->typeOf(body->inputs()[i]))
                m_reader.fail("condition and body take different types");
        }
        return named(m_graph.addWhile(std::move(condition), std::move(body), inputs, tail.types.size()),
                     tail);
    }

    Graph parseInner() {
        if (m_depth == kDeepest)
            m_reader.fail("branches are nested too deeply");
        GraphParser parser(m_reader, m_context);
        parser.m_depth = m_depth + 1;
        return parser.parse();
    }

    std::shared_ptr<const Graph> parseBranch(std::span<const NodeId> arguments) {
        auto branch = std::make_shared<const Graph>(parseInner());
        bool fits = branch->inputs().size() == arguments.size();
        for (std::size_t i = 0; fits && i < arguments.size(); ++i)
            fits = types::isSubtype(m_graph.typeOf(arguments[i]), branch->typeOf(branch->inputs()[i]));
        if (!fits)
            m_reader.fail(
                fmt::format("the branch {} does not take the arguments of its node", branch->name()));
        return branch;
    }

    NodeId parseOp(const std::string& name) {
        const auto op = opFromName(name);
        if (!op || *op == Op::Placeholder || *op == Op::Result)
            m_reader.fail(fmt::format("'{}' is no op", name));
        const std::vector<NodeId> inputs = parseInputs();
        const Tail tail = parseTail();
        const NodeId node = m_graph.append(*op, inputs, tail.attributes);
        const types::TensorTypeId inferred = m_graph.typeOf(node);
        if (!tail.types.empty() && tail.types[0] != inferred)
            m_reader.fail(
                fmt::format("{} is written as {}, but is {}", name, types::toText(tail.types[0]),
                            inferred == types::TensorTypeId::None ? "none" : types::toText(inferred)));
        return named(node, tail);
    }

    NodeId named(NodeId node, const Tail& tail) {
        if (!tail.name.empty())
            m_graph.nameNode(node, tail.name);
        return node;
    }

    Tail parseTail() {
        Tail tail;
        if (m_reader.accept("{"))
            parseAttributes(tail.attributes);
        if (m_reader.accept(":")) {
            do
                tail.types.push_back(parseTypeHere());
            while (m_reader.accept(","));
        }
        parseSource();
        const std::string scope = m_reader.accept("in") ? m_reader.quoted() : std::string();
        m_graph.setScope(scope);
        if (m_reader.accept("named"))
            tail.name = m_reader.quoted();
        return tail;
    }

    void parseSource() {
        if (!m_reader.accept("@")) {
            m_graph.setSource(0);
            return;
        }
        const std::string file = m_reader.quoted();
        m_reader.expect(":");
        const auto line = m_reader.number<std::uint32_t>();
        m_graph.setSource(file, m_reader.quoted(), line);
    }

    void parseAttributes(Attributes& attributes) {
        int last = -1;
        do {
            const std::string name = m_reader.word();
            m_reader.expect("=");
            int row = 0;
            while (row < kAttributeCount && attributeName(static_cast<Attribute>(row)) != name)
                ++row;
            if (row == kAttributeCount)
                m_reader.fail(fmt::format("'{}' is no attribute", name));
            if (row <= last)
                m_reader.fail(fmt::format("attribute {} stands twice or too late", name));
            last = row;
            parseAttribute(static_cast<Attribute>(row), attributes);
        } while (m_reader.accept(","));
        m_reader.expect("}");
    }

    void parseAttribute(Attribute attribute, Attributes& attributes) {
        if (attribute == Attribute::DType) {
            const auto dtype = types::dtypeFromName(m_reader.word());
            if (!dtype)
                m_reader.fail("expected a dtype");
            attributes.set(attribute, static_cast<std::int64_t>(*dtype));
        } else if (attribute == Attribute::Type) {
            attributes.set(attribute, static_cast<std::int64_t>(parseTypeHere()));
        } else if (attributeKind(attribute) == AttributeKind::Number) {
            attributes.set(attribute, m_reader.number<std::int64_t>());
        } else if (attributeKind(attribute) == AttributeKind::Text) {
            attributes.set(attribute, m_reader.quoted());
        } else {
            std::vector<std::int64_t> list;
            m_reader.expect("[");
            while (!m_reader.accept("]")) {
                list.push_back(m_reader.number<std::int64_t>());
                m_reader.accept(",");
            }
            attributes.set(attribute, list);
        }
    }

    types::TensorTypeId parseTypeHere() {
        const auto type = parseType(m_reader.typeText());
        if (!type)
            m_reader.fail("expected a type such as float32[2,None]");
        return *type;
    }

    std::vector<NodeId> parseInputs() {
        m_reader.expect("(");
        if (m_reader.accept(")"))
            return {};
        std::vector<NodeId> inputs = parseNodes();
        m_reader.expect(")");
        return inputs;
    }

    std::vector<NodeId> parseNodes() {
        std::vector<NodeId> nodes;
        do {
            const auto found = m_nodes.find(parseLabel());
            if (found == m_nodes.end())
                m_reader.fail("a node is used before it is defined");
            if (m_graph.typeOf(found->second) == types::TensorTypeId::None)
                m_reader.fail("a node without a value is used");
            nodes.push_back(found->second);
        } while (m_reader.accept(","));
        return nodes;
    }

    std::int64_t parseLabel() {
        m_reader.expect("%");
        return m_reader.number<std::int64_t>();
    }

    static constexpr int kDeepest = 100;

    TextReader& m_reader;
    const ParseContext& m_context;
    int m_depth = 0;
    Graph m_graph;
    std::map<std::int64_t, NodeId> m_nodes; ///< by label
};

} // namespace

Result<Graph> parseGraph(std::string_view text, const ParseContext& context) {
    TextReader reader(text);
    try {
        Graph graph = GraphParser(reader, context).parse();
        reader.expectEnd();
        return graph;
    } catch (const TextReader::Failure& failure) {
        return Error{fmt::format("line {}: {}", reader.line(), failure.message)};
    } catch (const UsageError& error) {
        return Error{fmt::format("line {}: {}", reader.line(), error.what())};
    }
}

std::optional<types::TensorTypeId> parseType(std::string_view text) {
    const std::size_t end = text.find_first_of("[<");
    const auto dtype = types::dtypeFromName(text.substr(0, end));
    if (!dtype || *dtype == types::DType::None || end == std::string_view::npos)
        return std::nullopt;
    std::string_view rest = text.substr(end);
    if (rest == "<unknown>")
        return types::tensorType(*dtype, types::Shape::unknownRank());
    if (rest.size() < 2 || rest.back() != ']')
        return std::nullopt;
    rest = rest.substr(1, rest.size() - 2);
    std::vector<std::int64_t> sizes;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view size = rest.substr(0, comma);
        std::int64_t value = types::Shape::kUnknown;
        if (size != "None") {
            const auto [stop, failure] = std::from_chars(size.data(), size.data() + size.size(), value);
            if (failure != std::errc() || stop != size.data() + size.size() || value < 0)
                return std::nullopt;
        }
        sizes.push_back(value);
        rest = rest.substr(std::min(comma + 1, rest.size()));
    }
    return types::tensorType(*dtype, types::Shape(sizes));
}

} // namespace retracescope::ir
