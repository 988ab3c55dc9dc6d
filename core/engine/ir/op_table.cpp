#include <retracescope/engine/ir/op_table.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/shape_rules.h>

namespace retracescope::ir {

namespace {

using namespace rules;

constexpr std::array kConstantAttributes{Attribute::Constant};
constexpr std::array kTypeAttributes{Attribute::Type};
constexpr std::array kCastAttributes{Attribute::DType};
constexpr std::array kMatMulAttributes{Attribute::TransposeA, Attribute::TransposeB};
constexpr std::array kTransposeAttributes{Attribute::Permutation};
constexpr std::array kShapeAttributes{Attribute::Shape};
constexpr std::array kConcatAttributes{Attribute::Axis};
constexpr std::array kPartAttributes{Attribute::Axis, Attribute::Index};
constexpr std::array kReduceAttributes{Attribute::Axes, Attribute::KeepDims};
constexpr std::array kArgAttributes{Attribute::Axis, Attribute::KeepDims};
constexpr std::array kScanAttributes{Attribute::Axis, Attribute::Exclusive, Attribute::Reverse};
constexpr std::array kSliceAttributes{Attribute::Begin,     Attribute::End,     Attribute::Strides,
                                      Attribute::BeginMask, Attribute::EndMask, Attribute::ShrinkMask};
constexpr std::array kGatherAttributes{Attribute::Axis, Attribute::BatchDims};
constexpr std::array kExpandAttributes{Attribute::Axis};
constexpr std::array kSqueezeAttributes{Attribute::Axes};
constexpr std::array kPadAttributes{Attribute::Paddings};
constexpr std::array kTileAttributes{Attribute::Multiples};
constexpr std::array kSortAttributes{Attribute::Descending};
constexpr std::array kReserveAttributes{Attribute::Type, Attribute::DynamicSize};
constexpr std::array kDropAttributes{Attribute::DropRemainder};
constexpr std::array kReshuffleAttributes{Attribute::Reshuffle};
constexpr std::array kNextAttributes{Attribute::Optional};
constexpr std::array kTextAttributes{Attribute::Text};
constexpr std::array kHostAttributes{Attribute::Host};
constexpr std::array kCallAttributes{Attribute::Callee, Attribute::Index, Attribute::Backward,
                                     Attribute::GradientsOf};
constexpr std::array kCallBranches{Attribute::Backward};
constexpr std::array kCondAttributes{Attribute::Then, Attribute::Else};
constexpr std::array kWhileAttributes{Attribute::Condition, Attribute::Body};

OpInfo unary(Op op, std::string_view name, types::DType (*dtypeRule)(const RuleInput&)) {
    return {op, name, 1, 1, Effect::None, true, false, dtypeRule, sameShape, {}};
}

OpInfo binary(Op op, std::string_view name, types::DType (*dtypeRule)(const RuleInput&),
              bool commutative = false) {
    return {op, name, 2, 2, Effect::None, true, commutative, dtypeRule, broadcastShape, {}};
}

OpInfo pure(Op op, std::string_view name, int inputs, types::DType (*dtypeRule)(const RuleInput&),
            types::Shape (*shapeRule)(const RuleInput&), std::span<const Attribute> attributes = {}) {
    const auto count = static_cast<std::int8_t>(inputs);
    return {op, name, count, count, Effect::None, false, false, dtypeRule, shapeRule, attributes};
}

OpInfo assignment(Op op, std::string_view name) {
    return {op, name, 2, 2, Effect::Writes, false, false, assignDType, noShape, kTypeAttributes};
}

/// Every fact about every op, in the order of the enumeration.
const std::array<OpInfo, kOpCount> kOps{{
    pure(Op::Placeholder, "placeholder", 0, noDType, noShape),
    pure(Op::Constant, "constant", 0, noDType, noShape, kConstantAttributes),
    pure(Op::Result, "result", 0, noDType, noShape),
    pure(Op::Identity, "identity", 1, likeDType, sameShape),
    pure(Op::StopGradient, "stop_gradient", 1, likeDType, sameShape),
    pure(Op::CheckNumerics, "check_numerics", 1, floatingDType, sameShape, kTextAttributes),
    unary(Op::Neg, "neg", numericDType),
    unary(Op::Abs, "abs", numericDType),
    unary(Op::Square, "square", numericDType),
    unary(Op::Sqrt, "sqrt", floatingDType),
    unary(Op::Exp, "exp", floatingDType),
    unary(Op::Log, "log", floatingDType),
    unary(Op::Tanh, "tanh", floatingDType),
    unary(Op::Sigmoid, "sigmoid", floatingDType),
    unary(Op::Relu, "relu", numericDType),
    unary(Op::Sin, "sin", floatingDType),
    unary(Op::Cos, "cos", floatingDType),
    unary(Op::Tan, "tan", floatingDType),
    unary(Op::Erf, "erf", floatingDType),
    unary(Op::Log1p, "log1p", floatingDType),
    unary(Op::Expm1, "expm1", floatingDType),
    unary(Op::Rsqrt, "rsqrt", floatingDType),
    unary(Op::Floor, "floor", floatingDType),
    unary(Op::Ceil, "ceil", floatingDType),
    unary(Op::Round, "round", floatingDType),
    unary(Op::Sign, "sign", numericDType),
    unary(Op::LogicalNot, "logical_not", logicalDType),
    binary(Op::Add, "add", addDType, true),
    binary(Op::Sub, "sub", numericDType),
    binary(Op::Mul, "mul", numericDType, true),
    binary(Op::Div, "div", numericDType),
    binary(Op::Pow, "pow", numericDType),
    binary(Op::Maximum, "maximum", numericDType),
    binary(Op::Minimum, "minimum", numericDType),
    binary(Op::Atan2, "atan2", floatingDType),
    binary(Op::FloorDiv, "floor_div", numericDType),
    binary(Op::FloorMod, "floor_mod", numericDType),
    binary(Op::Equal, "equal", equalDType, true),
    binary(Op::NotEqual, "not_equal", equalDType, true),
    binary(Op::Less, "less", comparedDType),
    binary(Op::LessEqual, "less_equal", comparedDType),
    binary(Op::Greater, "greater", comparedDType),
    binary(Op::GreaterEqual, "greater_equal", comparedDType),
    binary(Op::LogicalAnd, "logical_and", logicalDType, true),
    binary(Op::LogicalOr, "logical_or", logicalDType, true),
    {Op::Select, "select", 3, 3, Effect::None, true, false, selectDType, selectShape, {}},
    {Op::Cast, "cast", 1, 1, Effect::None, true, false, castDType, sameShape, kCastAttributes},
    pure(Op::MatMul, "matmul", 2, floatingDType, matMulShape, kMatMulAttributes),
    pure(Op::Transpose, "transpose", 1, likeDType, transposeShape, kTransposeAttributes),
    pure(Op::Reshape, "reshape", 1, likeDType, reshapeShape, kShapeAttributes),
    pure(Op::BroadcastTo, "broadcast_to", 1, likeDType, broadcastToShape, kShapeAttributes),
    {Op::Concat, "concat", 1, -1, Effect::None, false, false, sameDType, concatShape, kConcatAttributes},
    pure(Op::ReduceSum, "reduce_sum", 1, numericDType, reduceShape, kReduceAttributes),
    pure(Op::ReduceMean, "reduce_mean", 1, numericDType, reduceShape, kReduceAttributes),
    pure(Op::ReduceMax, "reduce_max", 1, numericDType, reduceShape, kReduceAttributes),
    pure(Op::ReduceMin, "reduce_min", 1, numericDType, reduceShape, kReduceAttributes),
    pure(Op::ReduceProd, "reduce_prod", 1, numericDType, reduceShape, kReduceAttributes),
    pure(Op::ReduceAny, "reduce_any", 1, logicalDType, reduceShape, kReduceAttributes),
    pure(Op::ReduceAll, "reduce_all", 1, logicalDType, reduceShape, kReduceAttributes),
    pure(Op::ArgMax, "arg_max", 1, argDType, argShape, kArgAttributes),
    pure(Op::ArgMin, "arg_min", 1, argDType, argShape, kArgAttributes),
    pure(Op::CumSum, "cum_sum", 1, numericDType, scanShape, kScanAttributes),
    pure(Op::CumProd, "cum_prod", 1, numericDType, scanShape, kScanAttributes),
    pure(Op::StridedSlice, "strided_slice", 1, likeDType, stridedSliceShape, kSliceAttributes),
    pure(Op::Gather, "gather", 2, gatherDType, gatherShape, kGatherAttributes),
    pure(Op::ExpandDims, "expand_dims", 1, likeDType, expandDimsShape, kExpandAttributes),
    pure(Op::Squeeze, "squeeze", 1, likeDType, squeezeShape, kSqueezeAttributes),
    pure(Op::Pad, "pad", 2, sameDType, padShape, kPadAttributes),
    pure(Op::Tile, "tile", 1, likeDType, tileShape, kTileAttributes),
    pure(Op::ArgSort, "arg_sort", 1, argSortDType, argSortShape, kSortAttributes),
    pure(Op::Range, "range", 3, numericDType, rangeShape),
    pure(Op::RandomBits, "random_bits", 2, randomBitsDType, randomBitsShape, kCastAttributes),
    pure(Op::Where, "where", 1, whereDType, whereShape),
    pure(Op::ShapeOf, "shape_of", 1, shapeOfDType, shapeOfShape),
    pure(Op::Fill, "fill", 2, fillDType, fillShape),
    pure(Op::OnesLike, "ones_like", 1, numberOrBoolDType, sameShape),
    pure(Op::ZerosLike, "zeros_like", 1, numberOrBoolDType, sameShape),
    pure(Op::ReshapeLike, "reshape_like", 2, likeDType, reshapeLikeShape),
    pure(Op::SumLike, "sum_like", 2, numericDType, sumLikeShape),
    {Op::ConcatPart, "concat_part", 2, -1, Effect::None, false, false, sameDType, concatPartShape,
     kPartAttributes},
    pure(Op::StridedSliceGrad, "strided_slice_grad", 2, likeDType, stridedSliceGradShape, kSliceAttributes),
    pure(Op::GatherGrad, "gather_grad", 3, gatherGradDType, gatherGradShape, kGatherAttributes),
    pure(Op::TileGrad, "tile_grad", 2, numericDType, tileGradShape, kTileAttributes),
    pure(Op::ListReserve, "list_reserve", 1, listDType, noShape, kReserveAttributes),
    pure(Op::ListFromTensor, "list_from_tensor", 1, listDType, noShape),
    pure(Op::ListLength, "list_length", 1, listLengthDType, noShape),
    {Op::ListGet, "list_get", 2, 3, Effect::None, false, false, listElementDType, listElementShape,
     kTypeAttributes},
    pure(Op::ListSet, "list_set", 3, listDType, noShape),
    {Op::ListStack, "list_stack", 1, 2, Effect::None, false, false, listElementDType, listStackShape,
     kTypeAttributes},
    pure(Op::ListAdd, "list_add", 2, listDType, noShape),
    pure(Op::DatasetRange, "dataset_range", 3, datasetDType, noShape),
    {Op::DatasetTensors, "dataset_tensors", 1, -1, Effect::None, false, false, datasetDType, noShape, {}},
    {Op::DatasetSlices, "dataset_slices", 1, -1, Effect::None, false, false, datasetDType, noShape, {}},
    pure(Op::DatasetBatch, "dataset_batch", 2, datasetDType, noShape, kDropAttributes),
    {Op::DatasetShuffle, "dataset_shuffle", 3, 3, Effect::Creates, false, false, datasetDType, noShape,
     kReshuffleAttributes},
    pure(Op::DatasetRepeat, "dataset_repeat", 2, datasetDType, noShape),
    pure(Op::DatasetTake, "dataset_take", 2, datasetDType, noShape),
    pure(Op::DatasetSkip, "dataset_skip", 2, datasetDType, noShape),
    {Op::DatasetMap, "dataset_map", 2, -1, Effect::None, false, false, datasetDType, noShape, {}},
    {Op::DatasetFilter, "dataset_filter", 2, -1, Effect::None, false, false, datasetDType, noShape, {}},
    {Op::DatasetZip, "dataset_zip", 1, -1, Effect::None, false, false, datasetDType, noShape, {}},
    pure(Op::DatasetCardinality, "dataset_cardinality", 1, cardinalityDType, noShape),
    {Op::DatasetIterator, "dataset_iterator", 1, 1, Effect::Writes, false, false, datasetDType, noShape, {}},
    {Op::IteratorNext, "iterator_next", 1, 1, Effect::Writes, false, false, nextDType, noShape,
     kNextAttributes},
    {Op::ReadVariable, "read_variable", 1, 1, Effect::Reads, false, false, readDType, variableShape,
     kTypeAttributes},
    assignment(Op::AssignVariable, "assign_variable"),
    assignment(Op::AssignAddVariable, "assign_add_variable"),
    assignment(Op::AssignSubVariable, "assign_sub_variable"),
    {Op::Print, "print", 0, -1, Effect::Ordered, false, false, noDType, noShape, kTextAttributes},
    {Op::Assert, "assert", 1, -1, Effect::Ordered, false, false, assertDType, noShape, kTextAttributes},
    {Op::HostCall, "host_call", 0, -1, Effect::Ordered, false, false, noDType, noShape, kHostAttributes},
    {Op::Call, "call", 0, -1, Effect::None, false, false, noDType, noShape, kCallAttributes},
    {Op::Cond, "cond", 1, -1, Effect::None, false, false, noDType, noShape, kCondAttributes},
    {Op::While, "while", 0, -1, Effect::None, false, false, noDType, noShape, kWhileAttributes},
}};

void requireInputCount(const OpInfo& info, std::size_t count) {
    const bool fits = count >= static_cast<std::size_t>(info.minInputs) &&
                      (info.maxInputs < 0 || count <= static_cast<std::size_t>(info.maxInputs));
    if (!fits)
        throw UsageError(fmt::format("{}expected {}{} inputs, got {}", messageStart(info.op),
                                     info.maxInputs < 0 ? "at least " : "", info.minInputs, count));
}

bool isScalar(types::TensorTypeId type) {
    return types::isKnown(type) && types::shapeOf(type).rank() == 0;
}

/// The input whose shape an elementwise op takes over, where that is seen at once; else None.
types::TensorTypeId decisiveType(std::span<const types::TensorTypeId> types) {
    if (types.empty() || types.size() > 2 || !std::ranges::all_of(types, types::isKnown))
        return types::TensorTypeId::None;
    if (types.size() == 1 || types[0] == types[1] || isScalar(types[1]))
        return types[0];
    return isScalar(types[0]) ? types[1] : types::TensorTypeId::None;
}

} // namespace

const OpInfo& opInfo(Op op) {
    const OpInfo& info = kOps[static_cast<std::size_t>(op)];
    RETRACESCOPE_CHECK(info.op == op);
    return info;
}

bool runsGraphs(Op op) {
    return op == Op::Call || op == Op::Cond || op == Op::While;
}

bool hasResultNodes(Op op) {
    return runsGraphs(op) || op == Op::HostCall;
}

bool isInferred(Op op) {
    return op != Op::Placeholder && op != Op::Constant && op != Op::Result && !hasResultNodes(op);
}

bool looksAtValues(Op op) {
    return op == Op::Fill || op == Op::RandomBits || op == Op::Range || op == Op::Where;
}

std::span<const Attribute> branchAttributes(Op op) {
    if (op == Op::Call)
        return kCallBranches;
    return op == Op::Cond || op == Op::While ? opInfo(op).attributes : std::span<const Attribute>();
}

std::span<const std::uint32_t> innerArguments(Op op, std::span<const std::uint32_t> inputs) {
    return inputs.subspan(op == Op::Cond ? 1 : 0); // behind the predicate
}

std::string_view opName(Op op) {
    return opInfo(op).name;
}

std::optional<Op> opFromName(std::string_view name) {
    static const auto byName = [] {
        std::unordered_map<std::string_view, Op> result;
        for (const OpInfo& info : kOps)
            result.emplace(info.name, info.op);
        return result;
    }();
    const auto found = byName.find(name);
    return found == byName.end() ? std::nullopt : std::optional(found->second);
}

types::TensorTypeId inferType(const RuleInput& input) {
    const OpInfo& info = opInfo(input.op);
    requireInputCount(info, input.types.size());
    const types::DType dtype = info.dtypeRule(input);
    if (dtype == types::DType::None)
        return types::TensorTypeId::None;
    const types::TensorTypeId decisive =
        info.elementwise ? decisiveType(input.types) : types::TensorTypeId::None;
    if (decisive != types::TensorTypeId::None && types::dtypeOf(decisive) == dtype)
        return decisive;
    return types::tensorType(dtype, info.shapeRule(input));
}

std::string_view calledName(Op op) {
    switch (op) {
    case Op::FloorMod:
        return "mod";
    case Op::ListReserve:
        return "TensorArray";
    case Op::ListFromTensor:
        return "TensorArray.unstack";
    case Op::ListLength:
        return "TensorArray.size";
    case Op::ListGet:
        return "TensorArray.read";
    case Op::ListSet:
        return "TensorArray.write";
    case Op::ListStack:
        return "TensorArray.stack";
    case Op::ReadVariable:
        return "read";
    case Op::AssignVariable:
        return "assign";
    case Op::AssignAddVariable:
        return "assign_add";
    case Op::AssignSubVariable:
        return "assign_sub";
    default:
        return opName(op);
    }
}

std::string messageStart(Op op) {
    return fmt::format("[{}] ", calledName(op));
}

} // namespace retracescope::ir
