#include "views/shared/view_state.h"

#include <utility>

namespace retracescope::views {

ViewState::ViewState(QObject* parent) : QObject(parent), m_theme(makeTheme(ThemeName::Light)) {}

void ViewState::setDiagnosis(diagnose::DiagnosisPtr diagnosis) {
    m_diagnosis = std::move(diagnosis);
    m_selection = {};
    chooseArgument({});
    const bool wasFiltered = !std::exchange(m_filter, {}).isEmpty();
    Q_EMIT diagnosisChanged();
    Q_EMIT selectionChanged();
    if (wasFiltered)
        Q_EMIT filterChanged(); // last: it names a function of the session before
}

void ViewState::setFilter(const diagnose::CallFilter& filter) {
    if (filter == m_filter)
        return;
    m_filter = filter;
    Q_EMIT filterChanged();
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

ViewState::ShownGraph ViewState::shownGraph() const {
    if (!m_diagnosis)
        return {};
    const session::Session& open = *session();
    if (m_selection.graph.isValid())
        return {m_selection.graph, m_selection.entry};
    if (m_selection.entry.isValid())
        return {open[m_selection.entry].graph, m_selection.entry};
    if (const session::FunctionId function = shownFunction(); function.isValid()) {
        for (const session::EntryId entry : m_diagnosis->index.entriesOfFunction[function.value]) {
            if (open[entry].graph.isValid())
                return {open[entry].graph, entry};
        }
    }
    if (m_selection.function.isValid())
        return {};
    for (std::size_t row = 0; row < open.entries.size(); ++row) {
        if (open.entries[row].graph.isValid())
            return {open.entries[row].graph, session::EntryId(row)};
    }
    const std::vector<session::GraphId> others = session::graphsWithoutEntry(open);
    return {others.empty() ? session::GraphId() : others.front(), {}};
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

void ViewState::selectGraph(session::GraphId graph, session::EntryId entry) {
    if (session() == nullptr || !graph.isValid())
        return;
    Selection next;
    next.range = m_selection.range;
    next.graph = graph;
    next.entry = entry;
    if (entry.isValid())
        next.function = (*session())[entry].function;
    apply(next);
}

void ViewState::selectNode(const ShownGraph& graph, std::uint32_t node) {
    if (session() == nullptr || !graph.graph.isValid())
        return;
    Selection next = m_selection;
    if (next.entry != graph.entry) {
        next.call = {};
        next.miss = {};
        next.entry = graph.entry;
        next.function = graph.entry.isValid() ? (*session())[graph.entry].function : session::FunctionId();
    }
    const bool isOwn = graph.entry.isValid() && (*session())[graph.entry].graph == graph.graph;
    next.graph = isOwn ? session::GraphId() : graph.graph;
    next.node = node;
    apply(next);
}

void ViewState::selectEvent(const session::EventRef& event) {
    if (session() == nullptr)
        return;
    const session::Session& open = *session();
    if (event.kind == session::EventKind::Call)
        return selectCall(session::CallId(event.row));
    Selection next;
    next.range = m_selection.range;
    next.event = event;
    if (event.kind == session::EventKind::Span) {
        next.entry = open.spans.entry[event.row];
        next.function = open.spans.function[event.row];
    } else if (event.kind == session::EventKind::Kernel) {
        next.entry = open.kernels.entry[event.row];
        if (next.entry.isValid() && open.kernels.node[event.row] != session::CallId::kNone)
            next.node = open.kernels.node[event.row];
    }
    if (next.entry.isValid())
        next.function = open[next.entry].function;
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

void ViewState::chooseArgument(std::string path) {
    if (path == m_argument)
        return;
    m_argument = std::move(path);
    Q_EMIT argumentChanged();
}

void ViewState::setTheme(ThemeName name) {
    m_theme = makeTheme(name);
    Q_EMIT themeChanged();
}

void ViewState::requestView(const QString& viewId) {
    Q_EMIT viewRequested(viewId);
}

void ViewState::requestPlace(const QString& file, std::uint32_t line) {
    Q_EMIT placeRequested(file, line);
    Q_EMIT viewRequested(QStringLiteral("source"));
}

void ViewState::apply(Selection selection) {
    if (selection == m_selection)
        return;
    const session::FunctionId before = shownFunction();
    m_selection = std::move(selection);
    if (shownFunction() != before)
        chooseArgument({});
    Q_EMIT selectionChanged();
}

} // namespace retracescope::views
