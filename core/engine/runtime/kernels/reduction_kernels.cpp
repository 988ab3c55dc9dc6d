#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>
#include <retracescope/engine/runtime/kernels/iteration_space.h>

namespace retracescope::runtime {

namespace {

/// Params: fold of a row, elementwise row, elements of the result, elements per result (mean only, else -1),
/// what a result starts as, then the iteration space over the input of result and input.
constexpr int kHeaderWords = 5;

/// How a reduction goes on by one element and by one row.
struct Fold {
    FoldRow DTypeKernels::*row;
    ir::Op combine;
};

Fold foldOf(ir::Op op) {
    switch (op) {
    case ir::Op::ReduceMax:
        return {&DTypeKernels::max, ir::Op::Maximum};
    case ir::Op::ReduceMin:
        return {&DTypeKernels::min, ir::Op::Minimum};
    case ir::Op::ReduceAny:
        return {&DTypeKernels::max, ir::Op::LogicalOr};
    case ir::Op::ReduceAll:
        return {&DTypeKernels::min, ir::Op::LogicalAnd};
    case ir::Op::ReduceProd:
        return {&DTypeKernels::prod, ir::Op::Mul};
    default:
        return {&DTypeKernels::sum, ir::Op::Add};
    }
}

/// What the reduction of nothing is.
template <class T>
T startOf(ir::Op op) {
    using Limits = std::numeric_limits<T>;
    switch (op) {
    case ir::Op::ReduceMax:
        return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
    case ir::Op::ReduceMin:
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case ir::Op::ReduceProd:
    case ir::Op::ReduceAll:
        return T(1);
    default:
        return T(0);
    }
}

/// The mean of nothing is a NaN for floating numbers and 0 for integers.
template <class T>
void divide(std::span<T> sums, std::int64_t count) {
    for (T& sum : sums) {
        if constexpr (std::is_floating_point_v<T>)
            sum /= static_cast<T>(count);
        else if (count != 0)
            sum = static_cast<T>(static_cast<std::int64_t>(sum) / count);
    }
}

template <class T>
void runReduction(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const auto fold = reinterpret_cast<FoldRow>(params[0]);
    const auto combine = reinterpret_cast<BinaryRow>(params[1]);
    const IterationSpace space(params + kHeaderWords);
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]);
    T start;
    std::memcpy(&start, &params[4], sizeof start);
    std::fill_n(out, params[2], start);
    const std::int64_t n = space.innerSize();
    const bool folds = space.innerStride(0) == 0;
    space.forEachRow<2>([&](const std::array<std::int64_t, 2>& at) {
        auto* result = reinterpret_cast<std::byte*>(out + at[0]);
        const auto* row = reinterpret_cast<const std::byte*>(in + at[1]);
        if (folds)
            fold(result, row, n);
        else
            combine(result, result, row, n);
    });
    if (params[3] >= 0)
        divide(std::span(out, static_cast<std::size_t>(params[2])), params[3]);
}

/// The input's sizes; of tiles as (tile, place in it) per axis.
types::Shape reducedShape(const KernelRequest& request) {
    if (request.op != ir::Op::TileGrad)
        return request.inputShape(0);
    std::vector<std::int64_t> sizes;
    const auto multiples = request.attributes.list(ir::Attribute::Multiples);
    for (std::size_t axis = 0; axis < multiples.size(); ++axis)
        sizes.insert(sizes.end(), {multiples[axis], request.outputShape()[static_cast<int>(axis)]});
    return types::Shape(sizes);
}

std::vector<std::int64_t> resultStrides(const KernelRequest& request, const types::Shape& shape) {
    if (request.op == ir::Op::SumLike)
        return IterationSpace::broadcastStrides(request.outputShape(), shape.rank());
    std::vector<bool> reduced(static_cast<std::size_t>(shape.rank()),
                              !request.attributes.has(ir::Attribute::Axes));
    for (const std::int64_t axis : request.attributes.list(ir::Attribute::Axes))
        reduced[static_cast<std::size_t>(axis < 0 ? axis + shape.rank() : axis)] = true;
    for (std::size_t axis = 0; request.op == ir::Op::TileGrad && axis < reduced.size(); ++axis)
        reduced[axis] = axis % 2 == 0;
    std::vector<std::int64_t> strides(reduced.size(), 0);
    std::int64_t step = 1;
    for (std::size_t fromEnd = reduced.size(); fromEnd-- > 0;) {
        if (!reduced[fromEnd]) {
            strides[fromEnd] = step;
            step *= shape[static_cast<int>(fromEnd)];
        }
    }
    return strides;
}

} // namespace

Command chooseReduction(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const DTypeKernels* kernels = kernelsOf(request.inputDType());
    const Fold fold = foldOf(request.op);
    if (!kernels || !(kernels->*fold.row))
        throwNoKernel(request);
    const types::Shape shape = reducedShape(request);
    const std::int64_t results = *request.outputShape().elementCount();
    const std::int64_t elements = *shape.elementCount();
    params.push_back(reinterpret_cast<std::int64_t>(kernels->*fold.row));
    params.push_back(reinterpret_cast<std::int64_t>(kernels->binaryOf(fold.combine).row[0]));
    params.push_back(results);
    const bool isMean = request.op == ir::Op::ReduceMean;
    params.push_back(isMean ? elements / std::max<std::int64_t>(results, 1) : -1);
    params.push_back(0); // the start, once the dtype is known
    const std::size_t start = params.size() - 1;
    const std::array strides{resultStrides(request, shape),
                             IterationSpace::broadcastStrides(shape, shape.rank())};
    IterationSpace::append(shape.sizes(), strides, params);
    Command command;
    withNumber(request.inputDType(), [&]<class T>() {
        const T value = startOf<T>(request.op);
        std::memcpy(&params[start], &value, sizeof value);
        command.kernel = &runReduction<T>;
    });
    return command;
}

} // namespace retracescope::runtime
