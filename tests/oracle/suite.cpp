#include "tests/oracle/suite.h"

#include <fstream>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "tests/oracle/deviations.h"

namespace retracescope::oracle {

namespace {

std::string joined(const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

/// The rules of TensorFlow's without which a scenario does not go as recorded; all of them make it go.
std::set<std::string> rulesNeeded(const Json& scenario) {
    trace::Policy policy = trace::Policy::tensorflow();
    std::set<std::string> needed;
    for (const Rule& rule : rules()) {
        policy.*rule.isTensorFlows = false;
        if (replay(scenario, policy).kind == Outcome::Kind::Passed)
            continue;
        policy.*rule.isTensorFlows = true;
        needed.insert(std::string(rule.name));
    }
    return needed;
}

std::string comparedText(const Outcome& outcome) {
    return fmt::format("{} compared{}", outcome.compared,
                       outcome.notCompared > 0 ? fmt::format(", {} observations not", outcome.notCompared)
                                               : "");
}

/// Replays one scenario after the other and judges.
class Judge {
public:
    Judge(const std::string& policyName, const std::string& deviationsPath)
        : m_policy(policyOf(policyName)), m_isOwn(policyName == "own"),
          m_listed(readDeviations(deviationsPath, policyName)), m_skipped(readSkipped(deviationsPath)) {}

    void judge(const Json& scenario) {
        m_id = scenario.at("id");
        const Outcome outcome = replay(scenario, m_policy);
        const auto listed = m_listed.find(m_id);
        if (outcome.kind == Outcome::Kind::Skipped)
            add(m_tally.skipped, "skipped",
                m_skipped.contains(m_id) ? m_skipped.at(m_id) : outcome.detail + ", not listed");
        else if (m_skipped.contains(m_id))
            add(m_tally.failed, "FAILED", "listed as not replayed, but it is");
        else if (outcome.kind == Outcome::Kind::Passed && listed != m_listed.end())
            add(m_tally.failed, "FAILED", "listed as a deviation, but it agrees");
        else if (outcome.kind == Outcome::Kind::Passed)
            add(m_tally.passed, "passed", comparedText(outcome));
        else
            judgeDifference(scenario, outcome, listed == m_listed.end() ? nullptr : &listed->second.rules);
    }

    Tally take() { return std::move(m_tally); }

private:
    void judgeDifference(const Json& scenario, const Outcome& outcome, const std::set<std::string>* listed) {
        std::set<std::string> needed;
        if (m_isOwn && replay(scenario, trace::Policy::tensorflow()).kind == Outcome::Kind::Passed)
            needed = rulesNeeded(scenario);
        if (listed != nullptr && *listed != needed)
            add(m_tally.failed, "FAILED",
                fmt::format("listed as a deviation by ({}), but it deviates by ({}): {}", joined(*listed),
                            joined(needed), outcome.detail));
        else if (listed != nullptr || !needed.empty())
            add(m_tally.deviations, "deviation",
                fmt::format("by {}{}: {}", needed.empty() ? "decision" : joined(needed),
                            listed == nullptr ? ", not listed" : "", outcome.detail));
        else
            add(m_tally.failed, "FAILED", outcome.detail);
    }

    void add(int& count, const char* word, const std::string& detail) {
        ++count;
        m_tally.lines.push_back(fmt::format("{} {}: {}", m_id, word, detail));
    }

    const trace::Policy m_policy;
    const bool m_isOwn;
    const std::map<std::string, Deviation> m_listed;
    const std::map<std::string, std::string> m_skipped;
    std::string m_id;
    Tally m_tally;
};

} // namespace

trace::Policy policyOf(const std::string& name) {
    if (name == "tensorflow")
        return trace::Policy::tensorflow();
    if (name == "own")
        return {};
    throw std::runtime_error(fmt::format("unknown policy '{}'; use tensorflow or own", name));
}

std::vector<Json> readScenarios(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read " + path);
    const Json whole = Json::parse(file, nullptr, false);
    if (whole.is_discarded() || !whole.contains("scenarios"))
        throw std::runtime_error(path + " is no file of recorded scenarios: expected JSON with 'scenarios'");
    return whole.at("scenarios").get<std::vector<Json>>();
}

Tally run(const std::vector<Json>& scenarios, const std::string& policyName,
          const std::string& deviationsPath) {
    Judge judge(policyName, deviationsPath);
    for (const Json& scenario : scenarios)
        judge.judge(scenario);
    return judge.take();
}

} // namespace retracescope::oracle
