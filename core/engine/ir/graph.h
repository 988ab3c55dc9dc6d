#pragma once

#include <array>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/attributes.h>
#include <retracescope/engine/ir/host_function.h>
#include <retracescope/engine/ir/op.h>
#include <retracescope/engine/ir/op_table.h>
#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::ir {

class Graph;

/// A node, and the value it computes: a node with several results is followed by one Result node for each
/// further one, so that a value is always one id. (Those that replaceByCall() adds lie behind all nodes there
/// are; copying a node puts them in their place.)
using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffff;

/// Rows of the graph's tables; 0 = none.
using SourceId = std::uint32_t;
using NameId = std::uint32_t;

struct Node {
    Op op = Op::Identity;
    std::uint16_t inputCount = 0;
    std::uint16_t resultCount = 1; ///< 0 for an effect; of a Result node: its number, from 1
    std::uint8_t effect = 0;       ///< ir::Effect
    std::uint8_t spare = 0;
    std::uint32_t firstInput = 0; ///< row of the edges
    types::TensorTypeId type = types::TensorTypeId::None;
    std::uint32_t attributes = 0; ///< first word in the attribute arena; its length is the word before
    SourceId source = 0;          ///< the user's line
    NameId scope = 0;             ///< "block/dense"
    NameId name = 0;              ///< given by the user, or the argument's; 0 if none
};
static_assert(sizeof(Node) == 32);

/// The user's line that made a node.
struct SourceLine {
    std::string file;
    std::string function;
    std::uint32_t line = 0;
};

/// A tensor from outside that the graph uses: fixed when the graph was traced, bound when it runs.
struct Capture {
    NodeId node = kNoNode; ///< its placeholder
    tensor::Tensor value;  ///< eager
};

/// What a call node runs. runtime::Executable is one.
class Callee {
public:
    virtual ~Callee() = default;
    virtual const Graph& graph() const = 0;
};

/// What somebody who builds a graph keeps with a node of it.
struct Note {
    virtual ~Note() = default;
};

/// The gradient of a call that does not follow from its callee's ops.
struct OwnGradient {
    /// Takes the arguments of the call, its results, and the gradients of those of the first `results` that
    /// are floating; returns the gradients of the arguments `gradientsOf`.
    std::shared_ptr<const Graph> backward;
    std::size_t results = 0; ///< that it belongs to; those behind them have the usual gradient
    std::vector<std::size_t> gradientsOf;
};

/// A function's graph: nodes in program order, which is topological; no pointers between nodes, so a copy is
/// a copy of a few arrays. Equal nodes without effects are one node from the start (hash-consing), as are
/// equal constants. Every node carries its type, inferred when it is appended: a mistake throws UsageError
/// that names the user's line.
class Graph {
public:
    explicit Graph(std::string name = {});

    // Building. Sources and scopes set here mark the nodes appended from now on.
    void setSource(std::string_view file, std::string_view function, std::uint32_t line);
    void setSource(const std::source_location& place);
    void setSource(SourceId source) { m_source = source; }
    void pushScope(std::string_view name);
    void popScope();
    /// The innermost scope becomes exactly `path`.
    void setScope(std::string_view path) { m_scopes.back() = nameId(path); }
    void shareEqualNodes(bool share) { m_shares = share; }

    /// An argument; the run takes arguments in the order they were added.
    NodeId addInput(types::TensorTypeId type, std::string_view name);
    /// The placeholder of an eager tensor; the same tensor (identity) has one.
    NodeId addCapture(const tensor::Tensor& value, std::string_view name = {});
    NodeId addConstant(const tensor::Tensor& value, std::string_view name = {});
    NodeId append(Op op, std::span<const NodeId> inputs, const Attributes& attributes = {});
    NodeId append(Op op, std::initializer_list<NodeId> inputs, const Attributes& attributes = {}) {
        return append(op, std::span(inputs.begin(), inputs.size()), attributes);
    }
    /// The results are resultsOf(node), of the types that the function promises.
    NodeId addHostCall(std::shared_ptr<const HostFunction> function, std::span<const NodeId> arguments);
    /// Arguments must be subtypes of the callee's inputs. The results are results(node).
    NodeId addCall(std::shared_ptr<const Callee> callee, std::span<const NodeId> arguments);
    /// The same with a gradient of its own for the first results of the node.
    NodeId addCall(std::shared_ptr<const Callee> callee, std::span<const NodeId> arguments,
                   const OwnGradient& gradient);
    /// `predicate` is a bool scalar. Both branches take `arguments` and have equally many results with equal
    /// dtypes; their types become the common supertype.
    NodeId addCond(NodeId predicate, std::shared_ptr<const Graph> thenBranch,
                   std::shared_ptr<const Graph> elseBranch, std::span<const NodeId> arguments);
    /// Runs `body` while `condition` is true. Both take `arguments`, of which the first `count` change: the
    /// body returns as many, each of a subtype of its input. The results are those values at the end, of the
    /// types of the inputs.
    NodeId addWhile(std::shared_ptr<const Graph> condition, std::shared_ptr<const Graph> body,
                    std::span<const NodeId> arguments, std::size_t count);
    /// Puts a call into the place of a call, cond or while node, for what its gradient needs. `callee` takes
    /// the same arguments and returns the same results, and behind them further ones: the result here. A
    /// gradient of the node's own stays.
    std::vector<NodeId> replaceByCall(NodeId node, std::shared_ptr<const Callee> callee);
    /// Whether replaceByCall() has added results. Nobody runs such a graph: copy it (passes/rewrite.h) first.
    bool hasLateResults() const { return !m_lateResults.empty(); }
    /// A copy of the graph has its notes, a copy node by node has none.
    void addNote(NodeId node, std::shared_ptr<const Note> note) { m_notes.emplace(node, std::move(note)); }
    std::vector<std::shared_ptr<const Note>> notesOf(NodeId node) const;
    void setOutputs(std::span<const NodeId> outputs) { m_outputs.assign(outputs.begin(), outputs.end()); }
    void nameNode(NodeId node, std::string_view name) { m_nodes[node].name = nameId(name); }

    /// No nodes, but the tables of sources, names, hosts, callees and branches: what a pass fills with
    /// appendCopy().
    Graph blankCopy() const;
    /// Copies a node, with its source, scope, name and results, of the graph this one is a blankCopy() of.
    /// `inputs` are nodes of this graph; inputs and captures are added, not shared.
    NodeId appendCopy(const Graph& from, NodeId node, std::span<const NodeId> inputs);
    /// Nodes appended from now on are marked with source and scope of a node of the graph this one is a
    /// blankCopy() of.
    void standWhere(const Graph& from, NodeId node);
    /// Puts another graph in the place of a branch.
    void replaceBranch(std::size_t row, std::shared_ptr<const Graph> branch) {
        m_branches[row] = std::move(branch);
    }

    // Reading.
    const std::string& name() const { return m_name; }
    void rename(std::string name) { m_name = std::move(name); }
    std::span<const Node> nodes() const { return m_nodes; }
    const Node& node(NodeId id) const { return m_nodes[id]; }
    NodeId nodeCount() const { return static_cast<NodeId>(m_nodes.size()); }
    std::span<const NodeId> inputsOf(NodeId id) const {
        return std::span(m_edges).subspan(m_nodes[id].firstInput, m_nodes[id].inputCount);
    }
    AttributeView attributesOf(NodeId id) const;
    types::TensorTypeId typeOf(NodeId id) const { return m_nodes[id].type; }
    Effect effectOf(NodeId id) const { return static_cast<Effect>(m_nodes[id].effect); }
    /// All values of a node in order: none, itself, or itself and its Result nodes.
    std::vector<NodeId> resultsOf(NodeId id) const;

    std::span<const NodeId> inputs() const { return m_inputs; } ///< arguments only
    std::span<const Capture> captures() const { return m_captures; }
    std::span<const NodeId> outputs() const { return m_outputs; }
    std::span<const tensor::Tensor> constants() const { return m_constants; }
    std::span<const std::shared_ptr<const HostFunction>> hosts() const { return m_hosts; }
    std::span<const std::shared_ptr<const Callee>> callees() const { return m_callees; }
    std::span<const std::shared_ptr<const Graph>> branches() const { return m_branches; }

    /// Of a constant node.
    const tensor::Tensor& constantOf(NodeId id) const;
    const HostFunction& hostOf(NodeId id) const;
    const Callee& calleeOf(NodeId id) const;
    const Graph& branchOf(NodeId id, Attribute which) const;
    /// The graphs that a node runs: a call's callee, a cond's branches, a while's condition and body; else
    /// none.
    std::vector<const Graph*> innerGraphsOf(NodeId id) const;
    /// Of a call; none if it has no gradient of its own.
    std::optional<OwnGradient> ownGradientOf(NodeId id) const;

    /// The given name, else op and id; with the scope before it: "block/dense/matmul_7". What both say stands
    /// once: "dense/kernel" in "block/dense" is "block/dense/kernel".
    std::string nameOf(NodeId id) const;
    std::string_view givenNameOf(NodeId id) const { return m_names[m_nodes[id].name]; }
    std::string_view scopeOf(NodeId id) const { return m_names[m_nodes[id].scope]; }
    /// Null if the node has no source.
    const SourceLine* sourceOf(NodeId id) const;

    /// The greatest effect of any node.
    Effect effect() const;

private:
    using Words = std::span<const std::uint64_t>; ///< of Attributes

    NodeId appendNode(Node node, std::span<const NodeId> inputs, Words attributes);
    types::TensorTypeId inferred(Op op, std::span<const NodeId> inputs, AttributeView attributes) const;
    NodeId appendTyped(Op op, types::TensorTypeId type, std::span<const NodeId> inputs, Words attributes);
    NodeId appendInferredCopy(const Graph& from, NodeId node, std::span<const NodeId> inputs);
    bool commutes(Op op, std::span<const NodeId> inputs) const;
    NodeId appendWithResults(Op op, std::span<const NodeId> inputs, Words attributes, Effect effect,
                             std::span<const types::TensorTypeId> results);
    std::uint64_t hashOf(Op op, std::span<const NodeId> inputs, Words attributes,
                         types::TensorTypeId type) const;
    NodeId* findEqual(std::uint64_t hash, Op op, std::span<const NodeId> inputs, Words attributes,
                      types::TensorTypeId type);
    void growTable();
    void requireNodes(std::span<const NodeId> inputs) const;
    NameId nameId(std::string_view text);
    std::uint32_t calleeRow(std::shared_ptr<const Callee> callee);
    void requireArguments(const Graph& inner, std::span<const NodeId> arguments) const;
    std::uint32_t addAttributes(Words attributes);
    std::string placeText() const;

    std::string m_name;
    std::vector<Node> m_nodes;
    std::vector<NodeId> m_edges;
    std::vector<std::uint64_t> m_attributes;
    std::vector<NodeId> m_inputs;
    std::vector<Capture> m_captures;
    std::vector<NodeId> m_outputs;
    std::vector<NodeId> m_lateResults; ///< in the order they were added
    std::unordered_multimap<NodeId, std::shared_ptr<const Note>> m_notes;
    std::vector<tensor::Tensor> m_constants;
    std::vector<std::shared_ptr<const HostFunction>> m_hosts;
    std::vector<std::shared_ptr<const Callee>> m_callees;
    std::vector<std::shared_ptr<const Graph>> m_branches;
    std::vector<SourceLine> m_sources{{}};
    std::vector<std::string> m_names{{}};
    std::unordered_map<std::string, NameId> m_nameIds{{"", 0}};
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> m_constantRows; ///< by content hash
    std::vector<NodeId> m_table; ///< open addressing, a power of two; nodes without effect by hash
    std::size_t m_tableUsed = 0;
    std::unordered_map<std::uint64_t, SourceId> m_sourceIds; ///< by address of the file's name and line
    /// Lines of the program's text met last, whose names need no comparing.
    struct KnownPlace {
        const char* file = nullptr;
        const char* function = nullptr;
        std::uint32_t line = 0;
        SourceId source = 0;
    };
    std::array<KnownPlace, 16> m_knownPlaces;
    std::vector<NameId> m_scopes{0};
    SourceId m_source = 0;
    bool m_shares = true;
};

} // namespace retracescope::ir
