#pragma once

#include <string>
#include <vector>

#include "tests/oracle/replay.h"

namespace retracescope::oracle {

/// What a run over many scenarios came to.
struct Tally {
    int passed = 0;
    int failed = 0;
    int deviations = 0;
    int skipped = 0;
    std::vector<std::string> lines; ///< one per scenario
};

/// "tensorflow" follows TensorFlow to the letter, "own" has the engine's own rules. Throws std::runtime_error
/// for another name.
trace::Policy policyOf(const std::string& name);

/// The scenarios of a file. Throws std::runtime_error if it cannot be read.
std::vector<Json> readScenarios(const std::string& path);

/// Replays scenarios. One that goes otherwise than recorded is a deviation if `deviationsPath` lists it, or
/// if under the policy "own" it is one of this policy's rules that makes the difference: then it goes as
/// recorded with TensorFlow's rule in its place. A listed one that agrees, or deviates by other rules, has
/// failed.
Tally run(const std::vector<Json>& scenarios, const std::string& policyName,
          const std::string& deviationsPath);

} // namespace retracescope::oracle
