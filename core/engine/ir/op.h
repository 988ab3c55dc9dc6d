#pragma once

#include <cstdint>

namespace retracescope::ir {

/// What a node does. Every fact about an op stands in op_table.cpp, in this order.
enum class Op : std::uint16_t {
    Placeholder, ///< an argument or a capture
    Constant,
    Result, ///< a further result of the node that precedes it (hasResultNodes())
    Identity,
    StopGradient,  ///< its input, which no gradient flows into
    CheckNumerics, ///< its input, or an error if a NaN or an infinity is in it
    // one input, element by element
    Neg,
    Abs,
    Square,
    Sqrt,
    Exp,
    Log,
    Tanh,
    Sigmoid,
    Relu,
    Sin,
    Cos,
    Tan,
    Erf,
    Log1p, ///< log(1 + x)
    Expm1, ///< exp(x) - 1
    Rsqrt, ///< 1 / sqrt(x)
    Floor,
    Ceil,
    Round, ///< halves to the even neighbour
    Sign,
    LogicalNot,
    // two inputs, element by element, broadcast
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Maximum,
    Minimum,
    Atan2,    ///< the angle of (second, first)
    FloorDiv, ///< the quotient rounded down
    FloorMod, ///< the rest that belongs to it: of the divisor's sign
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    LogicalAnd,
    LogicalOr,
    Select,
    Cast,
    // other shapes
    MatMul,
    Transpose,
    Reshape,
    BroadcastTo,
    Concat,
    ReduceSum,
    ReduceMean,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    ReduceAny,
    ReduceAll,
    ArgMax, ///< where along an axis the greatest element lies, the first of equal ones
    ArgMin,
    CumSum,
    CumProd,
    StridedSlice,
    Gather,
    ExpandDims,
    Squeeze,
    Pad,
    Tile,
    ArgSort, ///< the places of a vector's elements in ascending order; along the last axis
    Range,
    RandomBits, ///< of counter-based random numbers: sizes and seed decide all of them
    Where,      ///< the indices of what is true, a row each
    ShapeOf,
    Fill,
    OnesLike,
    ZerosLike,
    // the shape of another value: what gradients undo broadcasting, reshaping and joining with
    ReshapeLike, ///< the first input's elements in the second's shape
    SumLike,     ///< the first input summed to the second's shape, which broadcasts to it
    ConcatPart,  ///< of the first input, the part that input 1 + index had in the concat of the inputs behind
                 ///< it
    StridedSliceGrad, ///< zeros in the second input's shape with the first where a slice of it lies
    GatherGrad,       ///< zeros in the third input's shape, the first added where the second points
    TileGrad,         ///< the first input's tiles, each of the second's shape, summed
    // lists of tensors: TensorArrays, and what loops keep of their trips (tensor/list.h)
    ListReserve,    ///< as many elements as the input says, none of them set
    ListFromTensor, ///< the rows of a tensor
    ListLength,
    ListGet,   ///< of a list, the element at an index; with a third input: zeros like it if none is set
    ListSet,   ///< a list with a value at an index, where none was set
    ListStack, ///< the elements as rows; with a second input: in its shape, zeros where none is set
    ListAdd,   ///< element by element, where one that is not set is zero
    // datasets: immutable recipes of elements (runtime/dataset.h), and iterators, which walk over one
    DatasetRange,       ///< start, stop, step
    DatasetTensors,     ///< one element, the inputs
    DatasetSlices,      ///< the rows of the inputs
    DatasetBatch,       ///< so many elements joined along a new axis
    DatasetShuffle,     ///< taken at random from a buffer of that size, by that seed
    DatasetRepeat,      ///< again and again, so often; forever if negative
    DatasetTake,        ///< the first ones
    DatasetSkip,        ///< all but the first ones
    DatasetMap,         ///< what a function makes of each; behind it what it uses from outside
    DatasetFilter,      ///< those for which a function says true
    DatasetZip,         ///< the elements of several side by side
    DatasetCardinality, ///< how many elements; -1 = infinite, -2 = nobody knows
    DatasetIterator,    ///< from the first element on
    IteratorNext,       ///< the next element as a list of its tensors; at the end, an empty one if optional
    // state, effects, other graphs
    ReadVariable,
    AssignVariable,
    AssignAddVariable,
    AssignSubVariable,
    Print,
    Assert,   ///< an error with the further inputs in its message unless the first is true
    HostCall, ///< of a function of the program
    Call,
    Cond,
    While,
};

inline constexpr int kOpCount = static_cast<int>(Op::While) + 1;

} // namespace retracescope::ir
