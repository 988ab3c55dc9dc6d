#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/rule_checks.h>
#include <retracescope/engine/ir/shape_rules.h>

namespace retracescope::ir::rules {

using types::DType;

namespace {

[[noreturn]] void refuse(const RuleInput& input, std::string_view expected, DType got) {
    throw UsageError(
        fmt::format("{}expected {}, got {}", messageStart(input.op), expected, types::dtypeName(got)));
}

DType requireHandle(const RuleInput& input) {
    if (dtypeAt(input, 0) != DType::Resource)
        refuse(input, "a variable", dtypeAt(input, 0));
    if (!input.attributes.has(Attribute::Type))
        throw UsageError(messageStart(input.op) + "expected the type that the variable holds, got none");
    return types::dtypeOf(static_cast<types::TensorTypeId>(input.attributes.number(Attribute::Type)));
}

} // namespace

DType sameDType(const RuleInput& input) {
    const DType first = dtypeAt(input, 0);
    for (std::size_t i = 1; i < input.types.size(); ++i) {
        if (dtypeAt(input, i) != first)
            throw UsageError(fmt::format("{}dtypes differ: {} and {}; cast one of them",
                                         messageStart(input.op), types::dtypeName(first),
                                         types::dtypeName(dtypeAt(input, i))));
    }
    return first;
}

DType numericDType(const RuleInput& input) {
    const DType dtype = sameDType(input);
    if (!types::isNumeric(dtype))
        refuse(input, "numbers", dtype);
    return dtype;
}

DType numberOrBoolDType(const RuleInput& input) {
    const DType dtype = sameDType(input);
    if (!types::isNumeric(dtype) && dtype != DType::Bool)
        refuse(input, "numbers or bools", dtype);
    return dtype;
}

DType floatingDType(const RuleInput& input) {
    const DType dtype = sameDType(input);
    if (!types::isFloating(dtype))
        refuse(input, "a floating dtype", dtype);
    return dtype;
}

DType addDType(const RuleInput& input) {
    const DType dtype = sameDType(input);
    if (!types::isNumeric(dtype) && dtype != DType::String)
        refuse(input, "numbers or strings", dtype);
    return dtype;
}

DType comparedDType(const RuleInput& input) {
    const DType dtype = sameDType(input);
    if (!types::isNumeric(dtype))
        refuse(input, "numbers", dtype);
    return DType::Bool;
}

DType equalDType(const RuleInput& input) {
    const DType dtype = sameDType(input);
    if (!types::isNumeric(dtype) && dtype != DType::Bool && dtype != DType::String)
        refuse(input, "numbers, bools or strings", dtype);
    return DType::Bool;
}

DType logicalDType(const RuleInput& input) {
    const DType dtype = sameDType(input);
    if (dtype != DType::Bool)
        refuse(input, "bool", dtype);
    return DType::Bool;
}

DType selectDType(const RuleInput& input) {
    if (dtypeAt(input, 0) != DType::Bool)
        refuse(input, "a bool condition", dtypeAt(input, 0));
    RuleInput values = input;
    values.types = input.types.subspan(1);
    return sameDType(values);
}

DType castDType(const RuleInput& input) {
    const DType from = dtypeAt(input, 0);
    const auto to = static_cast<DType>(input.attributes.number(Attribute::DType));
    const auto isCastable = [](DType dtype) { return types::isNumeric(dtype) || dtype == DType::Bool; };
    if (!isCastable(from) || !isCastable(to))
        throw UsageError(fmt::format("{}expected numbers or bools, got {} to {}", messageStart(input.op),
                                     types::dtypeName(from), types::dtypeName(to)));
    return to;
}

DType likeDType(const RuleInput& input) {
    return dtypeAt(input, 0);
}

DType argDType(const RuleInput& input) {
    numericDType(input);
    return DType::Int64;
}

DType gatherDType(const RuleInput& input) {
    const DType indices = dtypeAt(input, 1);
    if (indices != DType::Int32 && indices != DType::Int64)
        refuse(input, "indices of int32 or int64", indices);
    return dtypeAt(input, 0);
}

DType gatherGradDType(const RuleInput& input) {
    if (const DType dtype = gatherDType(input); !types::isNumeric(dtype))
        refuse(input, "numbers", dtype);
    return dtypeAt(input, 0);
}

DType argSortDType(const RuleInput& input) {
    numericDType(input);
    return DType::Int32;
}

DType whereDType(const RuleInput& input) {
    logicalDType(input);
    return DType::Int64;
}

DType randomBitsDType(const RuleInput& input) {
    const auto isWhole = [](DType dtype) { return dtype == DType::Int32 || dtype == DType::Int64; };
    if (!isWhole(dtypeAt(input, 0)))
        refuse(input, "sizes of int32 or int64", dtypeAt(input, 0));
    if (!isWhole(dtypeAt(input, 1)))
        refuse(input, "a seed of int32 or int64", dtypeAt(input, 1));
    const auto dtype = static_cast<DType>(input.attributes.number(Attribute::DType));
    if (dtype != DType::UInt32 && dtype != DType::UInt64)
        refuse(input, "uint32 or uint64 as result", dtype);
    return dtype;
}

DType shapeOfDType(const RuleInput&) {
    return DType::Int64;
}

DType fillDType(const RuleInput& input) {
    const DType sizes = dtypeAt(input, 0);
    if (sizes != DType::Int32 && sizes != DType::Int64)
        refuse(input, "sizes of int32 or int64", sizes);
    return dtypeAt(input, 1);
}

DType readDType(const RuleInput& input) {
    return requireHandle(input);
}

DType assignDType(const RuleInput& input) {
    const DType dtype = requireHandle(input);
    const auto holds = static_cast<types::TensorTypeId>(input.attributes.number(Attribute::Type));
    const bool mayFit = dtypeAt(input, 1) == dtype &&
                        (types::isSubtype(input.types[1], holds) ||
                         types::isSubtype(types::shapeOf(holds), types::shapeOf(input.types[1])));
    if (!mayFit)
        throw UsageError(fmt::format("{}the variable holds {}, got {}", messageStart(input.op),
                                     types::toText(holds), types::toText(input.types[1])));
    return DType::None;
}

DType assertDType(const RuleInput& input) {
    const types::Shape& shape = types::shapeOf(input.types[0]);
    if (dtypeAt(input, 0) != DType::Bool || (shape.hasRank() && shape.rank() > 0))
        throw UsageError(fmt::format("{}expected a bool scalar, got {}", messageStart(input.op),
                                     types::toText(input.types[0])));
    return DType::None;
}

DType noDType(const RuleInput&) {
    return DType::None;
}

} // namespace retracescope::ir::rules
