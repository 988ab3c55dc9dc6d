#pragma once

#include <span>

#include <retracescope/engine/ir/op_table.h>
#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

/// True for ops that take or make lists. They run on whole tensors: elements are shared, not copied, but by
/// those that join or cut tensors.
bool isOnLists(ir::Op op);

/// Runs one of them on eager inputs of types that its rule accepts. Throws UsageError "[TensorArray.write]
/// ..." with the index for one behind the end (unless the size is dynamic), an element set twice, read or
/// stacked before it is set, or of another type than the list's.
tensor::Tensor runListOp(ir::Op op, std::span<const tensor::Tensor> inputs, ir::AttributeView attributes);

} // namespace retracescope::runtime
