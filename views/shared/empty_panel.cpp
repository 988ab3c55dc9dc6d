#include "views/shared/empty_panel.h"

#include "views/shared/numbers.h"

namespace retracescope::views {

EmptyPanel::EmptyPanel(ViewState& state, QString viewId, QWidget* parent)
    : MessagePanel(parent), m_state(state), m_viewId(std::move(viewId)) {
    connect(this, &MessagePanel::actionTriggered, this, [this] { m_state.requestView(m_target); });
    setMissing({});
}

void EmptyPanel::setMissing(const QString& sentence, const QString& detail) {
    m_target.clear();
    const session::Session* session = m_state.session();
    if (session == nullptr)
        return setMessage(tr("No session is open."));
    const QString timeline = QStringLiteral("timeline");
    const QString graph = QStringLiteral("graph");
    QString action;
    if (session->eventCount() > 0 && m_viewId != timeline) {
        m_target = timeline;
        action = tr("Show the timeline");
    } else if (!session->graphs.empty() && m_viewId != graph) {
        m_target = graph;
        action = session->graphs.size() == 1 ? tr("Show the graph") : tr("Show the graphs");
    }
    const QString holds =
        m_state.diagnosis()->functions.empty() ? toQString(m_state.diagnosis()->subline) : QString();
    setMessage(sentence, detail.isEmpty() ? holds : detail, action);
}

} // namespace retracescope::views
