#pragma once

#include <span>
#include <string_view>

#include <retracescope/engine/ir/attributes.h>
#include <retracescope/engine/ir/op.h>
#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::ir {

/// What running a node does besides computing its results; ordered, so that the effect of several is the
/// greatest.
enum class Effect : std::uint8_t {
    None,
    Creates, ///< something with a state of its own, so that two equal nodes are two
    Reads,   ///< the variable of its first input
    Writes,  ///< the variable, iterator or dataset of its first input
    Ordered, ///< the world outside: runs in program order with all of its kind
};

/// What an op's rules look at. Types may have unknown axes or rank.
struct RuleInput {
    Op op = Op::Identity;
    std::span<const types::TensorTypeId> types;
    AttributeView attributes;
    /// Per input its value if it is known, else empty; or no entries at all. Only rules of ops whose shape
    /// depends on a value look at it.
    std::span<const tensor::Tensor> values;
};

struct OpInfo {
    Op op;
    std::string_view name; ///< "matmul"
    std::int8_t minInputs;
    std::int8_t maxInputs; ///< -1: any number
    Effect effect;         ///< of a call or cond: that of what it runs, see Graph::effect
    bool elementwise;      ///< element i of the result depends on elements i (broadcast) of the inputs
    bool commutative;      ///< for every dtype but string
    types::DType (*dtypeRule)(const RuleInput&);
    types::Shape (*shapeRule)(const RuleInput&);
    std::span<const Attribute> attributes; ///< that it may have
};

const OpInfo& opInfo(Op op);
std::string_view opName(Op op);
/// What messages call it: its name, or that of what the user has called.
std::string_view calledName(Op op);

/// False for placeholder, constant, result, and for nodes with any number of results: their types do not
/// follow from their inputs.
bool isInferred(Op op);
/// True for call, cond and while.
bool runsGraphs(Op op);
/// True for these and host_call: nodes with any number of results, each further one a Result node.
bool hasResultNodes(Op op);
/// The attributes of an op that hold rows of Graph::branches(): of cond its two branches, of while condition
/// and body, of call the gradient of its own, which it need not have.
std::span<const Attribute> branchAttributes(Op op);
/// Of the inputs of a node that runs graphs, those that these take.
std::span<const std::uint32_t> innerArguments(Op op, std::span<const std::uint32_t> inputs);
std::optional<Op> opFromName(std::string_view name);

/// True where the result's shape depends on the values of the inputs: those that are known go to inferType().
bool looksAtValues(Op op);

/// The type of the result, or None for an op without one. Throws UsageError "[op] what was expected, what
/// came". Only for ops that are isInferred().
types::TensorTypeId inferType(const RuleInput& input);

/// "[add] ": what every message of that op starts with; its calledName().
std::string messageStart(Op op);

} // namespace retracescope::ir
