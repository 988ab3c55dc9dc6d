#include <retracescope/engine/runtime/kernels/choice.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::runtime {

bool isView(ir::Op op) {
    return op == ir::Op::Identity || op == ir::Op::Reshape || op == ir::Op::ReshapeLike;
}

void throwNoKernel(const KernelRequest& request) {
    throw UsageError(fmt::format("{}{} has no kernel yet", ir::messageStart(request.op),
                                 types::dtypeName(request.inputDType())));
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
    case ir::Op::SumLike:
        command = chooseReduction(request, params);
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
