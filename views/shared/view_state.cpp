#include "views/shared/view_state.h"

namespace retracescope::views {

ViewState::ViewState(QObject* parent) : QObject(parent), m_theme(makeTheme(ThemeName::Light)) {}

void ViewState::setDiagnosis(diagnose::DiagnosisPtr diagnosis) {
    m_diagnosis = std::move(diagnosis);
    m_selection = {};
    Q_EMIT diagnosisChanged();
    Q_EMIT selectionChanged();
}

session::FunctionId ViewState::shownFunction() const {
    if (m_selection.function.isValid() || !m_diagnosis)
        return m_selection.function;
    if (!m_diagnosis->findings.empty())
        return m_diagnosis->findings.front().function;
    for (const session::FunctionSummary& summary : m_diagnosis->functions) {
        if (summary.calls > 0)
            return summary.function;
    }
    return {};
}

void ViewState::selectFunction(session::FunctionId function) {
    Selection next;
    next.function = function;
    next.range = m_selection.range;
    apply(next);
}

void ViewState::selectEntry(session::EntryId entry) {
    Selection next;
    next.range = m_selection.range;
    if (session() != nullptr && entry.isValid()) {
        next.entry = entry;
        next.function = (*session())[entry].function;
    }
    apply(next);
}

void ViewState::selectCall(session::CallId call) {
    Selection next;
    next.range = m_selection.range;
    if (session() != nullptr && call.isValid()) {
        next.call = call;
        next.entry = session()->calls.entry[call.value];
        next.function = session()->calls.function[call.value];
        next.miss = m_diagnosis->index.missOfCall[call.value];
    }
    apply(next);
}

void ViewState::selectMiss(session::MissId miss) {
    if (session() == nullptr || !miss.isValid())
        return;
    const session::Miss& row = (*session())[miss];
    Selection next;
    next.range = m_selection.range;
    next.miss = miss;
    next.call = row.call;
    next.entry = row.entry;
    next.function = row.function;
    apply(next);
}

void ViewState::selectNode(session::EntryId entry, std::uint32_t node) {
    if (session() == nullptr || !entry.isValid())
        return;
    Selection next = m_selection;
    if (next.entry != entry) {
        next.call = {};
        next.miss = {};
    }
    next.entry = entry;
    next.function = (*session())[entry].function;
    next.node = node;
    apply(next);
}

void ViewState::selectRange(std::optional<TimeRange> range) {
    Selection next = m_selection;
    next.range = range;
    apply(next);
}

void ViewState::clearSelection() {
    apply({});
}

void ViewState::setSelection(const Selection& selection) {
    apply(selection);
}

void ViewState::setTheme(ThemeName name) {
    m_theme = makeTheme(name);
    Q_EMIT themeChanged();
}

void ViewState::requestView(const QString& viewId) {
    Q_EMIT viewRequested(viewId);
}

void ViewState::apply(Selection selection) {
    if (selection == m_selection)
        return;
    m_selection = std::move(selection);
    Q_EMIT selectionChanged();
}

} // namespace retracescope::views
