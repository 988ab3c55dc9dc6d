#include "app/gui/context_bar.h"

#include <QMenu>
#include <QToolButton>

#include "views/models/event_facts.h"
#include "views/models/graphs_model.h"
#include "views/shared/icons.h"
#include "views/shared/numbers.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

namespace {

/// A menu of siblings stays usable up to this many; the rest is in the tables.
constexpr std::size_t kMostSiblings = 40;

QString name(const views::ViewState& state, session::FunctionId function) {
    return views::toQString(state.diagnosis()->names[function.value]);
}

void open(QMenu& menu, QWidget* crumb) {
    if (!menu.isEmpty())
        menu.exec(crumb->mapToGlobal(QPoint(0, crumb->height())));
}

} // namespace

ContextBar::ContextBar(views::ViewState& state, QWidget* parent)
    : QFrame(parent), m_state(state), m_crumbs(new QHBoxLayout), m_chips(new FilterChips(state)),
      m_range(views::makeLabel({}, "muted")) {
    setObjectName(QStringLiteral("contextBar"));
    setFixedHeight(28);
    m_crumbs->setSpacing(2);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 0, 14, 0);
    layout->addLayout(m_crumbs);
    layout->addSpacing(10);
    layout->addWidget(m_chips);
    layout->addStretch();
    layout->addWidget(m_range);
    connect(&state, &views::ViewState::selectionChanged, this, &ContextBar::rebuild);
    connect(&state, &views::ViewState::diagnosisChanged, this, &ContextBar::rebuild);
    rebuild();
}

void ContextBar::setSessionName(const QString& name) {
    m_session = name;
    rebuild();
}

void ContextBar::rebuild() {
    views::clearLayout(m_crumbs);
    m_texts.clear();
    updateRange();
    const session::Session* session = m_state.session();
    if (session == nullptr) {
        addCrumb(tr("No session open"), true, nullptr);
        return;
    }
    const views::Selection& selection = m_state.selection();
    addCrumb(m_session, false, &ContextBar::showSession);
    if (selection.event && !selection.function.isValid()) {
        addCrumb(views::factsOf(*session, *selection.event).name, true, nullptr);
        return;
    }
    const bool hasGraph = selection.graph.isValid();
    if (!selection.function.isValid() && !hasGraph) {
        addCrumb(tr("Whole session"), true,
                 session->functions.empty() ? nullptr : &ContextBar::showFunctions);
        return;
    }
    const bool hasEntry = selection.entry.isValid();
    const bool hasCall = selection.call.isValid();
    const session::GraphId graph = m_state.shownGraph().graph;
    const bool hasNode =
        selection.node.has_value() && graph.isValid() && *selection.node < (*session)[graph].nodes.size();
    if (selection.function.isValid())
        addCrumb(name(m_state, selection.function), !hasEntry && !hasCall && !hasGraph,
                 &ContextBar::showFunctions);
    if (hasEntry)
        addCrumb(tr("entry %1").arg((*session)[selection.entry].number), !hasCall && !hasNode && !hasGraph,
                 &ContextBar::showEntries);
    if (hasCall)
        addCrumb(tr("call %1").arg(session->calls.number[selection.call.value]), !hasNode && !hasGraph,
                 &ContextBar::showCalls);
    if (hasGraph)
        addCrumb(views::graphTitle(*session, selection.graph), !hasNode, nullptr);
    if (hasNode)
        addCrumb(views::toQString(session->text((*session)[graph].nodes[*selection.node].name)), true,
                 nullptr);
}

void ContextBar::addCrumb(const QString& text, bool isLast, void (ContextBar::*onClick)(QWidget*)) {
    if (!m_texts.isEmpty()) {
        auto* arrow = new QLabel;
        arrow->setPixmap(
            views::iconPixmap(QStringLiteral("right"), m_state.theme().muted, 10, devicePixelRatioF()));
        m_crumbs->addWidget(arrow);
    }
    m_texts.push_back(text);
    auto* crumb = new QToolButton;
    crumb->setText(fontMetrics().elidedText(text, Qt::ElideMiddle, 360));
    crumb->setProperty("crumb", isLast ? QStringLiteral("last") : QStringLiteral("true"));
    crumb->setAccessibleName(text);
    if (onClick != nullptr)
        connect(crumb, &QToolButton::clicked, this, [this, crumb, onClick] { (this->*onClick)(crumb); });
    m_crumbs->addWidget(crumb);
}

void ContextBar::showSession(QWidget*) {
    m_state.clearSelection();
}

void ContextBar::showFunctions(QWidget* crumb) {
    const session::Session& session = *m_state.session();
    QMenu menu(this);
    for (std::size_t row = 0; row < session.functions.size() && row < kMostSiblings; ++row) {
        const session::FunctionId function(row);
        menu.addAction(name(m_state, function), this, [this, function] { m_state.selectFunction(function); });
    }
    open(menu, crumb);
}

void ContextBar::showEntries(QWidget* crumb) {
    const auto& entries = m_state.diagnosis()->index.entriesOfFunction[m_state.selection().function.value];
    QMenu menu(this);
    for (std::size_t i = 0; i < entries.size() && i < kMostSiblings; ++i) {
        const session::Entry& entry = (*m_state.session())[entries[i]];
        menu.addAction(tr("entry %1").arg(entry.number), this,
                       [this, id = entries[i]] { m_state.selectEntry(id); });
    }
    open(menu, crumb);
}

void ContextBar::showCalls(QWidget* crumb) {
    const auto& calls = m_state.diagnosis()->index.callsOfFunction[m_state.selection().function.value];
    const std::uint32_t present = m_state.session()->calls.number[m_state.selection().call.value];
    const std::size_t first = present > kMostSiblings / 2 ? present - kMostSiblings / 2 : 0;
    QMenu menu(this);
    for (std::size_t i = first; i < calls.size() && i < first + kMostSiblings; ++i) {
        const std::uint32_t number = m_state.session()->calls.number[calls[i].value];
        menu.addAction(tr("call %1").arg(number), this, [this, id = calls[i]] { m_state.selectCall(id); });
    }
    open(menu, crumb);
}

void ContextBar::updateRange() {
    const session::Session* session = m_state.session();
    if (session == nullptr) {
        m_range->clear();
        return;
    }
    const std::int64_t length = session->endNs - session->originNs;
    if (length == 0) {
        m_range->clear(); // nothing in the file has a time
        return;
    }
    const auto& range = m_state.selection().range;
    if (!range) {
        m_range->setText(tr("Time: 0 to %1 (all)").arg(views::durationText(length)));
        return;
    }
    const views::TimeUnit unit = views::timeUnitFor(length);
    m_range->setText(tr("Time: %1 to %2 selected (%3)")
                         .arg(unit.number(range->beginNs - session->originNs),
                              unit.text(range->endNs - session->originNs),
                              views::durationText(range->endNs - range->beginNs)));
}

QStringList ContextBar::crumbs() const {
    return m_texts;
}

} // namespace retracescope::gui
