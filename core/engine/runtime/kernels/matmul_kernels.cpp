#include <array>

#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/iteration_space.h>

namespace retracescope::runtime {

namespace {

/// Params: the product, m, k, n, whether a and b are transposed; of batches, bytes per element and the
/// iteration space of their matrices in result, a and b.
constexpr int kHeaderWords = 6;

MatMulSizes sizesOf(const std::int64_t* params) {
    return {params[1], params[2], params[3], params[4] != 0, params[5] != 0};
}

void runMatMul(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const auto product = reinterpret_cast<MatMul>(params[0]);
    product(frame.pointers[command.output], frame.pointers[command.a], frame.pointers[command.b],
            sizesOf(params));
}

void runBatches(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const auto product = reinterpret_cast<MatMul>(params[0]);
    const MatMulSizes sizes = sizesOf(params);
    const std::int64_t elementBytes = params[kHeaderWords];
    const IterationSpace space(params + kHeaderWords + 1);
    space.forEachRow<3>([&](const std::array<std::int64_t, 3>& first) {
        for (std::int64_t i = 0; i < space.innerSize(); ++i) {
            const auto at = [&](std::byte* pointer, int operand) {
                return pointer + (first[static_cast<std::size_t>(operand)] + i * space.innerStride(operand)) *
                                     elementBytes;
            };
            product(at(frame.pointers[command.output], 0), at(frame.pointers[command.a], 1),
                    at(frame.pointers[command.b], 2), sizes);
        }
    });
}

/// Of the matrices of a batch, in elements; 0 where they are repeated.
std::vector<std::int64_t> batchStrides(const types::Shape& shape, int batchRank) {
    const auto batches = shape.sizes().first(static_cast<std::size_t>(shape.rank() - 2));
    std::vector<std::int64_t> strides = IterationSpace::broadcastStrides(types::Shape(batches), batchRank);
    for (std::int64_t& stride : strides)
        stride *= shape[shape.rank() - 2] * shape[shape.rank() - 1];
    return strides;
}

} // namespace

Command chooseMatMul(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const DTypeKernels* kernels = kernelsOf(request.inputDType());
    if (!kernels || !kernels->matMul)
        throwNoKernel(request);
    const types::Shape& a = request.inputShape(0);
    const types::Shape& b = request.inputShape(1);
    const types::Shape& out = request.outputShape();
    const int batchRank = out.rank() - 2;
    const bool transposeA = request.attributes.number(ir::Attribute::TransposeA) != 0;
    const bool transposeB = request.attributes.number(ir::Attribute::TransposeB) != 0;
    std::int64_t rows = out[batchRank];
    const bool isOneProduct = batchRank == 0 || (b.rank() == 2 && !transposeA); // all rows of a below another
    for (int axis = 0; isOneProduct && axis < batchRank; ++axis)
        rows *= out[axis];
    params.push_back(reinterpret_cast<std::int64_t>(kernels->matMul));
    params.push_back(rows);
    params.push_back(a[a.rank() - (transposeA ? 2 : 1)]);
    params.push_back(out[batchRank + 1]);
    params.push_back(transposeA);
    params.push_back(transposeB);
    Command command;
    command.kernel = &runMatMul;
    if (!isOneProduct) {
        params.push_back(static_cast<std::int64_t>(types::dtypeBytes(request.inputDType())));
        const std::array strides{batchStrides(out, batchRank), batchStrides(a, batchRank),
                                 batchStrides(b, batchRank)};
        IterationSpace::append(out.sizes().first(static_cast<std::size_t>(batchRank)), strides, params);
        command.kernel = &runBatches;
    }
    return command;
}

} // namespace retracescope::runtime
