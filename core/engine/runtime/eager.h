#pragma once

#include <initializer_list>
#include <span>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

/// Runs one op on eager tensors, as a node of a graph would. Effects (assignment, print) happen at once and
/// return an empty tensor. Throws UsageError as ir::inferType does. Not for placeholder, constant, result,
/// call and cond.
tensor::Tensor runOp(ir::Op op, std::span<const tensor::Tensor> inputs, ir::AttributeView attributes = {});
inline tensor::Tensor runOp(ir::Op op, std::initializer_list<tensor::Tensor> inputs,
                            const ir::Attributes& attributes = {}) {
    return runOp(op, std::span(inputs.begin(), inputs.size()), attributes.view());
}

} // namespace retracescope::runtime
