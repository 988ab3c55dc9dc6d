#pragma once

#include <retracescope/engine/runtime/dataset.h>

/// Datasets that are made of values.
namespace retracescope::runtime {

/// start, start + step, ... up to stop, which is left out; int64 scalars. Throws UsageError for a step of 0.
DatasetPointer rangeDataset(std::int64_t start, std::int64_t stop, std::int64_t step);

/// One element.
DatasetPointer tensorsDataset(Element element);

/// The rows of tensors along their leading axes, side by side. Throws UsageError unless all have one and
/// equally many rows.
DatasetPointer slicesDataset(Element wholes);

} // namespace retracescope::runtime
