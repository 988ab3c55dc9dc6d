#include "views/graph/graph_picker.h"

#include <algorithm>

#include <retracescope/session/query.h>

#include "views/models/graphs_model.h"
#include "views/models/short_key.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr std::size_t kMostEntries = 500;
constexpr std::size_t kMostPicks = 1000; // the dock lists them all
constexpr int kTextWidth = 340;          // of an item; all of it is in the tooltip

} // namespace

GraphPicker::GraphPicker(ViewState& state, QWidget* parent)
    : QComboBox(parent), m_state(state), m_job(state.jobs()) {
    setAccessibleName(tr("Entry"));
    setMinimumContentsLength(22);
    setMaximumWidth(kTextWidth + 60);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    connect(this, &QComboBox::activated, this,
            [this](int index) { Q_EMIT picked(m_picks[static_cast<std::size_t>(index)].graph); });
}

void GraphPicker::follow() {
    const diagnose::DiagnosisPtr& diagnosis = m_state.diagnosis();
    const bool isLong = diagnosis && diagnosis->session->entries.size() > kMostEntries;
    const session::FunctionId function = isLong ? m_state.shownFunction() : session::FunctionId();
    if (diagnosis == m_of && function == m_function)
        return;
    m_of = diagnosis;
    m_function = function;
    fill({});
    m_job.drop();
    if (!diagnosis)
        return;
    m_job.run(
        tr("Reading entries"),
        [diagnosis, function](const Job& job) { return read(*diagnosis, function, job); },
        [this](std::vector<Pick> picks) { fill(std::move(picks)); });
}

std::vector<GraphPicker::Pick> GraphPicker::read(const diagnose::Diagnosis& diagnosis,
                                                 session::FunctionId function, const Job& job) {
    const session::Session& session = *diagnosis.session;
    std::vector<Pick> picks;
    for (std::size_t row = 0; row < session.functions.size() && !job.cancel.requested(); ++row) {
        if (!function.isValid() || function == session::FunctionId(row))
            readEntries(diagnosis, session::FunctionId(row), picks);
    }
    for (const session::GraphId graph : session::graphsWithoutEntry(session)) {
        if (picks.size() >= kMostPicks)
            break;
        const QString title = graphTitle(session, graph);
        picks.push_back({title, title, {graph, {}}});
    }
    return picks;
}

void GraphPicker::readEntries(const diagnose::Diagnosis& diagnosis, session::FunctionId function,
                              std::vector<Pick>& picks) {
    const session::Session& session = *diagnosis.session;
    const auto& entries = diagnosis.index.entriesOfFunction[function.value];
    const ShortKeys keys(session, entries);
    for (const session::EntryId id : entries) {
        const session::Entry& entry = session[id];
        if (!entry.graph.isValid() || picks.size() >= kMostEntries)
            continue;
        const QString text =
            tr("%1 · entry %2").arg(toQString(diagnosis.names[function.value])).arg(entry.number);
        const QString key = keys.named(entry.signature);
        const QString whole =
            entry.signature.isValid() ? toQString(session.text(session[entry.signature].text)) : QString();
        picks.push_back({key.isEmpty() ? text : tr("%1: %2").arg(text, key),
                         whole.isEmpty() ? text : text + QLatin1Char('\n') + whole,
                         {entry.graph, id}});
    }
}

void GraphPicker::fill(std::vector<Pick> picks) {
    m_picks = std::move(picks);
    clear();
    for (const Pick& pick : m_picks) {
        addItem(fontMetrics().elidedText(pick.text, Qt::ElideMiddle, kTextWidth));
        setItemData(count() - 1, pick.whole, Qt::ToolTipRole);
    }
    choose(m_chosen);
}

void GraphPicker::choose(session::GraphId graph) {
    m_chosen = graph;
    const auto it =
        std::ranges::find_if(m_picks, [&](const Pick& pick) { return pick.graph.graph == graph; });
    if (it != m_picks.end())
        setCurrentIndex(static_cast<int>(it - m_picks.begin()));
}

} // namespace retracescope::views
