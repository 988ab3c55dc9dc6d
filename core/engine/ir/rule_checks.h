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

} // namespace retracescope::ir::rules
