#include <algorithm>
#include <array>
#include <limits>

#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>
#include <retracescope/engine/runtime/kernels/iteration_space.h>

namespace retracescope::runtime {

namespace {

/// Params: fold of a row, elementwise row, elements of the result, elements per result (mean only, else -1),
/// then the iteration space over the input of result and input.
constexpr int kHeaderWords = 4;

template <class T>
T startOf(ir::Op op) {
    if (op != ir::Op::ReduceMax)
        return T(0);
    if constexpr (std::numeric_limits<T>::has_infinity)
        return -std::numeric_limits<T>::infinity();
    else
        return std::numeric_limits<T>::lowest();
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

template <class T, bool isMax>
void runReduction(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const auto fold = reinterpret_cast<FoldRow>(params[0]);
    const auto combine = reinterpret_cast<BinaryRow>(params[1]);
    const IterationSpace space(params + kHeaderWords);
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]);
    std::fill_n(out, params[2], startOf<T>(isMax ? ir::Op::ReduceMax : ir::Op::ReduceSum));
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

std::vector<std::int64_t> resultStrides(const KernelRequest& request) {
    const types::Shape& shape = request.inputShape(0);
    if (request.op == ir::Op::SumLike)
        return IterationSpace::broadcastStrides(request.outputShape(), shape.rank());
    std::vector<bool> reduced(static_cast<std::size_t>(shape.rank()),
                              !request.attributes.has(ir::Attribute::Axes));
    for (const std::int64_t axis : request.attributes.list(ir::Attribute::Axes))
        reduced[static_cast<std::size_t>(axis < 0 ? axis + shape.rank() : axis)] = true;
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
    const bool isMax = request.op == ir::Op::ReduceMax;
    if (!kernels || !kernels->sum)
        throwNoKernel(request);
    const types::Shape& shape = request.inputShape(0);
    const std::int64_t results = *request.outputShape().elementCount();
    const std::int64_t elements = *shape.elementCount();
    params.push_back(reinterpret_cast<std::int64_t>(isMax ? kernels->max : kernels->sum));
    params.push_back(
        reinterpret_cast<std::int64_t>(kernels->binaryOf(isMax ? ir::Op::Maximum : ir::Op::Add).row[0]));
    params.push_back(results);
    const bool isMean = request.op == ir::Op::ReduceMean;
    params.push_back(isMean ? elements / std::max<std::int64_t>(results, 1) : -1);
    const std::array strides{resultStrides(request), IterationSpace::broadcastStrides(shape, shape.rank())};
    IterationSpace::append(shape.sizes(), strides, params);
    Command command;
    withNumber(request.inputDType(), [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>)
            command.kernel = isMax ? &runReduction<T, true> : &runReduction<T, false>;
    });
    return command;
}

} // namespace retracescope::runtime
