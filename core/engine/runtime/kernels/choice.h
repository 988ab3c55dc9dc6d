#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/ir/op_table.h>
#include <retracescope/engine/runtime/kernels/command.h>
#include <retracescope/engine/runtime/kernels/vector_kernels.h>
#include <retracescope/types/tensor_type.h>

namespace retracescope::runtime {

/// A pure op on known shapes whose kernel is wanted.
struct KernelRequest {
    ir::Op op = ir::Op::Identity;
    ir::AttributeView attributes;
    std::span<const types::TensorTypeId> inputs;
    types::TensorTypeId output = types::TensorTypeId::None;
    std::span<const std::uint32_t> operands; ///< rows of Frame::pointers, one per input
    std::uint32_t result = 0;                ///< row of Frame::pointers

    types::DType inputDType(std::size_t index = 0) const { return types::dtypeOf(inputs[index]); }
    const types::Shape& inputShape(std::size_t index) const { return types::shapeOf(inputs[index]); }
    const types::Shape& outputShape() const { return types::shapeOf(output); }
};

/// The command that runs it; what its kernel needs besides is appended to `params`. Throws UsageError where
/// the dtype has no kernel.
Command chooseKernel(const KernelRequest& request, std::vector<std::int64_t>& params);

/// True for ops that only rename their input's elements (identity, reshape).
bool isView(ir::Op op);

/// The families that chooseKernel() asks.
Command chooseElementwise(const KernelRequest& request, std::vector<std::int64_t>& params);
Command chooseSelect(const KernelRequest& request, std::vector<std::int64_t>& params);
Command chooseCast(const KernelRequest& request);
Command chooseMovement(const KernelRequest& request, std::vector<std::int64_t>& params);
Command chooseReduction(const KernelRequest& request, std::vector<std::int64_t>& params);
Command chooseAxisWalk(const KernelRequest& request, std::vector<std::int64_t>& params);
Command chooseSlice(const KernelRequest& request, std::vector<std::int64_t>& params);
Command chooseGather(const KernelRequest& request, std::vector<std::int64_t>& params);
Command chooseRandom(const KernelRequest& request);
Command chooseListing(const KernelRequest& request, std::vector<std::int64_t>& params);
Command chooseMatMul(const KernelRequest& request, std::vector<std::int64_t>& params);

/// Add, Equal and NotEqual of strings.
BinaryRow stringRow(ir::Op op, RowMode mode);

/// A row-major array seen from one of its axes: so many blocks of `size` steps over `inner` neighbours.
struct AxisLayout {
    std::int64_t outer = 1, size = 1, inner = 1;
};
/// `axis` counts from the end if negative.
AxisLayout axisLayout(const types::Shape& shape, std::int64_t axis);

/// "[add] float16 has no kernel yet".
[[noreturn]] void throwNoKernel(const KernelRequest& request);
[[noreturn]] void throwNoKernel(ir::Op op, types::DType dtype);

} // namespace retracescope::runtime
