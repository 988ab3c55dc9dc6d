#pragma once

#include <string_view>

#include <retracescope/engine/ir/op_table.h>

/// What rules of several families ask of an input.
namespace retracescope::ir::rules {

types::DType dtypeAt(const RuleInput& input, std::size_t index);

/// Throws "[op] expected `expected`, got" and the type of that input.
[[noreturn]] void refuseInput(const RuleInput& input, std::string_view expected, std::size_t index);

/// An int32 or int64 scalar; `what` says which: "an index".
void requireInteger(const RuleInput& input, std::size_t index, std::string_view what);

/// Of sizes and what is added to or multiplied with them, all known and not negative. Throw "[op] an axis of
/// ... elements is too long" beyond 2^63 - 1.
std::int64_t sizeSum(const RuleInput& input, std::int64_t first, std::int64_t second);
std::int64_t sizeProduct(const RuleInput& input, std::int64_t first, std::int64_t second);

} // namespace retracescope::ir::rules
