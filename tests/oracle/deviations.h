#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/engine/trace/policy.h>

namespace retracescope::oracle {

/// One switch of trace::Policy, by the name that deviations.md uses.
struct Rule {
    std::string_view name;
    bool trace::Policy::*isTensorFlows;
};
const std::vector<Rule>& rules();

/// A scenario in which a policy decides otherwise on purpose.
struct Deviation {
    std::set<std::string> rules; ///< empty if no switch of the policy explains it
    std::string reason;
};

/// The rows "| id | policy | rules | reason |" of deviations.md for that policy or for both, by id.
std::map<std::string, Deviation> readDeviations(const std::string& path, std::string_view policy);

/// Its rows "| id | reason |": scenarios that are not replayed, and why.
std::map<std::string, std::string> readSkipped(const std::string& path);

} // namespace retracescope::oracle
