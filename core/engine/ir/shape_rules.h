#pragma once

#include <retracescope/engine/ir/op_table.h>

/// How the shape of a result follows from the inputs; all cope with unknown axes and ranks and throw
/// UsageError on inputs that cannot fit whatever the unknown turns out to be.
namespace retracescope::ir::rules {

types::Shape sameShape(const RuleInput& input); ///< as the first input
types::Shape broadcastShape(const RuleInput& input);
types::Shape selectShape(const RuleInput& input);
types::Shape matMulShape(const RuleInput& input);
types::Shape transposeShape(const RuleInput& input);
types::Shape reshapeShape(const RuleInput& input);
types::Shape broadcastToShape(const RuleInput& input);
types::Shape concatShape(const RuleInput& input);
types::Shape reduceShape(const RuleInput& input);
types::Shape argShape(const RuleInput& input);  ///< without one axis
types::Shape scanShape(const RuleInput& input); ///< as the input, which has the axis
types::Shape stridedSliceShape(const RuleInput& input);
types::Shape gatherShape(const RuleInput& input);
types::Shape expandDimsShape(const RuleInput& input);
types::Shape squeezeShape(const RuleInput& input);
types::Shape padShape(const RuleInput& input);
types::Shape tileShape(const RuleInput& input);
types::Shape argSortShape(const RuleInput& input);
types::Shape rangeShape(const RuleInput& input);
types::Shape randomBitsShape(const RuleInput& input);
types::Shape whereShape(const RuleInput& input);
types::Shape stridedSliceGradShape(const RuleInput& input);
types::Shape gatherGradShape(const RuleInput& input);
types::Shape tileGradShape(const RuleInput& input);
types::Shape reshapeLikeShape(const RuleInput& input);
types::Shape sumLikeShape(const RuleInput& input);
types::Shape concatPartShape(const RuleInput& input);
types::Shape shapeOfShape(const RuleInput& input);
types::Shape fillShape(const RuleInput& input);
types::Shape listElementShape(const RuleInput& input);
types::Shape listStackShape(const RuleInput& input);
types::Shape variableShape(const RuleInput& input);
types::Shape noShape(const RuleInput& input);

types::DType sameDType(const RuleInput& input);    ///< all inputs equal
types::DType numericDType(const RuleInput& input); ///< all inputs equal, a number
types::DType numberOrBoolDType(const RuleInput& input);
types::DType floatingDType(const RuleInput& input); ///< all inputs equal, floating
types::DType addDType(const RuleInput& input);      ///< all inputs equal, a number or string
types::DType comparedDType(const RuleInput& input); ///< all inputs equal, ordered; bool
types::DType equalDType(const RuleInput& input);    ///< all inputs equal; bool
types::DType logicalDType(const RuleInput& input);  ///< all inputs bool
types::DType selectDType(const RuleInput& input);   ///< bool, then two equal
types::DType castDType(const RuleInput& input);
types::DType likeDType(const RuleInput& input);       ///< as the first input
types::DType argDType(const RuleInput& input);        ///< a number; int64
types::DType gatherDType(const RuleInput& input);     ///< as the first; the second an index
types::DType gatherGradDType(const RuleInput& input); ///< a number, an index, a number
types::DType argSortDType(const RuleInput& input);    ///< a number; int32
types::DType whereDType(const RuleInput& input);      ///< bool; int64
types::DType randomBitsDType(const RuleInput& input); ///< uint32 or uint64, as its attribute says
types::DType shapeOfDType(const RuleInput& input);    ///< int64
types::DType fillDType(const RuleInput& input);
types::DType listDType(const RuleInput& input);        ///< a list
types::DType listElementDType(const RuleInput& input); ///< of a list's elements
types::DType listLengthDType(const RuleInput& input);  ///< int64
types::DType datasetDType(const RuleInput& input);     ///< a dataset or an iterator: a resource
types::DType cardinalityDType(const RuleInput& input); ///< int64
types::DType nextDType(const RuleInput& input);        ///< a list
types::DType readDType(const RuleInput& input);
types::DType assignDType(const RuleInput& input); ///< none
types::DType assertDType(const RuleInput& input); ///< a bool scalar, then any; none
types::DType noDType(const RuleInput& input);     ///< none

/// Shape of the result of broadcasting; throws with the op's name.
types::Shape broadcast(Op op, const types::Shape& a, const types::Shape& b);

/// Axis counted from the end if negative; throws if it is not one of `rank` axes.
int checkedAxis(Op op, std::int64_t axis, int rank);

} // namespace retracescope::ir::rules
