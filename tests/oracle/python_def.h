#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <retracescope/engine/trace/function_core.h>

namespace retracescope::oracle {

/// The parameters of a Python `def` statement: names, kinds, default values that are literals (numbers, text,
/// None, and tuples, lists and dicts of them). `source` are the lines of a program; `label` is the function's
/// name, "g#2" for the second function of that name. Throws std::runtime_error if there is no such statement
/// or a default is no literal.
std::vector<trace::ParameterName> parametersOf(const std::vector<std::string>& source,
                                               std::string_view label);

/// A Python literal. Throws std::runtime_error if `text` is none.
trace::Value pythonLiteral(std::string_view text);

} // namespace retracescope::oracle
