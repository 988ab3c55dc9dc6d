#pragma once

#include "tests/bench/peer_driver.h"

namespace bench {

/// Calls, traces and tiny graphs: D1 to E3.
void addCallCases(PeerDriver& driver);

/// Work on many elements, and a training step: F1 to M.
void addKernelCases(PeerDriver& driver);

} // namespace bench
