#include <retracescope/diagnose/explain.h>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>
#include <unordered_map>

#include <retracescope/diagnose/advise.h>
#include <retracescope/diagnose/families.h>
#include <retracescope/diagnose/nearest.h>
#include <retracescope/diagnose/words.h>
#include <retracescope/session/compared.h>

namespace retracescope::diagnose {

using namespace session;
using types::Difference;
using types::MissKind;

namespace {

/// Misses between two looks at the cancel flag; each may compare a thousand entries.
constexpr std::uint32_t kPollEvery = 256;

bool says(const Miss& miss, MissKind kind) {
    return std::ranges::find(miss.otherKinds, kind) != miss.otherKinds.end();
}

/// The difference that names the cause: of a component that differs the one that moves least, since what
/// hardly ever changes is the news; a length only if nothing else differs where the function relaxes lengths
/// by itself; that the entry is gone only if nothing else kept it from serving.
const Difference& namingDifference(const std::vector<Difference>& differences, const History& history,
                                   bool relaxes) {
    const auto rank = [&](const Difference& difference) {
        const bool isRelaxed = relaxes && difference.kind == MissKind::Shape;
        return saysGone(difference.kind) ? 0 : isRelaxed ? 1 : 2;
    };
    const Difference* best = &differences.front();
    for (const Difference& difference : differences) {
        const bool movesLess = history.weight(difference.path) > history.weight(best->path) + 1e-9;
        if (rank(difference) > rank(*best) || (rank(difference) == rank(*best) && movesLess))
            best = &difference;
    }
    return *best;
}

std::string failureInWords(const Session& session, const Miss& miss) {
    if (miss.withdrawn)
        return " This trace was withdrawn: the call failed when its second trace did. The fix is in the body "
               "or "
               "the arguments.";
    const std::string_view message = firstLine(session.text(miss.exception));
    return message.empty()
               ? std::string()
               : fmt::format(" The fix is in the body or the arguments, for the trace failed: {}", message);
}

/// What follows from a kind of difference, in half a sentence.
std::string_view consequence(MissKind kind) {
    switch (kind) {
    case MissKind::Shape:
        return "a new shape is a new graph";
    case MissKind::Rank:
        return "another number of axes is a new graph";
    case MissKind::Dtype:
        return "dtypes are never converted, so it is a new graph";
    case MissKind::Value:
        return "a host value is a part of the key";
    case MissKind::Type:
        return "another type of argument is a new graph";
    case MissKind::Structure:
        return "another structure of arguments is a new graph";
    case MissKind::Identity:
        return "another object is another key";
    case MissKind::Alias:
        return "which arguments are one variable is a part of the key";
    case MissKind::Placement:
        return "where a value lies is a part of the key";
    case MissKind::Context:
        return "where the call stands is a part of the key";
    default:
        return {};
    }
}

/// Explains the misses of one session; holds what all of them share.
class Explainer {
public:
    Explainer(const Session& session, const Index& index, const Cancel& cancel);

    const Families& families() const { return m_families; }
    void explainFamily(const Family& family, std::vector<Explanation>& result);

private:
    void explainMiss(const Case& where, MissId row, Explanation& explanation);
    std::string nameCause(const Miss& miss, const History& history, Explanation& explanation);
    void nameByEntries(const Miss& miss, const History& history, Explanation& explanation);
    std::string nameByEmptyCache(const Miss& miss, const History& history, Explanation& explanation);
    void nameByDead(const Miss& miss, Explanation& explanation) const;
    void nameByDifferences(const Miss& miss, const History& history, Explanation& explanation) const;
    bool hadSiblingThis(const Miss& miss) const;
    bool isBeingTraced(const Miss& earlier, const Miss& miss) const;
    std::uint64_t askKey(const Miss& miss) const;
    std::string sentenceOf(const Miss& miss, const Explanation& explanation, const std::string& remark) const;
    Edit editOfTrace(const Case& where, const Miss& miss, const Explanation& explanation);
    std::vector<std::shared_ptr<const Edit>> otherEdits(const Case& where, Explanation& explanation);
    std::shared_ptr<const Edit> editOf(const Case& where, MissKind cause, const Difference& difference);

    const Session& m_session;
    const Index& m_index;
    const Cancel& m_cancel;
    Families m_families;
    GraphLikeness m_likeness;
    RecordedSources m_sources;
    NearestEntry m_nearest;
    std::unordered_map<std::uint64_t, MissId> m_firstAsk; ///< by askKey
    /// Of the family at hand, by cause, path, the place of the call, and the two dtypes where these differ.
    std::map<std::tuple<MissKind, std::string, std::string, std::uint32_t, std::string, std::string>,
             std::shared_ptr<const Edit>>
        m_edits;
};

Explainer::Explainer(const Session& session, const Index& index, const Cancel& cancel)
    : m_session(session), m_index(index), m_cancel(cancel), m_families(groupFamilies(session, index)),
      m_likeness(session, index), m_sources(session), m_nearest(session, index) {
    for (std::size_t row = 0; row < session.misses.size(); ++row) {
        const Miss& miss = session.misses[row];
        if (!miss.function.isValid() || !miss.request.isValid())
            continue;
        const auto [it, isNew] = m_firstAsk.emplace(askKey(miss), MissId(row));
        if (!isNew && miss.timeNs < session[it->second].timeNs)
            it->second = MissId(row);
    }
}

/// Family and request of a miss in one number.
std::uint64_t Explainer::askKey(const Miss& miss) const {
    return (std::uint64_t{m_families.familyOf[miss.function.value]} << 32) | miss.request.value;
}

void Explainer::explainFamily(const Family& family, std::vector<Explanation>& result) {
    const History history(m_session, m_index, family.functions);
    m_edits.clear();
    for (const FunctionId function : family.functions) {
        Case where{m_session, m_index, function, history, family, m_likeness, m_sources, {}};
        for (const MissId row : m_index.missesOfFunction[function.value]) {
            if (row.value % kPollEvery == 0 && m_cancel.requested())
                return;
            where.call = callPlace(m_session, m_session[row]);
            explainMiss(where, row, result[row.value]);
        }
    }
}

void Explainer::explainMiss(const Case& where, MissId row, Explanation& explanation) {
    const Miss& miss = m_session[row];
    explanation.miss = row;
    explanation.function = where.function;
    explanation.callNumber = miss.callNumber;
    explanation.traceNs = miss.traceNs;
    auto [compared, total] = m_nearest.rank(miss, where.history);
    explanation.compared = std::move(compared);
    explanation.comparedTotal = total;
    const std::string remark = nameCause(miss, where.history, explanation);
    if (!leftNothing(m_session, miss)) { // no edit makes arguments hit that cannot be traced
        explanation.edit = editOfTrace(where, miss, explanation);
        explanation.also = otherEdits(where, explanation);
    }
    explanation.sentence = sentenceOf(miss, explanation, remark);
}

/// A sentence to follow what the cause says, or nothing.
std::string Explainer::nameCause(const Miss& miss, const History& history, Explanation& explanation) {
    if (says(miss, MissKind::Phase)) {
        explanation.cause = MissKind::Phase;
    } else if (says(miss, MissKind::FailedBefore)) {
        explanation.cause = MissKind::FailedBefore;
    } else if (says(miss, MissKind::Dead)) {
        nameByDead(miss, explanation);
    } else if (says(miss, MissKind::NewCallable) ||
               (says(miss, MissKind::FirstCall) && hadSiblingThis(miss))) {
        explanation.cause = MissKind::NewCallable;
        explanation.primary = {MissKind::NewCallable, "callable identity", "an earlier object",
                               "a new object"};
        explanation.differences = {explanation.primary};
    } else if (!explanation.compared.empty()) {
        nameByEntries(miss, history, explanation);
    } else if (says(miss, MissKind::FirstCall)) {
        return nameByEmptyCache(miss, history, explanation);
    } else if (!miss.otherKinds.empty()) {
        explanation.cause = miss.otherKinds.front();
    }
    return {};
}

/// Which objects are gone: where the request differs from the latest entry that served it but for them.
void Explainer::nameByDead(const Miss& miss, Explanation& explanation) const {
    explanation.cause = MissKind::Dead;
    explanation.primary.kind = MissKind::Dead;
    if (!miss.request.isValid())
        return;
    const auto& entries = m_index.entriesOfFunction[miss.function.value];
    for (auto row = entries.rbegin(); row != entries.rend(); ++row) {
        const Entry& entry = m_session[*row];
        if (entry.state != EntryState::Dead || entry.madeNs > miss.timeNs || !entry.signature.isValid())
            continue;
        std::vector<Difference> differences = types::blockingDifferences(
            m_session[miss.request].components, m_session[entry.signature].components);
        const bool areObjects = std::ranges::all_of(
            differences, [](const Difference& one) { return one.kind == MissKind::Identity; });
        if (differences.empty() || !areObjects)
            continue;
        for (Difference& one : differences)
            one.kind = MissKind::Dead;
        explanation.nearest = *row;
        explanation.primary = differences.front();
        explanation.differences = std::move(differences);
        return;
    }
}

void Explainer::nameByEntries(const Miss& miss, const History& history, Explanation& explanation) {
    explanation.nearest = explanation.compared.front();
    explanation.differences = differencesTo(m_session, miss, explanation.nearest);
    nameByDifferences(miss, history, explanation);
}

void Explainer::nameByDifferences(const Miss& miss, const History& history, Explanation& explanation) const {
    if (explanation.differences.empty()) {
        explanation.cause = MissKind::NotExplained;
        return;
    }
    explanation.primary =
        namingDifference(explanation.differences, history, relaxes(m_session, miss.function));
    explanation.cause = explanation.primary.kind;
}

/// There was no entry: this was the first trace, or the ones before it are under way (a function that calls
/// itself), were dropped, or failed. Compared with the nearest request whose trace is under way or whose
/// entry was dropped, for that is what the call would have had to ask.
std::string Explainer::nameByEmptyCache(const Miss& miss, const History& history, Explanation& explanation) {
    const std::string name = nameOf(m_session, miss.function);
    const Miss* nearest = nullptr;
    SignatureId nearestKey;
    double distance = 0;
    bool failed = false;
    for (const MissId row : m_index.missesOfFunction[miss.function.value]) {
        const Miss& earlier = m_session[row];
        if (&earlier == &miss || earlier.timeNs > miss.timeNs || !earlier.request.isValid() ||
            !miss.request.isValid())
            continue;
        const bool isOpen = isBeingTraced(earlier, miss);
        if (!isOpen && !earlier.entry.isValid()) {
            failed = true;
            continue;
        }
        const SignatureId stored = isOpen ? earlier.request : m_session[earlier.entry].signature;
        const SignatureId key = stored.isValid() ? stored : earlier.request;
        const double away = m_nearest.distance(miss, key, history);
        if (nearest == nullptr || away <= distance) { // of equal ones the latest
            nearest = &earlier;
            nearestKey = key;
            distance = away;
        }
    }
    if (nearest == nullptr) {
        explanation.cause = failed ? MissKind::FailedBefore : MissKind::FirstCall;
        return {};
    }
    explanation.nearest = nearest->entry;
    explanation.differences =
        types::blockingDifferences(m_session[miss.request].components, m_session[nearestKey].components);
    nameByDifferences(miss, history, explanation);
    return isBeingTraced(*nearest, miss)
               ? fmt::format(" {} calls itself: its outer trace was not finished, so that no entry existed.",
                             name)
               : fmt::format(" The cache of {} had been emptied.", name);
}

/// The trace that `earlier` began lasts beyond the moment of `miss`.
bool Explainer::isBeingTraced(const Miss& earlier, const Miss& miss) const {
    if (earlier.entry.isValid())
        return m_session[earlier.entry].madeNs > miss.timeNs;
    if (!earlier.call.isValid() || !miss.call.isValid())
        return false;
    const CallTable& calls = m_session.calls;
    const std::size_t outer = earlier.call.value;
    return calls.lane[outer] == calls.lane[miss.call.value] && calls.startNs[outer] <= miss.timeNs &&
           miss.timeNs < calls.startNs[outer] + calls.durationNs[outer] && earlier.call != miss.call;
}

/// An earlier object of the same source line was asked the same.
bool Explainer::hadSiblingThis(const Miss& miss) const {
    if (!miss.request.isValid())
        return false;
    const Miss& first = m_session[m_firstAsk.at(askKey(miss))];
    return first.function != miss.function && first.timeNs < miss.timeNs;
}

Edit Explainer::editOfTrace(const Case& where, const Miss& miss, const Explanation& explanation) {
    const bool isShape = explanation.cause == MissKind::Shape || explanation.cause == MissKind::Rank;
    if (miss.widened.isValid() && isShape)
        return relaxedTraceEdit(explanation.primary);
    return *editOf(where, explanation.cause, explanation.primary);
}

/// Of the differences that the edit leaves. None if it is no use to make them. Where the explanation's edit
/// says all that there is to say of one, it takes that in.
std::vector<std::shared_ptr<const Edit>> Explainer::otherEdits(const Case& where, Explanation& explanation) {
    std::vector<std::shared_ptr<const Edit>> edits;
    if (!explanation.edit.exists() || explanation.edit.kind == "accept")
        return edits;
    const bool isRelaxing = relaxes(m_session, where.function);
    for (const Difference& difference : explanation.differences) {
        const bool isShape = difference.kind == MissKind::Shape || difference.kind == MissKind::Rank;
        if (explanation.cause == MissKind::Dead && difference.kind == MissKind::Dead) {
            Edit ofAnother = explanation.edit; // one of several objects that are gone
            ofAnother.against = {difference};
            takeIn(explanation.edit, ofAnother);
        }
        if (saysGone(difference.kind) || difference.path == explanation.primary.path ||
            coversToo(explanation.edit, difference.kind) || (isRelaxing && isShape))
            continue;
        auto edit = editOf(where, difference.kind, difference);
        const bool isKnown = std::ranges::any_of(edits, [&](const auto& other) {
            return other->kind == edit->kind && coversToo(*other, difference.kind);
        });
        if (!edit->exists() || edit->kind == "accept" || isKnown)
            continue;
        const auto same =
            std::ranges::find_if(edits, [&](const auto& other) { return isSameEdit(*other, *edit); });
        if (isSameEdit(explanation.edit, *edit)) {
            takeIn(explanation.edit, *edit);
        } else if (same != edits.end()) {
            auto both = std::make_shared<Edit>(**same);
            takeIn(*both, *edit);
            *same = std::move(both);
        } else {
            edits.push_back(std::move(edit));
        }
    }
    return edits;
}

std::shared_ptr<const Edit> Explainer::editOf(const Case& where, MissKind cause,
                                              const Difference& difference) {
    const bool byValues = cause == MissKind::Dtype; // the one edit that depends on them
    auto& edit =
        m_edits[{cause, difference.path, where.call.file, where.call.line,
                 byValues ? difference.before : std::string(), byValues ? difference.after : std::string()}];
    if (edit == nullptr)
        edit = std::make_shared<const Edit>(suggestEdit(where, cause, difference));
    return edit;
}

std::string Explainer::sentenceOf(const Miss& miss, const Explanation& explanation,
                                  const std::string& remark) const {
    const std::string name = nameOf(m_session, explanation.function);
    const std::string failure = failureInWords(m_session, miss);
    switch (explanation.cause) {
    case MissKind::FirstCall:
        return miss.callNumber == 1 ? fmt::format("The first call of {} is always traced.{}", name, failure)
                                    : fmt::format("Nothing of {} had been traced before.{}", name, failure);
    case MissKind::Phase:
        return fmt::format("{} creates variables on its first call, so it is traced a second time.{}", name,
                           failure);
    case MissKind::FailedBefore:
        return says(miss, MissKind::FailedBefore)
                   ? fmt::format("An earlier trace for these arguments failed and left no entry.{}", failure)
                   : fmt::format("Every earlier trace of {} failed and left no entry.{}", name, failure);
    case MissKind::NewCallable:
        return fmt::format("{} was made again: the new object has an empty cache.{}", name, failure);
    case MissKind::Cleared:
        return fmt::format("The entry that fits was cleared.{}", failure);
    case MissKind::Evicted:
        return fmt::format("The entry that fits was evicted.{}", failure);
    case MissKind::Dead:
        return fmt::format("The entry that fits was made for an object that is gone.{}", failure);
    case MissKind::NotExplained:
        return fmt::format("This call could not be explained: no recorded component differs.{}{}", remark,
                           failure);
    default:
        break;
    }
    std::string sentence =
        fmt::format("{}: {}.", differenceInWords(explanation.primary), consequence(explanation.cause));
    if (explanation.differences.size() > 1)
        sentence += fmt::format(
            " {} more {}.",
            capitalized(countInWords(static_cast<std::int64_t>(explanation.differences.size() - 1))),
            explanation.differences.size() == 2 ? "component differs" : "components differ");
    return sentence + remark + failure;
}

} // namespace

bool isSameEdit(const Edit& a, const Edit& b) {
    return a.exists() && a.kind == b.kind && a.sentence == b.sentence;
}

void takeIn(Edit& edit, const Edit& same) {
    for (const Difference& difference : same.against) {
        if (std::ranges::find(edit.against, difference.path, &Difference::path) == edit.against.end())
            edit.against.push_back(difference);
    }
}

std::vector<Explanation> explainMisses(const Session& session, const Index& index, const Job& job) {
    std::vector<Explanation> result(session.misses.size());
    Explainer explainer(session, index, job.cancel);
    for (const Family& family : explainer.families().families) {
        if (!job.cancel.requested())
            explainer.explainFamily(family, result);
    }
    return result;
}

} // namespace retracescope::diagnose
