#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/ir/rule_checks.h>
#include <retracescope/engine/ir/shape_rules.h>

/// The rules of ops on lists. What is checked here are places and kinds of inputs; the elements of a list are
/// looked at when it is there (runtime/kernels/list_kernels.h).
namespace retracescope::ir::rules {

using types::DType;
using types::Shape;

namespace {

void requireList(const RuleInput& input, std::size_t index) {
    if (dtypeAt(input, index) != DType::Variant)
        refuseInput(input, "a list", index);
}

/// The type that the caller demands of elements.
types::TensorTypeId elementType(const RuleInput& input) {
    if (!input.attributes.has(Attribute::Type))
        throw UsageError(messageStart(input.op) + "expected the type of an element, got none");
    return static_cast<types::TensorTypeId>(input.attributes.number(Attribute::Type));
}

/// The input behind the others that says type and shape of the result, if there is one.
bool hasLike(const RuleInput& input) {
    return input.types.size() == static_cast<std::size_t>(opInfo(input.op).maxInputs);
}

} // namespace

DType listDType(const RuleInput& input) {
    if (input.op == Op::ListReserve) {
        requireInteger(input, 0, "a size");
        return DType::Variant;
    }
    if (input.op == Op::ListFromTensor) {
        if (types::shapeOf(input.types[0]).hasRank() && types::shapeOf(input.types[0]).rank() == 0)
            refuseInput(input, "a tensor with a leading axis", 0);
        return DType::Variant;
    }
    requireList(input, 0);
    if (input.op == Op::ListAdd)
        requireList(input, 1);
    else
        requireInteger(input, 1, "an index");
    return DType::Variant;
}

DType listElementDType(const RuleInput& input) {
    requireList(input, 0);
    if (input.op == Op::ListGet)
        requireInteger(input, 1, "an index");
    const DType dtype = types::dtypeOf(hasLike(input) ? input.types.back() : elementType(input));
    if (input.op == Op::ListStack && (dtype == DType::Variant || dtype == DType::Resource))
        throw UsageError(fmt::format("{}expected elements that join to a tensor, got {}",
                                     messageStart(input.op), types::dtypeName(dtype)));
    return dtype;
}

DType listLengthDType(const RuleInput& input) {
    requireList(input, 0);
    return DType::Int64;
}

Shape listElementShape(const RuleInput& input) {
    return types::shapeOf(hasLike(input) ? input.types.back() : elementType(input));
}

Shape listStackShape(const RuleInput& input) {
    if (hasLike(input))
        return types::shapeOf(input.types.back());
    const Shape& element = types::shapeOf(elementType(input));
    if (!element.hasRank())
        return Shape::unknownRank();
    std::vector<std::int64_t> sizes(element.sizes().begin(), element.sizes().end());
    sizes.insert(sizes.begin(), Shape::kUnknown);
    return Shape(sizes);
}

} // namespace retracescope::ir::rules
