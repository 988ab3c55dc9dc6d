#include <retracescope/engine/runtime/kernels/choice.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::runtime {

bool isView(ir::Op op) {
    return op == ir::Op::Identity || op == ir::Op::StopGradient || op == ir::Op::Reshape ||
           op == ir::Op::ReshapeLike || op == ir::Op::ExpandDims || op == ir::Op::Squeeze;
}

void throwNoKernel(const KernelRequest& request) {
    throwNoKernel(request.op, request.inputDType());
}

void throwNoKernel(ir::Op op, types::DType dtype) {
    throw UsageError(fmt::format("{}{} has no kernel yet", ir::messageStart(op), types::dtypeName(dtype)));
}

AxisLayout axisLayout(const types::Shape& shape, std::int64_t axis) {
    const auto at = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
    AxisLayout layout;
    for (int k = 0; k < shape.rank(); ++k)
        (k < at ? layout.outer : k == at ? layout.size : layout.inner) *= shape[k];
    return layout;
}

Command chooseKernel(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const auto first = static_cast<std::uint32_t>(params.size());
    Command command;
    switch (request.op) {
    case ir::Op::Select:
        command = chooseSelect(request, params);
        break;
    case ir::Op::Cast:
        command = chooseCast(request);
        break;
    case ir::Op::MatMul:
        command = chooseMatMul(request, params);
        break;
    case ir::Op::ReduceSum:
    case ir::Op::ReduceMean:
    case ir::Op::ReduceMax:
    case ir::Op::ReduceMin:
    case ir::Op::ReduceProd:
    case ir::Op::ReduceAny:
    case ir::Op::ReduceAll:
    case ir::Op::SumLike:
    case ir::Op::TileGrad:
        command = chooseReduction(request, params);
        break;
    case ir::Op::StridedSlice:
    case ir::Op::StridedSliceGrad:
    case ir::Op::Pad:
    case ir::Op::Tile:
        command = chooseSlice(request, params);
        break;
    case ir::Op::Gather:
    case ir::Op::GatherGrad:
        command = chooseGather(request, params);
        break;
    case ir::Op::RandomBits:
        command = chooseRandom(request);
        break;
    case ir::Op::Range:
    case ir::Op::Where:
        command = chooseListing(request, params);
        break;
    case ir::Op::ArgSort:
    case ir::Op::ArgMax:
    case ir::Op::ArgMin:
    case ir::Op::CumSum:
    case ir::Op::CumProd:
        command = chooseAxisWalk(request, params);
        break;
    default:
        command = ir::opInfo(request.op).elementwise ? chooseElementwise(request, params)
                                                     : chooseMovement(request, params);
        break;
    }
    command.params = first;
    command.output = request.result;
    if (!request.operands.empty())
        command.a = request.operands[0];
    if (request.operands.size() > 1)
        command.b = request.operands[1];
    return command;
}

} // namespace retracescope::runtime
