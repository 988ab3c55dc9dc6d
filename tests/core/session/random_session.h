#pragma once

#include <cstdint>

#include <retracescope/session/session.h>

namespace retracescope::test {

/// A sound session with something in every table and column, the same for the same seed; about `events` rows
/// in each event table. Graphs' slices are in node order, as the reader makes them.
session::Session randomSession(std::uint64_t seed, std::size_t events);

} // namespace retracescope::test
