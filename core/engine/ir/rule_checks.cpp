#include <retracescope/engine/ir/rule_checks.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::ir::rules {

namespace {

[[noreturn]] void refuseLength(const RuleInput& input, std::int64_t first, char sign, std::int64_t second) {
    throw UsageError(fmt::format("{}an axis of {} {} {} elements is too long", messageStart(input.op), first,
                                 sign, second));
}

} // namespace

types::DType dtypeAt(const RuleInput& input, std::size_t index) {
    return types::dtypeOf(input.types[index]);
}

void refuseInput(const RuleInput& input, std::string_view expected, std::size_t index) {
    throw UsageError(fmt::format("{}expected {}, got {}", messageStart(input.op), expected,
                                 types::toText(input.types[index])));
}

void requireInteger(const RuleInput& input, std::size_t index, std::string_view what) {
    const types::Shape& shape = types::shapeOf(input.types[index]);
    const bool isScalar = !shape.hasRank() || shape.rank() == 0;
    const types::DType dtype = dtypeAt(input, index);
    if (!isScalar || (dtype != types::DType::Int32 && dtype != types::DType::Int64))
        refuseInput(input, fmt::format("{} as an int32 or int64 scalar", what), index);
}

std::int64_t sizeSum(const RuleInput& input, std::int64_t first, std::int64_t second) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(first, second, &sum))
        refuseLength(input, first, '+', second);
    return sum;
}

std::int64_t sizeProduct(const RuleInput& input, std::int64_t first, std::int64_t second) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(first, second, &product))
        refuseLength(input, first, 'x', second);
    return product;
}

} // namespace retracescope::ir::rules
