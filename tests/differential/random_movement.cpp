#include "tests/differential/random_movement.h"

#include <algorithm>
#include <array>

#include <retracescope/base/check.h>
#include <retracescope/engine/tensor/constant.h>

namespace retracescope::test {

using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using types::DType;

namespace {

int below(Random& random, int bound) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(bound));
}

const types::Shape& shapeOf(const Graph& graph, NodeId node) {
    return types::shapeOf(graph.typeOf(node));
}

void requireKnown(const Graph& graph, NodeId node) {
    if (!shapeOf(graph, node).isKnown())
        throw UsageError("its indices would be a guess");
}

NodeId boolean(Graph& graph, NodeId node) {
    if (types::dtypeOf(graph.typeOf(node)) == DType::Bool)
        return node;
    return graph.append(Op::Cast, {node},
                        Attributes().set(Attribute::DType, static_cast<std::int64_t>(DType::Bool)));
}

/// Indices into the last axis, one axis for each of the batch and one more.
NodeId indicesInto(Graph& graph, NodeId node, bool isBatched, Random& random) {
    requireKnown(graph, node);
    const types::Shape& shape = shapeOf(graph, node);
    if (shape.rank() == 0 || shape[shape.rank() - 1] == 0)
        throw UsageError("nothing to choose from");
    std::vector<std::int64_t> sizes;
    if (isBatched)
        sizes.assign(shape.sizes().begin(), shape.sizes().end() - 1);
    sizes.push_back(below(random, 4));
    std::vector<std::int32_t> indices(static_cast<std::size_t>(*types::Shape(sizes).elementCount()));
    for (std::int32_t& index : indices)
        index = below(random, static_cast<int>(shape[shape.rank() - 1]));
    return graph.addConstant(tensor::constant(indices, types::Shape(sizes)));
}

Attributes sliceOf(const types::Shape& shape, Random& random) {
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> strides;
    std::int64_t shrinks = 0;
    for (int axis = 0; axis < shape.rank() && below(random, 5) != 0; ++axis) {
        begins.push_back(below(random, 9) - 4);
        ends.push_back(below(random, 9) - 4);
        strides.push_back(below(random, 3) == 0 ? -1 - below(random, 2) : 1 + below(random, 2));
        if (below(random, 6) == 0) {
            begins.back() = below(random, 2) - 1;
            shrinks |= std::int64_t{1} << axis;
        }
    }
    return Attributes()
        .set(Attribute::Begin, begins)
        .set(Attribute::End, ends)
        .set(Attribute::Strides, strides)
        .set(Attribute::BeginMask, below(random, 8))
        .set(Attribute::EndMask, below(random, 8))
        .set(Attribute::ShrinkMask, shrinks);
}

Attributes multiplesFor(const types::Shape& shape, Random& random) {
    std::vector<std::int64_t> multiples;
    for (int axis = 0; axis < shape.rank(); ++axis)
        multiples.push_back(below(random, 8) == 0 ? 0 : 1 + below(random, 2));
    return Attributes().set(Attribute::Multiples, multiples);
}

NodeId scalar(Graph& graph, DType dtype, int value) {
    switch (dtype) {
    case DType::Int64:
        return graph.addConstant(tensor::constant(std::int64_t{value}));
    case DType::Float32:
        return graph.addConstant(tensor::constant(static_cast<float>(value) / 2));
    case DType::Float64:
        return graph.addConstant(tensor::constant(static_cast<double>(value) / 2));
    default:
        return graph.addConstant(tensor::constant(value));
    }
}

} // namespace

bool isMovement(Op op) {
    switch (op) {
    case Op::StridedSlice:
    case Op::StridedSliceGrad:
    case Op::Gather:
    case Op::GatherGrad:
    case Op::ExpandDims:
    case Op::Squeeze:
    case Op::Pad:
    case Op::Tile:
    case Op::TileGrad:
    case Op::ArgSort:
    case Op::Range:
    case Op::RandomBits:
    case Op::Where:
        return true;
    default:
        return false;
    }
}

void completeInputs(Graph& graph, Op op, std::vector<NodeId>& inputs, Random& random) {
    const NodeId x = inputs[0];
    const types::TensorTypeId type = graph.typeOf(x);
    if (op == Op::Gather) {
        inputs = {x, indicesInto(graph, x, below(random, 2) == 0, random)};
    } else if (op == Op::GatherGrad) {
        const NodeId indices = indicesInto(graph, x, below(random, 2) == 0, random);
        const bool isBatched = shapeOf(graph, indices).rank() == shapeOf(graph, x).rank();
        const auto attributes = Attributes()
                                    .set(Attribute::Axis, -1)
                                    .set(Attribute::BatchDims, isBatched ? shapeOf(graph, x).rank() - 1 : 0);
        inputs = {graph.append(Op::Gather, {x, indices}, attributes), indices, x};
    } else if (op == Op::StridedSliceGrad) {
        requireKnown(graph, x);
        inputs = {graph.append(Op::StridedSlice, {x},
                               Attributes().set(Attribute::Begin, {-2}).set(Attribute::End, {3})),
                  x};
    } else if (op == Op::Pad) {
        inputs = {
            x, graph.addConstant(makeValue(types::tensorType(types::dtypeOf(type), types::Shape{}), random))};
    } else if (op == Op::TileGrad) {
        const std::vector<std::int64_t> twice(static_cast<std::size_t>(std::max(0, shapeOf(graph, x).rank())),
                                              2);
        inputs = {graph.append(Op::Tile, {x}, Attributes().set(Attribute::Multiples, twice)), x};
    } else if (op == Op::Range) {
        static const std::array dtypes{DType::Int32, DType::Int64, DType::Float32, DType::Float64};
        const DType dtype = dtypes[random() % dtypes.size()];
        const int step = 1 + below(random, 3);
        inputs = {scalar(graph, dtype, below(random, 11) - 5), scalar(graph, dtype, below(random, 11) - 5),
                  scalar(graph, dtype, below(random, 2) == 0 ? step : -step)};
    } else if (op == Op::RandomBits) {
        requireKnown(graph, x);
        inputs = {graph.append(Op::ShapeOf, {x}),
                  graph.addConstant(below(random, 2) == 0
                                        ? tensor::constant({below(random, 1000) - 500, below(random, 10)})
                                        : tensor::constant({static_cast<std::int64_t>(random()),
                                                            static_cast<std::int64_t>(random())}))};
    } else if (op == Op::Where) {
        if (below(random, 4) != 0)
            throw UsageError("not that often: little fits its result");
        inputs = {boolean(graph, x)};
    } else {
        inputs = {x};
    }
}

Attributes movementAttributes(const Graph& graph, Op op, const std::vector<NodeId>& inputs, Random& random) {
    const types::Shape& shape = shapeOf(graph, inputs[0]);
    if (!shape.hasRank())
        throw UsageError("its attributes would be a guess");
    switch (op) {
    case Op::StridedSlice:
        return sliceOf(shape, random);
    case Op::StridedSliceGrad:
        return Attributes().set(Attribute::Begin, {-2}).set(Attribute::End, {3});
    case Op::Gather:
    case Op::GatherGrad: {
        const types::Shape& whole = shapeOf(graph, inputs[op == Op::Gather ? 0 : 2]);
        const bool isBatched = whole.rank() > 1 && shapeOf(graph, inputs[1]).rank() == whole.rank();
        return Attributes()
            .set(Attribute::Axis, -1)
            .set(Attribute::BatchDims, isBatched ? whole.rank() - 1 : 0);
    }
    case Op::ExpandDims:
        return Attributes().set(Attribute::Axis, below(random, 4) - 2);
    case Op::Pad: {
        std::vector<std::int64_t> paddings;
        for (int axis = 0; axis < 2 * shape.rank(); ++axis)
            paddings.push_back(below(random, 3));
        return Attributes().set(Attribute::Paddings, paddings);
    }
    case Op::Tile:
        return multiplesFor(shape, random);
    case Op::TileGrad:
        return Attributes().set(Attribute::Multiples,
                                std::vector<std::int64_t>(static_cast<std::size_t>(shape.rank()), 2));
    case Op::ArgSort:
        return Attributes().set(Attribute::Descending, below(random, 2));
    case Op::RandomBits:
        return Attributes().set(Attribute::DType, static_cast<std::int64_t>(DType::UInt32));
    default:
        return {};
    }
}

} // namespace retracescope::test
