#pragma once

#include <span>
#include <string>

#include <retracescope/types/dispatch_table.h>

namespace retracescope::trace {

/// Why no entry of `cache` that was there before could serve `request`, for a warning: what differs from the
/// entry with the fewest differences, the newest of equals, as "step.value: 4 -> 5" and how many more.
/// Entries that would serve the request now are what it was traced for. Empty if there is nothing to compare
/// with.
std::string retracingReason(const types::FunctionContext& context, const types::FunctionType& request,
                            std::span<const types::DispatchTable::Target> cache);

} // namespace retracescope::trace
