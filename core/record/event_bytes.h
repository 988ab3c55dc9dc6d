#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <retracescope/record/rare_events.h>

namespace retracescope::record {

/// Appends the event as bytes, for a program of the same machine. The graph of an entry is left out.
void appendBytes(const ThreadIdentity& thread, const RareFacts& facts, std::vector<std::byte>& bytes);

// The same for what comes with each trace, from where it lies: as FunctionEvent, MissEvent, EntryEvent.
void appendBytes(const ThreadIdentity& thread, const runtime::FunctionFacts& facts,
                 std::vector<std::byte>& bytes);
void appendBytes(const ThreadIdentity& thread, const runtime::MissFacts& facts,
                 std::vector<std::byte>& bytes);
void appendBytes(const ThreadIdentity& thread, const runtime::EntryFacts& facts, std::uint64_t at,
                 std::vector<std::byte>& bytes);

/// The event that appendBytes() wrote; none if the bytes are no event.
std::optional<RareEvent> eventFrom(std::span<const std::byte> bytes);

} // namespace retracescope::record
