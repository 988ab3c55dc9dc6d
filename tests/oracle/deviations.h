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

/// The scenarios in which a policy decides otherwise on purpose: rows of deviations.md, "| id | policy |
/// rules | ... |". Rules by id; empty for one that no switch of the policy explains.
std::map<std::string, std::set<std::string>> readDeviations(const std::string& path, std::string_view policy);

} // namespace retracescope::oracle
