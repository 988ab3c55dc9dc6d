#pragma once

#include <string>

#include <retracescope/engine/trace/function_core.h>

#include "tests/oracle/notation.h"

namespace retracescope::oracle {

/// What became of one scenario.
struct Outcome {
    enum class Kind { Passed, Failed, Skipped };
    Kind kind = Kind::Passed;
    std::string detail;  ///< the first difference, or why it was skipped
    int compared = 0;    ///< lookups
    int notCompared = 0; ///< observations that only a Python program could make
};

/// Why a scenario cannot be replayed from its notation alone; empty if it can. It can if all its steps are
/// calls and requests for concrete functions, whose arguments have a notation; if each function has a `def`
/// line; and if the body does not matter: no nested lookups, no captures, no error out of the body.
std::string whyNotReplayable(const Json& scenario);

/// "g@O22.7": a name that no other function has, since the detector of frequent retracing knows functions by
/// name and line.
std::string uniqueName(const Json& scenario, const std::string& label);

/// What a scenario gave to tf.function for that function, and the policy.
trace::FunctionOptions optionsOf(const Json& scenario, const std::string& label, const trace::Policy& policy);

/// Replays a scenario: with the body written for it (bodies.h), else from its notation alone. Then functions
/// are made from the `def` lines, with a body that takes everything. Compared are outcome, serving function,
/// cache size, warnings, the type looked up, and the arguments' part of every signature; of errors, the kind.
Outcome replay(const Json& scenario, const trace::Policy& policy);

} // namespace retracescope::oracle
