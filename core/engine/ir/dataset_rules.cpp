#include <retracescope/base/check.h>
#include <retracescope/engine/ir/rule_checks.h>
#include <retracescope/engine/ir/shape_rules.h>

/// The rules of ops on datasets. What is checked here are places and kinds of inputs; numbers and elements
/// are looked at when they are there (runtime/kernels/dataset_kernels.h).
namespace retracescope::ir::rules {

using types::DType;
using types::Shape;

namespace {

void requireHandle(const RuleInput& input, std::size_t index, std::string_view what) {
    if (dtypeAt(input, index) != DType::Resource)
        refuseInput(input, what, index);
}

void requireDatasets(const RuleInput& input, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        requireHandle(input, i, "a dataset");
}

void requireRows(const RuleInput& input) {
    std::int64_t rows = Shape::kUnknown;
    for (std::size_t i = 0; i < input.types.size(); ++i) {
        const Shape& shape = types::shapeOf(input.types[i]);
        if (!shape.hasRank())
            continue;
        if (shape.rank() == 0)
            refuseInput(input, "tensors with a leading axis", i);
        if (rows != Shape::kUnknown && shape[0] != Shape::kUnknown && shape[0] != rows)
            throw UsageError(messageStart(input.op) + "expected tensors with equally many rows, got " +
                             types::toText(input.types[0]) + " and " + types::toText(input.types[i]));
        rows = rows == Shape::kUnknown ? shape[0] : rows;
    }
}

} // namespace

DType datasetDType(const RuleInput& input) {
    switch (input.op) {
    case Op::DatasetRange:
        for (std::size_t i = 0; i < 3; ++i)
            if (requireInteger(input, i, "start, stop and step"); dtypeAt(input, i) != DType::Int64)
                refuseInput(input, "start, stop and step as int64 scalars", i);
        break;
    case Op::DatasetTensors:
        break;
    case Op::DatasetSlices:
        requireRows(input);
        break;
    case Op::DatasetZip:
        requireDatasets(input, input.types.size());
        break;
    case Op::DatasetMap:
    case Op::DatasetFilter:
        requireDatasets(input, 1);
        requireHandle(input, 1, "a function of elements");
        break;
    case Op::DatasetShuffle:
        requireDatasets(input, 1);
        requireInteger(input, 1, "a buffer size");
        requireInteger(input, 2, "a seed");
        break;
    case Op::DatasetIterator:
        requireDatasets(input, 1);
        break;
    default:
        requireDatasets(input, 1);
        requireInteger(input, 1, "a number of elements");
    }
    return DType::Resource;
}

DType cardinalityDType(const RuleInput& input) {
    requireDatasets(input, 1);
    return DType::Int64;
}

DType nextDType(const RuleInput& input) {
    requireHandle(input, 0, "an iterator");
    return DType::Variant;
}

} // namespace retracescope::ir::rules
