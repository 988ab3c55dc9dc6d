#pragma once

#include <memory>
#include <string>
#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/session/query.h>
#include <retracescope/session/session.h>

/// Why each miss happened, what it cost, and the edit that follows from it.
namespace retracescope::diagnose {

/// One line of an edit shown as a diff: ' ' context, '-' removed, '+' added.
struct EditLine {
    char sign = ' ';
    std::string text;
};

/// A suggested change of the user's program. `kind` is one of the edit kinds of the cases' README
/// ("input_signature", "relax", "pass_array", "cast_dtype", "normalise_structure", "hoist", "reuse_object",
/// "accept", ...); empty = none.
struct Edit {
    std::string kind;
    std::string sentence;        ///< "Open x axis 0 in the input signature."
    std::vector<EditLine> lines; ///< in the language of the session's engine; may be empty
    std::string file; ///< where: the call's place, or the definition's; empty if neither was recorded
    std::uint32_t line = 0;
    /// The differences that it removes; one of an empty path where the cause has none.
    std::vector<types::Difference> against;

    bool exists() const { return !kind.empty(); }
};

/// True if both say the same, be it against different differences or of different calls.
bool isSameEdit(const Edit& a, const Edit& b);

/// Makes `edit` stand for `same` too: adds what that one removes.
void takeIn(Edit& edit, const Edit& same);

/// One miss, explained.
struct Explanation {
    session::MissId miss;
    session::FunctionId function;
    std::uint32_t callNumber = 0; ///< 0 = asked for without a call
    types::MissKind cause = types::MissKind::NotExplained;
    types::Difference primary; ///< the difference that names the cause; empty path for first_call
    /// All differences to the nearest entry; where the cache was empty but not for the first time, to the
    /// nearest request that is being traced or whose entry was dropped.
    std::vector<types::Difference> differences;
    session::EntryId nearest; ///< the one of `differences`; none for first_call
    /// Entries that the miss was compared with, the nearest first, at most NearestEntry::kMostRanked.
    std::vector<session::EntryId> compared;
    std::size_t comparedTotal = 0;
    std::int64_t traceNs = session::kNotRecorded;
    Edit edit; ///< none for first_call
    /// Edits for the other differences, without which `edit` does not make this request hit.
    std::vector<std::shared_ptr<const Edit>> also;
    std::string sentence; ///< "x axis 0 was 2, is 3: a new shape is a new graph."
};

/// One per miss, in the order of Session::misses. Cancelled work leaves the rest as default explanations.
std::vector<Explanation> explainMisses(const session::Session& session, const session::Index& index,
                                       const Job& job = {});

} // namespace retracescope::diagnose
