#include <retracescope/engine/ir/graph.h>

#include <algorithm>

#include <fmt/format.h>

namespace retracescope::ir {

namespace {

constexpr std::size_t kFirstTableSize = 128;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 32);
}

/// The first two; anything if there are fewer.
std::array<NodeId, 2> sortedPair(std::span<const NodeId> inputs) {
    if (inputs.size() < 2)
        return {};
    return {std::min(inputs[0], inputs[1]), std::max(inputs[0], inputs[1])};
}

/// "block/" of the scope "block/dense" if the name is "dense/kernel", as that of a layer's variable is; with
/// a slash behind it, unless it is empty.
std::string scopeBefore(std::string_view scope, std::string_view name) {
    for (std::size_t start = 0; start != std::string_view::npos;) {
        const std::string_view end = scope.substr(start);
        if (name.starts_with(end) && name.substr(end.size()).starts_with('/'))
            return std::string(scope.substr(0, start));
        const std::size_t slash = scope.find('/', start);
        start = slash == std::string_view::npos ? slash : slash + 1;
    }
    return scope.empty() ? std::string() : std::string(scope) + '/';
}

} // namespace

Graph::Graph(std::string name) : m_name(std::move(name)), m_table(kFirstTableSize, kNoNode) {
    m_nodes.reserve(kFirstTableSize / 2);
    m_edges.reserve(kFirstTableSize / 2);
}

void Graph::setSource(std::string_view file, std::string_view function, std::uint32_t line) {
    const std::uint64_t key = mixed(reinterpret_cast<std::uint64_t>(file.data()), line);
    SourceId& id = m_sourceIds[key];
    if (id == 0 || m_sources[id].file != file || m_sources[id].function != function) {
        id = static_cast<SourceId>(m_sources.size());
        m_sources.push_back({std::string(file), std::string(function), line});
    }
    m_source = id;
}

void Graph::setSource(const std::source_location& place) {
    if (place.line() == 0)
        return;
    const std::uint64_t hash = mixed(reinterpret_cast<std::uint64_t>(place.file_name()), place.line());
    KnownPlace& known = m_knownPlaces[hash % m_knownPlaces.size()];
    if (known.file != place.file_name() || known.function != place.function_name() ||
        known.line != place.line()) {
        if (isOfStandardLibrary(place.file_name()))
            return;
        setSource(place.file_name(), place.function_name(), place.line());
        known = {place.file_name(), place.function_name(), place.line(), m_source};
    }
    m_source = known.source;
}

void Graph::pushScope(std::string_view name) {
    const std::string& outer = m_names[m_scopes.back()];
    m_scopes.push_back(nameId(outer.empty() ? std::string(name) : outer + '/' + std::string(name)));
}

void Graph::popScope() {
    RETRACESCOPE_CHECK(m_scopes.size() > 1);
    m_scopes.pop_back();
}

NodeId Graph::addInput(types::TensorTypeId type, std::string_view name) {
    Node node;
    node.op = Op::Placeholder;
    node.type = type;
    node.name = nameId(name);
    const NodeId id = appendNode(node, {}, {});
    m_inputs.push_back(id);
    return id;
}

NodeId Graph::addCapture(const tensor::Tensor& value, std::string_view name) {
    RETRACESCOPE_CHECK(value.isEager());
    for (const Capture& capture : m_captures) {
        if (capture.value.isSame(value))
            return capture.node;
        if (value.dtype() == types::DType::Resource && capture.value.dtype() == types::DType::Resource &&
            capture.value.target() == value.target())
            return capture.node;
    }
    Node node;
    node.op = Op::Placeholder;
    node.type = value.type();
    node.name = nameId(name);
    const NodeId id = appendNode(node, {}, {});
    m_captures.push_back({id, value});
    return id;
}

NodeId Graph::addConstant(const tensor::Tensor& value, std::string_view name) {
    RETRACESCOPE_CHECK(value.isEager());
    std::vector<std::uint32_t>& rows = m_constantRows[tensor::contentHash(value)];
    auto row = std::ranges::find_if(
        rows, [&](std::uint32_t candidate) { return tensor::sameContent(m_constants[candidate], value); });
    if (row == rows.end()) {
        m_constants.push_back(value);
        rows.push_back(static_cast<std::uint32_t>(m_constants.size() - 1));
        row = rows.end() - 1;
    }
    const Attributes attributes = Attributes().set(Attribute::Constant, *row);
    const Words words = attributes.words();
    NodeId* slot =
        findEqual(hashOf(Op::Constant, {}, words, value.type()), Op::Constant, {}, words, value.type());
    if (m_shares && *slot != kNoNode)
        return *slot;
    Node node;
    node.op = Op::Constant;
    node.type = value.type();
    node.name = nameId(name);
    const NodeId id = appendNode(node, {}, words);
    *slot = id;
    growTable();
    return id;
}

NodeId Graph::append(Op op, std::span<const NodeId> inputs, const Attributes& attributes) {
    requireNodes(inputs);
    RETRACESCOPE_CHECK(isInferred(op));
    const types::TensorTypeId type = inferred(op, inputs, attributes.view()); // what it refuses is in order
    const std::array sorted = sortedPair(inputs);
    if (commutes(op, inputs))
        inputs = sorted;
    return appendTyped(op, type, inputs, attributes.words());
}

/// Whether its two inputs may change places.
bool Graph::commutes(Op op, std::span<const NodeId> inputs) const {
    return inputs.size() == 2 && opInfo(op).commutative &&
           types::dtypeOf(m_nodes[inputs[0]].type) != types::DType::String;
}

types::TensorTypeId Graph::inferred(Op op, std::span<const NodeId> inputs, AttributeView attributes) const {
    std::array<types::TensorTypeId, 4> few;
    std::vector<types::TensorTypeId> many(inputs.size() > few.size() ? inputs.size() : 0);
    const std::span inputTypes = many.empty() ? std::span(few).first(inputs.size()) : std::span(many);
    std::ranges::transform(inputs, inputTypes.begin(), [&](NodeId id) { return m_nodes[id].type; });

    RuleInput rule{op, inputTypes, attributes, {}};
    std::vector<tensor::Tensor> values;
    if (looksAtValues(op)) {
        for (const NodeId input : inputs)
            values.push_back(m_nodes[input].op == Op::Constant ? constantOf(input) : tensor::Tensor());
        rule.values = values;
    }
    try {
        return inferType(rule);
    } catch (UsageError& error) {
        error.at(placeText());
        throw;
    }
}

/// An equal node that is there already, or a new one.
NodeId Graph::appendTyped(Op op, types::TensorTypeId type, std::span<const NodeId> inputs, Words attributes) {
    Node node;
    node.op = op;
    node.type = type;
    const Effect effect = opInfo(op).effect;
    node.effect = static_cast<std::uint8_t>(effect);
    node.resultCount = type == types::TensorTypeId::None ? 0 : 1;
    if (effect != Effect::None || !m_shares)
        return appendNode(node, inputs, attributes);

    NodeId* slot = findEqual(hashOf(op, inputs, attributes, type), op, inputs, attributes, type);
    if (*slot != kNoNode)
        return *slot;
    const NodeId id = appendNode(node, inputs, attributes);
    *slot = id;
    growTable();
    return id;
}

Graph Graph::blankCopy() const {
    Graph copy(m_name);
    copy.m_sources = m_sources;
    copy.m_names = m_names;
    copy.m_nameIds = m_nameIds;
    copy.m_hosts = m_hosts;
    copy.m_callees = m_callees;
    copy.m_branches = m_branches;
    return copy;
}

NodeId Graph::appendCopy(const Graph& from, NodeId id, std::span<const NodeId> inputs) {
    const Node& node = from.m_nodes[id];
    standWhere(from, id);
    NodeId copy = kNoNode;
    if (node.op == Op::Placeholder) {
        const auto capture = std::ranges::find(from.m_captures, id, &Capture::node);
        copy = capture == from.m_captures.end() ? addInput(node.type, from.m_names[node.name])
                                                : addCapture(capture->value, from.m_names[node.name]);
    } else if (node.op == Op::Constant) {
        copy = addConstant(from.constantOf(id), from.m_names[node.name]);
    } else if (hasResultNodes(node.op)) {
        std::vector<types::TensorTypeId> results;
        for (const NodeId result : from.resultsOf(id))
            results.push_back(from.typeOf(result));
        copy = appendWithResults(node.op, inputs, from.attributesOf(id).words(), from.effectOf(id), results);
    } else {
        copy = appendInferredCopy(from, id, inputs);
    }
    if (m_nodes[copy].name == 0)
        m_nodes[copy].name = node.name;
    return copy;
}

/// A node whose inputs kept their types keeps its own.
NodeId Graph::appendInferredCopy(const Graph& from, NodeId id, std::span<const NodeId> inputs) {
    const Node& node = from.m_nodes[id];
    const bool isAsBefore = std::ranges::equal(
        inputs, from.inputsOf(id), {}, [&](NodeId input) { return m_nodes[input].type; },
        [&](NodeId input) { return from.m_nodes[input].type; });
    if (!isAsBefore || looksAtValues(node.op))
        return append(node.op, inputs, Attributes(from.attributesOf(id)));
    const std::array sorted = sortedPair(inputs);
    if (commutes(node.op, inputs))
        inputs = sorted;
    return appendTyped(node.op, node.type, inputs, from.attributesOf(id).words());
}

void Graph::standWhere(const Graph& from, NodeId node) {
    m_source = from.m_nodes[node].source;
    m_scopes.back() = from.m_nodes[node].scope;
}

NodeId Graph::appendNode(Node node, std::span<const NodeId> inputs, Words words) {
    RETRACESCOPE_CHECK(inputs.size() <= 0xffff);
    node.inputCount = static_cast<std::uint16_t>(inputs.size());
    node.firstInput = static_cast<std::uint32_t>(m_edges.size());
    node.source = m_source;
    node.scope = m_scopes.back();
    m_edges.insert(m_edges.end(), inputs.begin(), inputs.end());
    node.attributes = addAttributes(words);
    m_nodes.push_back(node);
    return static_cast<NodeId>(m_nodes.size() - 1);
}

/// Where they begin; 0 if there are none.
std::uint32_t Graph::addAttributes(Words words) {
    if (words.empty())
        return 0;
    m_attributes.push_back(words.size());
    const auto start = static_cast<std::uint32_t>(m_attributes.size());
    m_attributes.insert(m_attributes.end(), words.begin(), words.end());
    return start;
}

AttributeView Graph::attributesOf(NodeId id) const {
    const std::uint32_t at = m_nodes[id].attributes;
    return at == 0 ? AttributeView()
                   : AttributeView(std::span(m_attributes).subspan(at, m_attributes[at - 1]));
}

std::vector<NodeId> Graph::resultsOf(NodeId id) const {
    const Node& node = m_nodes[id];
    std::vector<NodeId> late;
    if (runsGraphs(node.op))
        std::ranges::copy_if(m_lateResults, std::back_inserter(late),
                             [&](NodeId result) { return inputsOf(result)[0] == id; });
    std::vector<NodeId> results(node.op == Op::Result ? 1 : node.resultCount - late.size());
    for (std::size_t i = 0; i < results.size(); ++i)
        results[i] = id + static_cast<NodeId>(i);
    results.insert(results.end(), late.begin(), late.end());
    return results;
}

const tensor::Tensor& Graph::constantOf(NodeId id) const {
    RETRACESCOPE_CHECK(m_nodes[id].op == Op::Constant);
    return m_constants[static_cast<std::size_t>(attributesOf(id).number(Attribute::Constant))];
}

const HostFunction& Graph::hostOf(NodeId id) const {
    RETRACESCOPE_CHECK(m_nodes[id].op == Op::HostCall);
    return *m_hosts[static_cast<std::size_t>(attributesOf(id).number(Attribute::Host))];
}

const Callee& Graph::calleeOf(NodeId id) const {
    RETRACESCOPE_CHECK(m_nodes[id].op == Op::Call);
    return *m_callees[static_cast<std::size_t>(attributesOf(id).number(Attribute::Callee))];
}

const Graph& Graph::branchOf(NodeId id, Attribute which) const {
    RETRACESCOPE_CHECK(std::ranges::count(branchAttributes(m_nodes[id].op), which) == 1);
    return *m_branches[static_cast<std::size_t>(attributesOf(id).number(which))];
}

std::vector<const Graph*> Graph::innerGraphsOf(NodeId id) const {
    if (m_nodes[id].op == Op::Call)
        return {&calleeOf(id).graph()};
    std::vector<const Graph*> inner;
    for (const Attribute branch : branchAttributes(m_nodes[id].op))
        inner.push_back(&branchOf(id, branch));
    return inner;
}

std::string Graph::nameOf(NodeId id) const {
    const std::string_view given = givenNameOf(id);
    const std::string_view scope = scopeOf(id);
    const std::string own =
        given.empty() ? fmt::format("{}_{}", opName(m_nodes[id].op), id) : std::string(given);
    return scopeBefore(scope, own) + own;
}

const SourceLine* Graph::sourceOf(NodeId id) const {
    return m_nodes[id].source == 0 ? nullptr : &m_sources[m_nodes[id].source];
}

Effect Graph::effect() const {
    std::uint8_t greatest = 0;
    for (const Node& node : m_nodes)
        greatest = std::max(greatest, node.effect);
    return static_cast<Effect>(greatest);
}

std::uint64_t Graph::hashOf(Op op, std::span<const NodeId> inputs, Words attributes,
                            types::TensorTypeId type) const {
    std::uint64_t hash = mixed(static_cast<std::uint64_t>(op) << 32, static_cast<std::uint64_t>(type));
    for (const NodeId input : inputs)
        hash = mixed(hash, input);
    for (const std::uint64_t word : attributes)
        hash = mixed(hash, word);
    return hash;
}

/// The slot of an equal node, or the free slot where it belongs.
NodeId* Graph::findEqual(std::uint64_t hash, Op op, std::span<const NodeId> inputs, Words attributes,
                         types::TensorTypeId type) {
    const std::size_t mask = m_table.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
        const NodeId id = m_table[at];
        const bool isEqual = id != kNoNode && m_nodes[id].op == op && m_nodes[id].type == type &&
                             std::ranges::equal(inputsOf(id), inputs) &&
                             std::ranges::equal(attributesOf(id).words(), attributes);
        if (id == kNoNode || isEqual)
            return &m_table[at];
    }
}

/// To be called after a slot was filled: keeps the table at most half full.
void Graph::growTable() {
    if (++m_tableUsed * 2 < m_table.size())
        return;
    std::vector<NodeId> old(m_table.size() * 2, kNoNode);
    old.swap(m_table);
    const std::size_t mask = m_table.size() - 1;
    for (const NodeId id : old) {
        if (id == kNoNode)
            continue;
        std::size_t at =
            hashOf(m_nodes[id].op, inputsOf(id), attributesOf(id).words(), m_nodes[id].type) & mask;
        while (m_table[at] != kNoNode)
            at = (at + 1) & mask;
        m_table[at] = id;
    }
}

void Graph::requireNodes(std::span<const NodeId> inputs) const {
    for (const NodeId input : inputs)
        RETRACESCOPE_CHECK(input < m_nodes.size() && m_nodes[input].type != types::TensorTypeId::None);
}

NameId Graph::nameId(std::string_view text) {
    if (text.empty())
        return 0;
    const auto [found, isNew] = m_nameIds.try_emplace(std::string(text), static_cast<NameId>(m_names.size()));
    if (isNew)
        m_names.emplace_back(text);
    return found->second;
}

std::string Graph::placeText() const {
    return m_source == 0 ? std::string()
                         : retracescope::placeText(m_sources[m_source].file, m_sources[m_source].line);
}

} // namespace retracescope::ir
