#pragma once

#include <span>

#include <retracescope/engine/ir/op_table.h>
#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

/// True for the ops that make a dataset or an iterator, or ask one.
bool isOnDatasets(ir::Op op);

/// Runs one of them; inputs are eager and fit the rules of the op.
tensor::Tensor runDatasetOp(ir::Op op, std::span<const tensor::Tensor> inputs, ir::AttributeView attributes);

} // namespace retracescope::runtime
