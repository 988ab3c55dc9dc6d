#pragma once

#include <string>
#include <vector>

namespace retracescope::record {

struct MachineFact {
    std::string key;
    std::string value;
};

/// Where and how the program runs: cpu, cores, GPU, system, engine, command, pid, start time, clock.
std::vector<MachineFact> machineFacts();

} // namespace retracescope::record
