#pragma once

#include <cstdint>

namespace retracescope::ir {

/// What a node does. Every fact about an op stands in op_table.cpp, in this order.
enum class Op : std::uint16_t {
    Placeholder, ///< an argument or a capture
    Constant,
    Result, ///< a further result of the call, cond or while node that precedes it
    Identity,
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
    LogicalNot,
    // two inputs, element by element, broadcast
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Maximum,
    Minimum,
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
    ShapeOf,
    Fill,
    OnesLike,
    ZerosLike,
    // the shape of another value: what gradients undo broadcasting, reshaping and joining with
    ReshapeLike, ///< the first input's elements in the second's shape
    SumLike,     ///< the first input summed to the second's shape, which broadcasts to it
    ConcatPart,  ///< of the first input, the part that input 1 + index had in the concat of the inputs behind
                 ///< it
    // lists of tensors: TensorArrays, and what loops keep of their trips (tensor/list.h)
    ListReserve,    ///< as many elements as the input says, none of them set
    ListFromTensor, ///< the rows of a tensor
    ListLength,
    ListGet,   ///< of a list, the element at an index; with a third input: zeros like it if none is set
    ListSet,   ///< a list with a value at an index, where none was set
    ListStack, ///< the elements as rows; with a second input: in its shape, zeros where none is set
    ListAdd,   ///< element by element, where one that is not set is zero
    // state, effects, other graphs
    ReadVariable,
    AssignVariable,
    AssignAddVariable,
    AssignSubVariable,
    Print,
    Call,
    Cond,
    While,
};

inline constexpr int kOpCount = static_cast<int>(Op::While) + 1;

} // namespace retracescope::ir
