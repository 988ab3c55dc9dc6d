#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/ir/graph.h>

/// Where gradients flow in a graph, and what they are: of a floating value one of its type; of a list of such
/// a list, in which an element that is not set is zero; of the handle of a variable one of what it holds.
namespace retracescope::autodiff {

/// Whether a node is a floating value or a list.
bool carriesGradient(const ir::Graph& graph, ir::NodeId node);
bool isHandle(const ir::Graph& graph, ir::NodeId node);

/// Per node: whether a path of values that carry gradients leads to it from a node of `wrt`. A call, cond or
/// while also depends on what its graphs, and those that they run, capture.
std::vector<bool> activeNodes(const ir::Graph& graph, std::span<const ir::NodeId> wrt);

/// The tensors that a graph uses without being given them and that gradients may flow into: of floating dtype
/// or handles of variables; of all graphs that it runs, too, each once.
std::vector<tensor::Tensor> capturedBy(const ir::Graph& graph);

/// A value that a graph inside of another one takes and that gradients flow into.
struct Target {
    ir::NodeId outside = ir::kNoNode;
    std::size_t input = 0;   ///< its place among the inner graph's inputs
    tensor::Tensor captured; ///< or, if not empty, what the inner graph or one inside of it captures
    types::TensorTypeId held = types::TensorTypeId::None; ///< of a variable what it holds, else its own type

    /// Its node in a copy of the inner graph, to which a capture is added if only graphs inside have it.
    ir::NodeId inside(ir::Graph& copy) const;
    bool isSame(const Target& other) const; ///< of the same node
};

/// The active values that the graphs of `node` (a call, cond or while) take. A variable that none of them
/// reads is left out.
std::vector<Target> targetsOf(const ir::Graph& graph, ir::NodeId node, const std::vector<bool>& isActive);

/// An argument of `node`, by its place behind a predicate.
Target argumentTarget(const ir::Graph& graph, ir::NodeId node, std::size_t argument);
/// What the graphs of `node` capture; its place outside is the caller's to know.
Target capturedTarget(const ir::Graph& graph, ir::NodeId node, const tensor::Tensor& value);

/// A gradient of zeros. `held` is the type that the variable behind a handle holds; not used for other
/// values.
ir::NodeId zeroGradient(ir::Graph& graph, ir::NodeId of,
                        types::TensorTypeId held = types::TensorTypeId::None);
ir::NodeId sumOfGradients(ir::Graph& graph, ir::NodeId a, ir::NodeId b);
/// A gradient under the type of the value that it belongs to: rules may know less of its shape.
ir::NodeId fitted(ir::Graph& graph, ir::NodeId gradient, ir::NodeId like);

} // namespace retracescope::autodiff
