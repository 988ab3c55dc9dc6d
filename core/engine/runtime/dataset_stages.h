#pragma once

#include <retracescope/engine/runtime/dataset.h>

/// Datasets that are made of others. Numbers that make no sense throw UsageError.
namespace retracescope::runtime {

/// `size` (1 or more) elements at a time, each tensor joined along a new leading axis. The last batch may be
/// smaller unless `dropRemainder`. Elements of one batch of different shapes throw UsageError at next().
DatasetPointer batchDataset(DatasetPointer source, std::int64_t size, bool dropRemainder);

/// Each element taken at random out of a buffer of `size` (1 or more) that is filled from the source. The
/// order follows from the seed and, if `reshuffles`, from how many passes over this dataset began before.
DatasetPointer shuffleDataset(DatasetPointer source, std::int64_t size, std::int64_t seed, bool reshuffles);

/// `count` passes one after the other, or for ever if it is negative. A pass without elements ends it.
DatasetPointer repeatDataset(DatasetPointer source, std::int64_t count);

/// The first `count` (0 or more) elements; all if it has fewer.
DatasetPointer takeDataset(DatasetPointer source, std::int64_t count);

/// All but the first `count` (0 or more) elements.
DatasetPointer skipDataset(DatasetPointer source, std::int64_t count);

/// The tensors of elements of all sources side by side, until the first of them ends.
DatasetPointer zipDataset(std::vector<DatasetPointer> sources);

} // namespace retracescope::runtime
