#pragma once

#include <cstdint>
#include <vector>

#include <retracescope/engine/ir/op_table.h>

namespace retracescope::ir {

/// What a strided slice takes of one axis: `size` elements from `begin` on.
struct SlicedAxis {
    std::int64_t begin = 0;
    std::int64_t size = 0; ///< Shape::kUnknown if the axis' is
    std::int64_t stride = 1;
    bool goes = false; ///< the result does not have it
};

/// Of a strided slice's attributes on a shape with a rank; ends outside of an axis are its ends. Throws
/// UsageError for a stride of 0, for more axes than there are, and for a single index that is outside.
std::vector<SlicedAxis> slicedAxes(Op op, const types::Shape& shape, AttributeView attributes);

/// The places of the axes in a gather: `axis` counts in the first input, `batchDims` are leading in both.
/// Throws UsageError where they are none.
struct GatherAxes {
    int axis = 0;
    int batchDims = 0;
};
GatherAxes gatherAxes(Op op, const types::Shape& shape, const types::Shape& indices,
                      AttributeView attributes);

} // namespace retracescope::ir
