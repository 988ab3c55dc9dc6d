#pragma once

#include <string_view>

#include <retracescope/engine/trace/policy.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// `value` for a parameter of type `expected` (of an input signature or a concrete function). Host numbers,
/// text, host arrays and nested lists of these and of tensors become tensors of its dtype, a variable where a
/// tensor is demanded is read, a spec becomes the demanded one; a tensor by itself never changes its dtype.
/// Where a literal is demanded, an equal one or a scalar of that value passes, and becomes the demanded one.
/// Throws CastError with both types if it does not fit; `what` is the message's start.
Value castTo(const Value& value, types::TypeId expected, std::string_view what, const Policy& policy);

} // namespace retracescope::trace
