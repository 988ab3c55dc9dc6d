#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <retracescope/engine/trace/gradient.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// Calls `visit` for each tensor and variable of a structure, in its own order, and puts what it returns in
/// its place. Throws UsageError "[user] ..." for a host value.
Value mappedSources(const Value& value, std::string_view user, Where where,
                    const std::function<Tensor(const GradientSource&)>& visit);

/// All of them; throws UsageError for an empty tensor, too.
std::vector<GradientSource> sourcesIn(const Value& value, std::string_view user, Where where);

/// What stands for the gradient of a source that the target does not depend on.
Tensor zerosFor(const GradientSource& source, Where where);

} // namespace retracescope::trace
