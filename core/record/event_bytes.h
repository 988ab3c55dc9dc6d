#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <retracescope/record/rare_events.h>

namespace retracescope::record {

/// Appends the event as bytes, for a program of the same machine. The graph of an entry is left out.
void appendBytes(const RareEvent& event, std::vector<std::byte>& bytes);

/// The event that appendBytes() wrote; none if the bytes are no event.
std::optional<RareEvent> eventFrom(std::span<const std::byte> bytes);

} // namespace retracescope::record
