#include <algorithm>
#include <array>

#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>
#include <retracescope/engine/runtime/kernels/iteration_space.h>

namespace retracescope::runtime {

namespace {

template <class T>
void runCopy(const Command& command, Frame& frame) {
    const auto* a = reinterpret_cast<const T*>(frame.pointers[command.a]);
    std::copy_n(a, command.count, reinterpret_cast<T*>(frame.pointers[command.output]));
}

/// Params: the source operand, then the iteration space of result and source.
template <class T>
void runStridedCopy(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const IterationSpace space(params + 1);
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[params[0]]);
    const std::int64_t n = space.innerSize();
    const std::int64_t step = space.innerStride(1);
    space.forEachRow<2>([&](const std::array<std::int64_t, 2>& at) {
        for (std::int64_t i = 0; i < n; ++i)
            out[at[0] + i] = in[at[1] + i * step];
    });
}

/// Params: number of inputs, number of outer blocks, elements of the result per block, then per input its
/// operand and its elements per block.
template <class T>
void runConcat(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    for (std::int64_t input = 0; input < params[0]; ++input) {
        const auto* in = reinterpret_cast<const T*>(frame.pointers[params[3 + 2 * input]]);
        const std::int64_t elements = params[4 + 2 * input];
        for (std::int64_t block = 0; block < params[1]; ++block)
            std::copy_n(in + block * elements, elements, out + block * params[2]);
        out += elements;
    }
}

/// Params: number of outer blocks, elements of the result per block, of the whole per block, and of the whole
/// before the part.
template <class T>
void runConcatPart(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]) + params[3];
    for (std::int64_t block = 0; block < params[0]; ++block)
        std::copy_n(in + block * params[2], params[1], out + block * params[1]);
}

/// Params: the sizes.
void runShapeOf(const Command& command, Frame& frame) {
    std::copy_n(frame.params + command.params, command.count,
                reinterpret_cast<std::int64_t*>(frame.pointers[command.output]));
}

template <class T, int value>
void runSet(const Command& command, Frame& frame) {
    std::fill_n(reinterpret_cast<T*>(frame.pointers[command.output]), command.count, static_cast<T>(value));
}

Command chooseStridedCopy(const KernelRequest& request, std::size_t source,
                          std::vector<std::int64_t> sourceStrides, std::vector<std::int64_t>& params) {
    const types::Shape& shape = request.outputShape();
    params.push_back(request.operands[source]);
    const std::array strides{IterationSpace::broadcastStrides(shape, shape.rank()), std::move(sourceStrides)};
    IterationSpace::append(shape.sizes(), strides, params);
    Command command;
    command.kernel =
        withStorage(types::dtypeOf(request.output), []<class T>() -> Kernel { return &runStridedCopy<T>; });
    return command;
}

Command chooseTranspose(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const int rank = request.outputShape().rank();
    const std::vector<std::int64_t> before = IterationSpace::broadcastStrides(request.inputShape(0), rank);
    std::vector<std::int64_t> after(before.rbegin(), before.rend());
    const auto permutation = request.attributes.list(ir::Attribute::Permutation);
    for (std::size_t i = 0; i < permutation.size(); ++i)
        after[i] = before[static_cast<std::size_t>(permutation[i])];
    return chooseStridedCopy(request, 0, std::move(after), params);
}

Command chooseConcat(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const types::Shape& shape = request.outputShape();
    const std::int64_t given = request.attributes.number(ir::Attribute::Axis);
    const auto axis = static_cast<int>(given < 0 ? given + shape.rank() : given);
    const auto [outer, size, inner] = axisLayout(shape, axis);
    params.push_back(static_cast<std::int64_t>(request.inputs.size()));
    params.push_back(outer);
    params.push_back(inner * size);
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        params.push_back(request.operands[i]);
        params.push_back(inner * request.inputShape(i)[axis]);
    }
    Command command;
    command.kernel =
        withStorage(types::dtypeOf(request.output), []<class T>() -> Kernel { return &runConcat<T>; });
    return command;
}

Command chooseConcatPart(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const types::Shape& shape = request.inputShape(0);
    const std::int64_t given = request.attributes.number(ir::Attribute::Axis);
    const auto axis = static_cast<int>(given < 0 ? given + shape.rank() : given);
    const auto part = static_cast<std::size_t>(request.attributes.number(ir::Attribute::Index)) + 1;
    const auto [outer, size, inner] = axisLayout(shape, axis);
    std::int64_t before = 0;
    for (std::size_t i = 1; i < part; ++i)
        before += request.inputShape(i)[axis];
    params.insert(params.end(),
                  {outer, inner * request.inputShape(part)[axis], inner * size, inner * before});
    Command command;
    command.kernel =
        withStorage(types::dtypeOf(request.output), []<class T>() -> Kernel { return &runConcatPart<T>; });
    return command;
}

template <int value>
Command chooseSet(const KernelRequest& request) {
    Command command;
    if (!withNumber(types::dtypeOf(request.output), [&]<class T>() { command.kernel = &runSet<T, value>; }))
        throwNoKernel(request);
    command.count = *request.outputShape().elementCount();
    return command;
}

Command chooseCopy(const KernelRequest& request) {
    Command command;
    command.kernel =
        withStorage(types::dtypeOf(request.output), []<class T>() -> Kernel { return &runCopy<T>; });
    command.count = *request.outputShape().elementCount();
    return command;
}

} // namespace

Command chooseMovement(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const int rank = request.outputShape().rank();
    switch (request.op) {
    case ir::Op::Identity:
    case ir::Op::StopGradient:
    case ir::Op::Reshape:
    case ir::Op::ReshapeLike:
    case ir::Op::ExpandDims:
    case ir::Op::Squeeze:
        return chooseCopy(request);
    case ir::Op::Transpose:
        return chooseTranspose(request, params);
    case ir::Op::BroadcastTo:
        return chooseStridedCopy(request, 0, IterationSpace::broadcastStrides(request.inputShape(0), rank),
                                 params);
    case ir::Op::Fill:
        return chooseStridedCopy(request, 1, std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0),
                                 params);
    case ir::Op::Concat:
        return chooseConcat(request, params);
    case ir::Op::ConcatPart:
        return chooseConcatPart(request, params);
    case ir::Op::OnesLike:
        return chooseSet<1>(request);
    case ir::Op::ZerosLike:
        return chooseSet<0>(request);
    case ir::Op::ShapeOf: {
        const auto sizes = request.inputShape(0).sizes();
        params.insert(params.end(), sizes.begin(), sizes.end());
        Command command;
        command.kernel = &runShapeOf;
        command.count = static_cast<std::int64_t>(sizes.size());
        return command;
    }
    default:
        throwNoKernel(request);
    }
}

} // namespace retracescope::runtime
