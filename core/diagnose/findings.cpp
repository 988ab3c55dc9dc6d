#include <retracescope/diagnose/findings.h>

#include <algorithm>
#include <map>
#include <tuple>

#include <retracescope/diagnose/advise.h>
#include <retracescope/diagnose/families.h>
#include <retracescope/diagnose/finding_words.h>
#include <retracescope/diagnose/function_names.h>
#include <retracescope/diagnose/history.h>
#include <retracescope/diagnose/replay.h>
#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

using namespace session;
using types::MissKind;

namespace {

bool isExpected(const Session& session, const Finding& finding) {
    if (std::ranges::any_of(finding.misses, [&](MissId miss) { return leftNothing(session, session[miss]); }))
        return false;
    if (finding.cause == MissKind::FirstCall || finding.cause == MissKind::Phase ||
        finding.edit.kind == "accept")
        return true;
    // The user asked for relaxing, and this is the one relaxed trace that it costs.
    return std::ranges::all_of(finding.misses, [&](MissId miss) { return session[miss].widened.isValid(); });
}

/// Each edit once, that of the finding left out.
void addOtherEdits(const Explanation& explanation, Finding& finding) {
    for (const auto& edit : explanation.also) {
        const auto known =
            std::ranges::find_if(finding.also, [&](const Edit& other) { return isSameEdit(other, *edit); });
        if (isSameEdit(finding.edit, *edit))
            takeIn(finding.edit, *edit);
        else if (known != finding.also.end())
            takeIn(*known, *edit);
        else
            finding.also.push_back(*edit);
    }
}

/// Of a first trace that was withdrawn the second, which failed and says why; else the miss itself.
MissId tellingMiss(const Session& session, const Index& index, MissId row) {
    const Miss& miss = session[row];
    if (!miss.withdrawn)
        return row;
    const auto& own = index.missesOfFunction[miss.function.value];
    const auto first = std::ranges::lower_bound(own, row.value, {}, &MissId::value);
    const auto second = std::find_if(first, own.end(), [&](MissId later) {
        return session[later].call == miss.call && session[later].callNumber == miss.callNumber &&
               !session.text(session[later].exception).empty();
    });
    return second == own.end() ? row : *second;
}

/// Misses by function, cause, path and edit. Objects that one line made gather under the first of them.
std::vector<Finding> groupMisses(const Session& session, const Index& index,
                                 const std::vector<Explanation>& explanations, const Families& families) {
    using Key = std::tuple<FunctionId, MissKind, std::string, std::string, bool>;
    std::map<Key, std::size_t> rows;
    std::vector<Finding> findings;
    for (const Explanation& explanation : explanations) {
        if (!explanation.function.isValid())
            continue;
        const FunctionId function = families.of(explanation.function).functions.front();
        const Explanation& why = explanations[tellingMiss(session, index, explanation.miss).value];
        const Key key{function, why.cause, why.primary.path, why.edit.kind,
                      leftNothing(session, session[why.miss])};
        const auto [it, isNew] = rows.emplace(key, findings.size());
        if (isNew) {
            findings.emplace_back();
            findings.back().function = function;
            findings.back().cause = why.cause;
            findings.back().path = why.primary.path;
            findings.back().edit = why.edit;
        }
        Finding& finding = findings[it->second];
        if (isSameEdit(finding.edit, explanation.edit))
            takeIn(finding.edit, explanation.edit);
        addOtherEdits(explanation, finding);
        finding.misses.push_back(explanation.miss);
        finding.traces += !session[explanation.miss].withdrawn || why.miss == explanation.miss;
        finding.costNs += std::max<std::int64_t>(explanation.traceNs, 0);
    }
    for (Finding& finding : findings)
        std::ranges::stable_sort(finding.misses, {}, [&](MissId miss) { return session[miss].timeNs; });
    return findings;
}

/// Plays each family's misses again with all its edits in place; a miss that is then served counts as
/// avoidable in its own finding, so that the findings add up.
class Savings {
public:
    Savings(const Session& session, const Families& families, const std::vector<Explanation>& explanations,
            std::vector<Finding>& findings)
        : m_session(session), m_families(families), m_explanations(explanations), m_findings(findings) {}

    void count() {
        std::vector<std::vector<std::size_t>> rowsOfFamily(m_families.families.size());
        for (std::size_t row = 0; row < m_findings.size(); ++row)
            rowsOfFamily[m_families.familyOf[m_findings[row].function.value]].push_back(row);
        for (const auto& rows : rowsOfFamily)
            countFamily(rows);
    }

private:
    void countFamily(const std::vector<std::size_t>& rows) {
        Replay replay(m_session);
        std::vector<std::pair<MissId, std::size_t>> misses;
        for (const std::size_t row : rows) {
            if (!m_findings[row].expected)
                addEdits(replay, m_findings[row]);
            for (const MissId miss : m_findings[row].misses)
                misses.emplace_back(miss, row);
        }
        if (!replay.hasEdits())
            return;
        std::ranges::sort(misses, {}, [&](const auto& miss) {
            return std::pair(m_session[miss.first].timeNs, miss.first);
        });
        for (const auto& [miss, row] : misses)
            replay.learn(m_session[miss]);
        for (const auto& [miss, row] : misses) {
            if (!replay.isServed(m_session[miss]))
                continue;
            m_findings[row].avoidable.push_back(miss);
            m_findings[row].avoidableNs += std::max<std::int64_t>(m_session[miss].traceNs, 0);
        }
        for (const std::size_t row : rows)
            leaveToOthers(m_findings[row]);
    }

    void addEdits(Replay& replay, const Finding& finding) const {
        replay.addEdit(finding.edit);
        for (const Edit& edit : finding.also)
            replay.addEdit(edit);
        for (const FunctionId function : m_families.of(finding.function).functions) {
            if (relaxes(m_session, function))
                replay.relaxAxes();
        }
        for (const MissId miss : finding.misses) {
            for (const types::Difference& difference : m_explanations[miss.value].differences) {
                if (coversToo(finding.edit, difference.kind))
                    replay.addEdit(finding.edit, difference);
            }
        }
    }

    /// Misses that need no edit of their own, but go with those of other findings, are no longer expected.
    static void leaveToOthers(Finding& finding) {
        const bool hasOwn = finding.edit.exists() && finding.edit.kind != "accept";
        if (finding.avoidable.empty() || hasOwn)
            return;
        finding.expected = false;
        finding.edit = {};
    }

    const Session& m_session;
    const Families& m_families;
    const std::vector<Explanation>& m_explanations;
    std::vector<Finding>& m_findings;
};

FamilySummary summaryOf(const Family& family, const std::vector<FunctionSummary>& functions) {
    FamilySummary sum;
    sum.functions = static_cast<std::int64_t>(family.functions.size());
    for (const FunctionId function : family.functions) {
        sum.calls += functions[function.value].calls;
        sum.traces += functions[function.value].traces;
        sum.hits += functions[function.value].hits;
    }
    return sum;
}

void describe(const Session& session, const Index& index, const Families& families,
              const std::vector<FunctionSummary>& functions, std::vector<Finding>& findings) {
    const std::vector<std::string> names = functionNames(session);
    std::ranges::stable_sort(findings, {}, &Finding::function); // so that each history is built once
    for (std::size_t first = 0; first < findings.size();) {
        const FunctionId function = findings[first].function;
        const Family& family = families.of(function);
        const History history(session, index, family.functions);
        for (; first < findings.size() && findings[first].function == function; ++first) {
            Finding& finding = findings[first];
            if (const Column* column = history.column(finding.path))
                finding.distinctValues = static_cast<std::int64_t>(column->values.size());
            finding.name = family.functions.size() > 1 ? nameOf(session, function) : names[function.value];
            finding.title = titleOf(session, finding, finding.name, history, family.functions.size());
            finding.detail = detailOf(finding, finding.name, summaryOf(family, functions));
        }
    }
}

} // namespace

std::string_view failureOf(const Session& session, const Finding& finding) {
    const auto failed = std::ranges::find_if(
        finding.misses, [&](MissId miss) { return !session.text(session[miss].exception).empty(); });
    return failed == finding.misses.end() ? std::string_view() : session.text(session[*failed].exception);
}

std::vector<Finding> findFindings(const Session& session, const Index& index,
                                  const std::vector<Explanation>& explanations) {
    const Families families = groupFamilies(session, index);
    std::vector<Finding> findings = groupMisses(session, index, explanations, families);
    for (Finding& finding : findings)
        finding.expected = isExpected(session, finding);
    Savings(session, families, explanations, findings).count();
    describe(session, index, families, summarizeFunctions(session, index), findings);
    std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
        return std::tuple(a.expected, -a.avoidableNs, -a.costNs, -a.traces) <
               std::tuple(b.expected, -b.avoidableNs, -b.costNs, -b.traces);
    });
    return findings;
}

} // namespace retracescope::diagnose
