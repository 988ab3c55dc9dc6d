#pragma once

#include <vector>

#include "tests/differential/reference.h"

/// What the reference's families of ops are written with.
namespace retracescope::test {

using Sizes = std::vector<std::int64_t>;
using Index = std::vector<std::int64_t>;
__extension__ typedef __int128 Wide; ///< holds every product of two 64-bit integers

std::int64_t product(const Sizes& sizes);
Index indexOf(std::int64_t flat, const Sizes& sizes);
std::size_t flatOf(const Index& index, const Sizes& sizes);
/// Where an element of a broadcast result comes from.
std::size_t broadcastSource(const Index& index, const Sizes& sizes);
Sizes broadcastSizes(const Sizes& a, const Sizes& b);
/// Zeros, or empty texts.
ReferenceValue emptyValue(types::DType dtype, Sizes sizes);
void copyElement(ReferenceValue& to, std::size_t at, const ReferenceValue& from, std::size_t source);
/// Two's complement wrap-around to the dtype's width.
std::int64_t wrapped(Wide value, types::DType dtype);
/// Truncated, ends at the dtype's ends; a NaN is 0.
std::int64_t integerFrom(long double value, types::DType dtype);
/// The axis of a node, counted from the start.
std::size_t axisOf(ir::AttributeView attributes, std::size_t rank);

// Along axes.
ReferenceValue reduce(ir::Op op, const ReferenceValue& a, ir::AttributeView attributes);
ReferenceValue argBest(ir::Op op, const ReferenceValue& a, ir::AttributeView attributes);
ReferenceValue cumulative(ir::Op op, const ReferenceValue& a, ir::AttributeView attributes);

// What moves and lists.
bool isMovementOp(ir::Op op);
ReferenceValue computeMovement(ir::Op op, const std::vector<ReferenceValue>& inputs,
                               ir::AttributeView attributes);

} // namespace retracescope::test
