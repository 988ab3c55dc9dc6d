#include <retracescope/engine/runtime/kernels/dataset_kernels.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/dataset_functions.h>
#include <retracescope/engine/runtime/dataset_sources.h>
#include <retracescope/engine/runtime/dataset_stages.h>
#include <retracescope/engine/runtime/kernels/integers.h>
#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/list.h>

namespace retracescope::runtime {

using ir::Attribute;
using ir::Op;
using tensor::Tensor;

namespace {

/// Nothing of a dataset changes that a handle could change.
Tensor handleOf(const DatasetPointer& dataset) {
    return Tensor::resource(std::const_pointer_cast<Dataset>(dataset));
}

DatasetPointer datasetOf(Op op, const Tensor& handle) {
    return Dataset::of(handle, ir::messageStart(op));
}

Tensor asList(const Element& element) {
    auto list = std::make_shared<const tensor::List>(std::ssize(element), types::TensorTypeId::None, false);
    for (std::size_t i = 0; i < element.size(); ++i)
        list = list->with(static_cast<std::int64_t>(i), element[i]);
    return tensor::listTensor(std::move(list));
}

Tensor next(const Tensor& handle, ir::AttributeView attributes) {
    Iterator& iterator = Iterator::of(handle, ir::messageStart(Op::IteratorNext));
    Element element;
    if (!iterator.next(element) && attributes.number(Attribute::Optional) == 0)
        throw UsageError(fmt::format("{}{} has no further element; ask with nextOptional(), or repeat() it",
                                     ir::messageStart(Op::IteratorNext), iterator.dataset().name()));
    return asList(element);
}

DatasetPointer zipped(std::span<const Tensor> handles) {
    std::vector<DatasetPointer> sources;
    for (const Tensor& handle : handles)
        sources.push_back(datasetOf(Op::DatasetZip, handle));
    return zipDataset(std::move(sources));
}

DatasetPointer withFunction(Op op, std::span<const Tensor> inputs) {
    auto function = ElementFunction::of(inputs[1], ir::messageStart(op));
    const auto captured = inputs.subspan(2);
    return (op == Op::DatasetMap ? mapDataset : filterDataset)(datasetOf(op, inputs[0]), std::move(function),
                                                               Element(captured.begin(), captured.end()));
}

DatasetPointer made(Op op, std::span<const Tensor> inputs, ir::AttributeView attributes) {
    switch (op) {
    case Op::DatasetRange:
        return rangeDataset(integerIn(inputs[0]), integerIn(inputs[1]), integerIn(inputs[2]));
    case Op::DatasetTensors:
        return tensorsDataset({inputs.begin(), inputs.end()});
    case Op::DatasetSlices:
        return slicesDataset({inputs.begin(), inputs.end()});
    case Op::DatasetBatch:
        return batchDataset(datasetOf(op, inputs[0]), integerIn(inputs[1]),
                            attributes.number(Attribute::DropRemainder) != 0);
    case Op::DatasetShuffle:
        return shuffleDataset(datasetOf(op, inputs[0]), integerIn(inputs[1]), integerIn(inputs[2]),
                              attributes.number(Attribute::Reshuffle) != 0);
    case Op::DatasetRepeat:
        return repeatDataset(datasetOf(op, inputs[0]), integerIn(inputs[1]));
    case Op::DatasetTake:
        return takeDataset(datasetOf(op, inputs[0]), integerIn(inputs[1]));
    case Op::DatasetSkip:
        return skipDataset(datasetOf(op, inputs[0]), integerIn(inputs[1]));
    case Op::DatasetZip:
        return zipped(inputs);
    default:
        RETRACESCOPE_CHECK(op == Op::DatasetMap || op == Op::DatasetFilter);
        return withFunction(op, inputs);
    }
}

} // namespace

bool isOnDatasets(Op op) {
    return op >= Op::DatasetRange && op <= Op::IteratorNext;
}

Tensor runDatasetOp(Op op, std::span<const Tensor> inputs, ir::AttributeView attributes) {
    switch (op) {
    case Op::DatasetCardinality:
        return tensor::constant(datasetOf(op, inputs[0])->cardinality());
    case Op::DatasetIterator:
        return Tensor::resource(std::make_shared<Iterator>(datasetOf(op, inputs[0])));
    case Op::IteratorNext:
        return next(inputs[0], attributes);
    default:
        return handleOf(made(op, inputs, attributes));
    }
}

} // namespace retracescope::runtime
