#include <algorithm>
#include <numeric>

#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>

namespace retracescope::runtime {

namespace {

/// Params of all here: the axis' layout; of running totals, then whether an element is left out of its own
/// total and whether they run from the end.

AxisLayout layoutIn(const std::int64_t* params) {
    return {params[0], params[1], params[2]};
}

/// A NaN wins, as it does in the reduction itself; of equal elements the first.
template <class T, bool isMax>
void runArg(const Command& command, Frame& frame) {
    const auto [outer, size, inner] = layoutIn(frame.params + command.params);
    auto* out = reinterpret_cast<std::int64_t*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]);
    for (std::int64_t block = 0; block < outer; ++block) {
        for (std::int64_t k = 0; k < inner; ++k) {
            const T* line = in + block * size * inner + k;
            std::int64_t best = 0;
            for (std::int64_t i = 1; i < size; ++i) {
                const T now = line[i * inner];
                const T so = line[best * inner];
                const bool isBetter = isMax ? now > so : now < so;
                if (isBetter || (now != now && so == so))
                    best = i;
            }
            *out++ = best;
        }
    }
}

template <class T, bool isProduct>
void runScan(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const auto [outer, size, inner] = layoutIn(params);
    const bool exclusive = params[3] != 0;
    const bool reverse = params[4] != 0;
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]);
    for (std::int64_t block = 0; block < outer; ++block) {
        for (std::int64_t k = 0; k < inner; ++k) {
            T total = isProduct ? T(1) : T(0);
            for (std::int64_t step = 0; step < size; ++step) {
                const std::int64_t at = (block * size + (reverse ? size - 1 - step : step)) * inner + k;
                const T next = isProduct ? wrappingProduct(total, in[at]) : wrappingSum(total, in[at]);
                out[at] = exclusive ? total : next;
                total = next;
            }
        }
    }
}

/// A NaN is above all numbers. Of equal elements the first comes first, which leaves sort() no choice.
template <class T, bool descending>
void runArgSort(const Command& command, Frame& frame) {
    const auto [outer, size, inner] = layoutIn(frame.params + command.params);
    auto* out = reinterpret_cast<std::int32_t*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]);
    for (std::int64_t block = 0; block < outer; ++block, out += size, in += size) {
        std::iota(out, out + size, 0);
        std::sort(out, out + size, [in](std::int32_t a, std::int32_t b) {
            const T x = in[descending ? b : a];
            const T y = in[descending ? a : b];
            if (x < y || (x == x && y != y))
                return true;
            return (x == y || (x != x && y != y)) && a < b;
        });
    }
}

} // namespace

Command chooseAxisWalk(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const ir::AttributeView attributes = request.attributes;
    const bool isSort = request.op == ir::Op::ArgSort;
    const AxisLayout layout =
        axisLayout(request.inputShape(0), isSort ? -1 : attributes.number(ir::Attribute::Axis));
    params.insert(params.end(),
                  {layout.outer, layout.size, layout.inner, attributes.number(ir::Attribute::Exclusive),
                   attributes.number(ir::Attribute::Reverse)});
    Command command;
    withNumber(request.inputDType(), [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>) {
            switch (request.op) {
            case ir::Op::ArgSort:
                command.kernel = attributes.number(ir::Attribute::Descending) != 0 ? &runArgSort<T, true>
                                                                                   : &runArgSort<T, false>;
                break;
            case ir::Op::ArgMax:
                command.kernel = &runArg<T, true>;
                break;
            case ir::Op::ArgMin:
                command.kernel = &runArg<T, false>;
                break;
            case ir::Op::CumSum:
                command.kernel = &runScan<T, false>;
                break;
            default:
                command.kernel = &runScan<T, true>;
                break;
            }
        }
    });
    if (!command.kernel)
        throwNoKernel(request);
    return command;
}

} // namespace retracescope::runtime
