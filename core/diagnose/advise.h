#pragma once

#include <retracescope/diagnose/edit_code.h>
#include <retracescope/diagnose/explain.h>
#include <retracescope/diagnose/families.h>
#include <retracescope/diagnose/graph_likeness.h>
#include <retracescope/diagnose/history.h>

namespace retracescope::diagnose {

/// What is known of the function whose miss needs an edit.
struct Case {
    const session::Session& session;
    const session::Index& index;
    session::FunctionId function;
    const History& history;
    const Family& family;
    GraphLikeness& likeness;
    RecordedSources& sources;
    Place call; ///< where the call stands; empty if that was not recorded
};

/// The edit that follows from a difference and the function's whole history.
/// `primary` has an empty path where the cause has none. No edit for a first call and for what is not
/// explained.
Edit suggestEdit(const Case& where, types::MissKind cause, const types::Difference& primary);

/// The sentence of an "accept" edit where the graphs were compared and differ.
inline constexpr std::string_view kNothingToFix = "Nothing to fix.";

/// Of a miss whose trace the engine widened: nothing to do, what differed may differ from then on.
Edit relaxedTraceEdit(const types::Difference& primary);

/// True if the edit removes every difference of this kind, not only the one that it is made against.
bool coversToo(const Edit& edit, types::MissKind kind);

/// True if the edit is made where the function is called, not where it is defined.
bool changesCall(const Edit& edit);

/// True if the two dtypes of a difference can be cast into each other.
bool castable(const types::Difference& difference);

/// True if the column's two lengths look like a full batch and its rarer, smaller rest.
bool isPartialBatch(const Column& column);

} // namespace retracescope::diagnose
