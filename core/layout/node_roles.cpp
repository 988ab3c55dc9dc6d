#include <retracescope/layout/node_roles.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

namespace retracescope::layout {

namespace {

/// Lower case letters and digits only: "read_variable", "ReadVariableOp" and "readVariable" are one name.
std::string plain(std::string_view op) {
    std::string out;
    for (const char c : op) {
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    for (const std::string_view tail :
         {std::string_view("v2"), std::string_view("v3"), std::string_view("op")}) {
        if (out.size() > tail.size() && out.ends_with(tail))
            out.resize(out.size() - tail.size());
    }
    return out;
}

bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
}

bool hasAnyPart(std::string_view name, std::span<const std::string_view> parts) {
    return std::ranges::any_of(parts,
                               [&](std::string_view p) { return name.find(p) != std::string_view::npos; });
}

constexpr std::array<std::string_view, 5> kConstants{"const", "constant", "literal", "hostconst",
                                                     "fullconstant"};
constexpr std::array<std::string_view, 7> kWeights{"variable", "varhandle", "readvariable",    "variableread",
                                                   "capture",  "weight",    "varisinitialized"};
constexpr std::array<std::string_view, 6> kInputs{"placeholder", "arg",      "parameter",
                                                  "input",       "argument", "placeholderwithdefault"};
constexpr std::array<std::string_view, 5> kProducts{"matmul", "conv", "einsum", "dot", "gemm"};
constexpr std::array<std::string_view, 13> kReductions{"sum",    "mean", "max",        "min",    "prod",
                                                       "all",    "any",  "argmax",     "argmin", "softmax",
                                                       "reduce", "norm", "biasaddgrad"};
constexpr std::array<std::string_view, 26> kShapes{
    "reshape",     "transpose", "concat",   "split",     "slice",      "stridedslice", "gather",
    "pack",        "unpack",    "stack",    "tile",      "expanddims", "squeeze",      "shape",
    "broadcastto", "pad",       "range",    "fill",      "cast",       "rank",         "size",
    "identity",    "shapeof",   "oneslike", "zeroslike", "result"};
constexpr std::array<std::string_view, 14> kControl{"call",
                                                    "if",
                                                    "while",
                                                    "case",
                                                    "cond",
                                                    "switch",
                                                    "merge",
                                                    "enter",
                                                    "exit",
                                                    "no",
                                                    "assert",
                                                    "partitionedcall",
                                                    "statefulpartitionedcall",
                                                    "nextiteration"};
constexpr std::array<std::string_view, 5> kState{"assign", "variable", "varhandle", "resource", "random"};

} // namespace

NodeRole roleOfOp(std::string_view op) {
    const std::string name = plain(op);
    if (isOneOf(name, kConstants))
        return NodeRole::Constant;
    if (isOneOf(name, kWeights))
        return NodeRole::Weight;
    if (isOneOf(name, kInputs))
        return NodeRole::Input;
    return NodeRole::Operation;
}

bool isVariableHandle(std::string_view op, std::string_view type) {
    return roleOfOp(op) == NodeRole::Input && type.starts_with("resource");
}

std::string edgeLabel(std::string_view type, std::uint32_t count) {
    if (type.starts_with("resource")) // the handle of a variable: says nothing
        type = {};
    if (count < 2)
        return std::string(type);
    return fmt::format("{}{}×{}", type, type.empty() ? "" : "  ", count);
}

OpFamily familyOfOp(std::string_view op) {
    const std::string name = plain(op);
    if (roleOfOp(op) == NodeRole::Input || roleOfOp(op) == NodeRole::Constant)
        return OpFamily::Input;
    if (isOneOf(name, kControl) || name.starts_with("stateless"))
        return OpFamily::Control;
    if (hasAnyPart(name, kState))
        return OpFamily::State;
    if (hasAnyPart(name, kProducts))
        return OpFamily::MatMul;
    if (isOneOf(name, kShapes) || name.starts_with("concat") || name.starts_with("gather"))
        return OpFamily::Shape;
    if (isOneOf(name, kReductions) || name.starts_with("reduce"))
        return OpFamily::Reduction;
    constexpr std::array<std::string_view, 32> kElementwise{
        "add",       "addn",         "sub",        "mul",       "div",        "realdiv", "neg",   "exp",
        "log",       "sqrt",         "rsqrt",      "square",    "pow",        "abs",     "relu",  "tanh",
        "sigmoid",   "gelu",         "maximum",    "minimum",   "less",       "greater", "equal", "notequal",
        "lessequal", "greaterequal", "logicaland", "logicalor", "logicalnot", "select",  "where", "biasadd"};
    return isOneOf(name, kElementwise) ? OpFamily::Elementwise : OpFamily::Other;
}

std::string_view familyName(OpFamily family) {
    constexpr std::array<std::string_view, 8> kNames{"products",          "elementwise",    "reductions",
                                                     "shape and copy",    "control, calls", "state",
                                                     "inputs, constants", "other"};
    return kNames[static_cast<std::size_t>(family)];
}

std::vector<bool> findSideNodes(const session::Session& session, const session::Graph& graph) {
    std::vector<bool> isSide(graph.nodes.size(), false);
    std::vector<bool> feeds(graph.nodes.size(), false);
    for (const session::GraphEdge& edge : graph.inputs) {
        if (!edge.control && edge.from < feeds.size())
            feeds[edge.from] = true;
    }
    // Three times: the read of a variable handle and the identity behind a constant are sides as well, and
    // may stand before what they read in an unsorted file.
    for (int pass = 0; pass < 3; ++pass) {
        for (std::size_t row = 0; row < graph.nodes.size(); ++row) {
            const session::GraphNode& node = graph.nodes[row];
            const std::string_view op = session.text(node.op);
            const NodeRole role = roleOfOp(op);
            const bool passesOn = op == "Identity" || op == "identity";
            if (!feeds[row] || (role != NodeRole::Constant && role != NodeRole::Weight && !passesOn))
                continue;
            std::size_t data = 0;
            bool readsOnlySides = true;
            for (std::uint32_t i = 0; i < node.inputCount; ++i) {
                const session::GraphEdge& edge = graph.inputs[node.firstInput + i];
                data += !edge.control;
                readsOnlySides &= edge.control || (edge.from < isSide.size() && isSide[edge.from]);
            }
            isSide[row] = readsOnlySides && (data > 0 || !passesOn);
        }
    }
    return isSide;
}

} // namespace retracescope::layout
