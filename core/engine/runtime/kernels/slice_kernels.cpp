#include <algorithm>
#include <array>

#include <retracescope/engine/ir/slices.h>
#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>
#include <retracescope/engine/runtime/kernels/iteration_space.h>

namespace retracescope::runtime {

namespace {

constexpr std::int64_t kNoOperand = -1;

/// Params: the first element's offset, then the iteration space of result and source.
template <class T>
void runTake(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const IterationSpace space(params + 1);
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]) + params[0];
    const std::int64_t n = space.innerSize();
    const std::int64_t step = space.innerStride(1);
    space.forEachRow<2>([&](const std::array<std::int64_t, 2>& at) {
        for (std::int64_t i = 0; i < n; ++i)
            out[at[0] + i] = in[at[1] + i * step];
    });
}

/// Fills with the operand's element, or zeros, and puts the source into it. Params: the operand, the first
/// element's offset, then the iteration space of source and result.
template <class T>
void runPut(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    const IterationSpace space(params + 2);
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const T*>(frame.pointers[command.a]);
    std::fill_n(out, command.count,
                params[0] == kNoOperand ? T() : *reinterpret_cast<const T*>(frame.pointers[params[0]]));
    const std::int64_t n = space.innerSize();
    const std::int64_t step = space.innerStride(1);
    space.forEachRow<2>([&](const std::array<std::int64_t, 2>& at) {
        for (std::int64_t i = 0; i < n; ++i)
            out[params[1] + at[1] + i * step] = in[at[0] + i];
    });
}

/// Where the elements of a slice lie in the whole.
struct Places {
    std::vector<std::int64_t> sizes; ///< of the slice, axes that go as 1
    std::vector<std::int64_t> steps; ///< in the whole
    std::int64_t offset = 0;
};

Places placesOf(std::span<const ir::SlicedAxis> axes, const types::Shape& whole) {
    Places places;
    places.sizes.resize(axes.size());
    places.steps.resize(axes.size());
    std::int64_t step = 1;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        places.sizes[axis] = axes[axis].size;
        places.steps[axis] = step * axes[axis].stride;
        places.offset += step * axes[axis].begin;
        step *= whole[static_cast<int>(axis)];
    }
    return places;
}

void appendSpace(const Places& places, std::vector<std::int64_t>& params) {
    const types::Shape shape(places.sizes);
    const std::array strides{IterationSpace::broadcastStrides(shape, shape.rank()), places.steps};
    IterationSpace::append(places.sizes, strides, params);
}

Command takeCommand(const KernelRequest& request, const Places& places, std::vector<std::int64_t>& params) {
    params.push_back(places.offset);
    appendSpace(places, params);
    Command command;
    command.kernel =
        withStorage(types::dtypeOf(request.output), []<class T>() -> Kernel { return &runTake<T>; });
    return command;
}

Command putCommand(const KernelRequest& request, const Places& places, std::int64_t filling,
                   std::vector<std::int64_t>& params) {
    params.push_back(filling);
    params.push_back(places.offset);
    appendSpace(places, params);
    Command command;
    command.kernel =
        withStorage(types::dtypeOf(request.output), []<class T>() -> Kernel { return &runPut<T>; });
    command.count = *request.outputShape().elementCount();
    return command;
}

Places paddedPlaces(const KernelRequest& request) {
    const auto paddings = request.attributes.list(ir::Attribute::Paddings);
    std::vector<ir::SlicedAxis> axes;
    for (std::size_t axis = 0; axis < paddings.size() / 2; ++axis)
        axes.push_back({paddings[2 * axis], request.inputShape(0)[static_cast<int>(axis)], 1, false});
    return placesOf(axes, request.outputShape());
}

/// The result as (tile, place in it) per axis.
Places tiledPlaces(const KernelRequest& request) {
    const types::Shape& shape = request.inputShape(0);
    const auto multiples = request.attributes.list(ir::Attribute::Multiples);
    const std::vector<std::int64_t> strides = IterationSpace::broadcastStrides(shape, shape.rank());
    Places places;
    for (std::size_t axis = 0; axis < multiples.size(); ++axis) {
        places.sizes.insert(places.sizes.end(), {multiples[axis], shape[static_cast<int>(axis)]});
        places.steps.insert(places.steps.end(), {0, strides[axis]});
    }
    return places;
}

} // namespace

Command chooseSlice(const KernelRequest& request, std::vector<std::int64_t>& params) {
    const auto sliced = [&](const types::Shape& whole) {
        return placesOf(ir::slicedAxes(request.op, whole, request.attributes), whole);
    };
    switch (request.op) {
    case ir::Op::StridedSlice:
        return takeCommand(request, sliced(request.inputShape(0)), params);
    case ir::Op::StridedSliceGrad:
        return putCommand(request, sliced(request.outputShape()), kNoOperand, params);
    case ir::Op::Tile:
        return takeCommand(request, tiledPlaces(request), params);
    default:
        return putCommand(request, paddedPlaces(request), request.operands[1], params);
    }
}

} // namespace retracescope::runtime
