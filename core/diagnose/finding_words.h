#pragma once

#include <retracescope/diagnose/findings.h>
#include <retracescope/diagnose/history.h>

namespace retracescope::diagnose {

/// The one sentence over a finding: "step is new in every call", with numbers and names. No full
/// stop. `name` is the function's.
std::string titleOf(const session::Session& session, const Finding& finding, const std::string& name,
                    const History& history, std::size_t functionsOfLine);

/// Counts of the functions that one line made, of one in most cases.
struct FamilySummary {
    std::int64_t functions = 0;
    std::int64_t calls = 0;
    std::int64_t traces = 0;
    std::int64_t hits = 0;
};

/// The counts: "train_step: 90 calls, 90 traces, 0 hits. 88 traces have this cause."
std::string detailOf(const Finding& finding, const std::string& name, const FamilySummary& counts);

} // namespace retracescope::diagnose
