#include <retracescope/diagnose/call_filter.h>

namespace retracescope::diagnose {

bool CallFilter::shows(const Diagnosis& diagnosis, session::FunctionId id) const {
    if (function.isValid() && function != id)
        return false;
    const session::FunctionSummary& summary = diagnosis.functions[id.value];
    switch (outcome) {
    case FilterOutcome::Traced:
        return summary.traces != 0 || summary.withdrawnTraces != 0; // not recorded: it may have
    case FilterOutcome::Failed:
        return summary.errors != 0 || summary.failedTraces != 0 || summary.withdrawnTraces != 0;
    case FilterOutcome::Any:
        break;
    }
    return true;
}

bool passes(FilterOutcome outcome, const Diagnosis& diagnosis, session::CallId call) {
    const session::MissId miss = diagnosis.index.missOfCall[call.value];
    const session::Outcome was = diagnosis.session->calls.outcome[call.value];
    switch (outcome) {
    case FilterOutcome::Traced:
        return miss.isValid() || was == session::Outcome::Traced;
    case FilterOutcome::Failed:
        return was == session::Outcome::Error || (miss.isValid() && passes(outcome, diagnosis, miss));
    case FilterOutcome::Any:
        break;
    }
    return true;
}

bool passes(FilterOutcome outcome, const Diagnosis& diagnosis, session::MissId miss) {
    return outcome != FilterOutcome::Failed ||
           session::leftNothing(*diagnosis.session, (*diagnosis.session)[miss]);
}

} // namespace retracescope::diagnose
