#include <retracescope/engine/runtime/kernels/choice.h>

namespace retracescope::runtime {

namespace {

/// Params: the product, m, k, n, whether a and b are transposed.
void runMatMul(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const auto product = reinterpret_cast<MatMul>(params[0]);
    product(frame.pointers[command.output], frame.pointers[command.a], frame.pointers[command.b],
            {params[1], params[2], params[3], params[4] != 0, params[5] != 0});
}

} // namespace

Command chooseMatMul(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const DTypeKernels* kernels = kernelsOf(request.inputDType());
    if (!kernels || !kernels->matMul)
        throwNoKernel(request);
    const bool transposeA = request.attributes.number(ir::Attribute::TransposeA) != 0;
    const bool transposeB = request.attributes.number(ir::Attribute::TransposeB) != 0;
    params.push_back(reinterpret_cast<std::int64_t>(kernels->matMul));
    params.push_back(request.outputShape()[0]);
    params.push_back(request.inputShape(0)[transposeA ? 0 : 1]);
    params.push_back(request.outputShape()[1]);
    params.push_back(transposeA);
    params.push_back(transposeB);
    Command command;
    command.kernel = &runMatMul;
    return command;
}

} // namespace retracescope::runtime
