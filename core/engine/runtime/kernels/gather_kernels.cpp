#include <algorithm>

#include <fmt/format.h>

#include <retracescope/engine/ir/slices.h>
#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>

namespace retracescope::runtime {

namespace {

/// Params: as in this order. The whole is [batches, outer, size, inner], the indices [batches, count].
struct GatherSizes {
    std::int64_t batches, outer, size, inner, count;
};

GatherSizes sizesIn(const std::int64_t* params) {
    return {params[0], params[1], params[2], params[3], params[4]};
}

/// The indices of a gather's gradient are those that the gather took: what is outside comes from
/// segmentSum().
[[noreturn]] void throwOutside(ir::Op op, std::int64_t size, std::int64_t index) {
    throw UsageError(op == ir::Op::GatherGrad
                         ? fmt::format("[segment_sum] expected ids from 0 to below {}, got {}", size, index)
                         : fmt::format("{}expected indices from 0 to below {}, got {}", ir::messageStart(op),
                                       size, index));
}

/// Calls visit(place in the whole, place in what is gathered) for every run of `inner` elements.
template <class Index, class Visit>
void forEachRun(ir::Op op, const GatherSizes& sizes, const Index* indices, const Visit& visit) {
    std::int64_t gathered = 0;
    for (std::int64_t batch = 0; batch < sizes.batches; ++batch) {
        const Index* own = indices + batch * sizes.count;
        for (std::int64_t outer = 0; outer < sizes.outer; ++outer) {
            const std::int64_t start = (batch * sizes.outer + outer) * sizes.size;
            for (std::int64_t i = 0; i < sizes.count; ++i) {
                if (own[i] < 0 || own[i] >= sizes.size)
                    throwOutside(op, sizes.size, own[i]);
                visit((start + own[i]) * sizes.inner, gathered);
                gathered += sizes.inner;
            }
        }
    }
}

template <class T, class Index>
void runGather(const Command& command, Frame& frame) {
    const GatherSizes sizes = sizesIn(frame.params + command.params);
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]);
    const auto* indices = reinterpret_cast<const Index*>(frame.pointers[command.b]);
    forEachRun(ir::Op::Gather, sizes, indices, [&](std::int64_t whole, std::int64_t gathered) {
        std::copy_n(in + whole, sizes.inner, out + gathered);
    });
}

template <class T, class Index>
void runGatherGrad(const Command& command, Frame& frame) {
    const GatherSizes sizes = sizesIn(frame.params + command.params);
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]);
    const auto* indices = reinterpret_cast<const Index*>(frame.pointers[command.b]);
    std::fill_n(out, command.count, T(0));
    forEachRun(ir::Op::GatherGrad, sizes, indices, [&](std::int64_t whole, std::int64_t gathered) {
        for (std::int64_t i = 0; i < sizes.inner; ++i)
            out[whole + i] = wrappingSum(out[whole + i], in[gathered + i]);
    });
}

void appendSizes(const KernelRequest& request, const types::Shape& whole, std::vector<std::int64_t>& params) {
    const types::Shape& indices = request.inputShape(1);
    const ir::GatherAxes axes = ir::gatherAxes(request.op, whole, indices, request.attributes);
    GatherSizes sizes{1, 1, whole[axes.axis], 1, 1};
    for (int axis = 0; axis < whole.rank(); ++axis) {
        if (axis != axes.axis)
            (axis < axes.batchDims ? sizes.batches
             : axis < axes.axis    ? sizes.outer
                                   : sizes.inner) *= whole[axis];
    }
    for (int axis = axes.batchDims; axis < indices.rank(); ++axis)
        sizes.count *= indices[axis];
    params.insert(params.end(), {sizes.batches, sizes.outer, sizes.size, sizes.inner, sizes.count});
}

} // namespace

Command chooseGather(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const bool isGradient = request.op == ir::Op::GatherGrad;
    const bool isLong = request.inputDType(1) == types::DType::Int64;
    appendSizes(request, isGradient ? request.outputShape() : request.inputShape(0), params);
    Command command;
    command.count = *request.outputShape().elementCount();
    if (!isGradient) {
        command.kernel = withStorage(request.inputDType(), [&]<class T>() -> Kernel {
            return isLong ? &runGather<T, std::int64_t> : &runGather<T, std::int32_t>;
        });
        return command;
    }
    withNumber(request.inputDType(), [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>)
            command.kernel = isLong ? &runGatherGrad<T, std::int64_t> : &runGatherGrad<T, std::int32_t>;
    });
    if (!command.kernel)
        throwNoKernel(request);
    return command;
}

} // namespace retracescope::runtime
