#include <array>
#include <optional>

#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>
#include <retracescope/engine/runtime/kernels/iteration_space.h>

namespace retracescope::runtime {

namespace {

/// Params: the row, bytes per element of result and operand, then the iteration space of result, a, b.
void runBroadcast(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const auto row = reinterpret_cast<BinaryRow>(params[0]);
    const std::int64_t resultBytes = params[1];
    const std::int64_t operandBytes = params[2];
    const IterationSpace space(params + 3);
    std::byte* out = frame.pointers[command.output];
    const std::byte* a = frame.pointers[command.a];
    const std::byte* b = frame.pointers[command.b];
    const std::int64_t n = space.innerSize();
    space.forEachRow<3>([&](const std::array<std::int64_t, 3>& at) {
        row(out + at[0] * resultBytes, a + at[1] * operandBytes, b + at[2] * operandBytes, n);
    });
}

void runStringRow(const Command& command, Frame& frame) {
    const auto row = reinterpret_cast<BinaryRow>(frame.params[command.params]);
    row(frame.pointers[command.output], frame.pointers[command.a], frame.pointers[command.b], command.count);
}

/// Params: operand c, then the iteration space of result, condition, a, b.
template <class T>
void runSelect(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const IterationSpace space(params + 1);
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* condition = reinterpret_cast<const bool*>(frame.pointers[command.a]);
    const auto* a = reinterpret_cast<const T*>(frame.pointers[command.b]);
    const auto* b = reinterpret_cast<const T*>(frame.pointers[params[0]]);
    const std::int64_t n = space.innerSize();
    const std::int64_t steps[3] = {space.innerStride(1), space.innerStride(2), space.innerStride(3)};
    space.forEachRow<4>([&](const std::array<std::int64_t, 4>& at) {
        for (std::int64_t i = 0; i < n; ++i)
            out[at[0] + i] =
                condition[at[1] + i * steps[0]] ? a[at[2] + i * steps[1]] : b[at[3] + i * steps[2]];
    });
}

std::int64_t elementBytes(types::DType dtype) {
    return withStorage(dtype, []<class T>() { return static_cast<std::int64_t>(sizeof(T)); });
}

BinaryRow rowOf(const KernelRequest& request, RowMode mode) {
    const types::DType dtype = request.inputDType();
    if (dtype == types::DType::String)
        return stringRow(request.op, mode);
    const DTypeKernels* kernels = kernelsOf(dtype);
    return kernels ? kernels->binaryOf(request.op).row[static_cast<int>(mode)] : nullptr;
}

Command chooseUnary(const KernelRequest& request) {
    const DTypeKernels* kernels = kernelsOf(request.inputDType());
    Command command;
    command.kernel = kernels ? kernels->unaryOf(request.op).kernel : nullptr;
    if (!command.kernel)
        throwNoKernel(request);
    command.count = *types::elementsOf(request.output);
    return command;
}

RowMode modeOf(const IterationSpace& space) {
    if (space.innerSize() == 1)
        return RowMode::VectorVector;
    if (space.innerStride(1) == 0)
        return RowMode::ScalarVector;
    return space.innerStride(2) == 0 ? RowMode::VectorScalar : RowMode::VectorVector;
}

std::vector<std::vector<std::int64_t>> stridesOf(const KernelRequest& request) {
    const int rank = request.outputShape().rank();
    std::vector<std::vector<std::int64_t>> strides{
        IterationSpace::broadcastStrides(request.outputShape(), rank)};
    for (std::size_t i = 0; i < request.inputs.size(); ++i)
        strides.push_back(IterationSpace::broadcastStrides(request.inputShape(i), rank));
    return strides;
}

/// One row over everything.
Command chooseSingleRow(const KernelRequest& request, RowMode mode, std::vector<std::int64_t>& params) {
    Command command;
    command.count = *types::elementsOf(request.output);
    if (request.inputDType() == types::DType::String) {
        const BinaryRow row = stringRow(request.op, mode);
        command.kernel = row ? &runStringRow : nullptr;
        params.push_back(reinterpret_cast<std::int64_t>(row));
    } else if (const DTypeKernels* kernels = kernelsOf(request.inputDType())) {
        command.kernel = kernels->binaryOf(request.op).kernel[static_cast<int>(mode)];
    }
    if (!command.kernel)
        throwNoKernel(request);
    return command;
}

/// How to go over everything in one row, where that is seen at once.
std::optional<RowMode> singleRowMode(const KernelRequest& request) {
    const std::span inputs = request.inputs;
    if (inputs[0] == inputs[1])
        return RowMode::VectorVector;
    const std::optional elements = types::elementsOf(request.output);
    if (types::elementsOf(inputs[1]) == 1 && types::elementsOf(inputs[0]) == elements)
        return RowMode::VectorScalar;
    if (types::elementsOf(inputs[0]) == 1 && types::elementsOf(inputs[1]) == elements)
        return RowMode::ScalarVector;
    return std::nullopt;
}

} // namespace

Command chooseElementwise(const KernelRequest& request, std::vector<std::int64_t>& params) {
    if (request.inputs.size() == 1)
        return chooseUnary(request);
    if (const auto mode = singleRowMode(request))
        return chooseSingleRow(request, *mode, params);
    if (!rowOf(request, RowMode::VectorVector))
        throwNoKernel(request);

    const std::size_t first = params.size();
    params.resize(first + 3);
    IterationSpace::append(request.outputShape().sizes(), stridesOf(request), params);
    const IterationSpace space(params.data() + first + 3);
    const RowMode mode = modeOf(space);
    if (space.rank() == 1) {
        params.resize(first);
        return chooseSingleRow(request, mode, params);
    }
    params[first] = reinterpret_cast<std::int64_t>(rowOf(request, mode));
    params[first + 1] = elementBytes(types::dtypeOf(request.output));
    params[first + 2] = elementBytes(request.inputDType());
    Command command;
    command.kernel = &runBroadcast;
    return command;
}

Command chooseSelect(const KernelRequest& request, std::vector<std::int64_t>& params) {
    params.push_back(request.operands[2]);
    IterationSpace::append(request.outputShape().sizes(), stridesOf(request), params);
    Command command;
    command.kernel =
        withStorage(types::dtypeOf(request.output), []<class T>() -> Kernel { return &runSelect<T>; });
    return command;
}

} // namespace retracescope::runtime
