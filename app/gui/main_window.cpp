#include "app/gui/main_window.h"

#include <QApplication>
#include <QBoxLayout>
#include <QCloseEvent>
#include <QSettings>
#include <QShortcut>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>

#include "app/gui/entries_panel.h"
#include "app/gui/job_status.h"
#include "app/gui/recent_sessions.h"
#include "app/gui/selection_panel.h"
#include "app/gui/session_facts.h"
#include "app/gui/welcome_page.h"
#include "views/shared/focus_ring.h"
#include "views/shared/icons.h"
#include "views/shared/numbers.h"
#include "views/shared/recording_facts.h"
#include "views/shared/theme_style.h"
#include "views/shared/widgets.h"
#include "views/signatures/argument_panel.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_view.h"

namespace retracescope::gui {

namespace {

/// Raised whenever the docks change, so that a stored layout of an older program is not applied.
constexpr int kLayoutVersion = 3;
/// Below this width the docks at the sides are drawers.
constexpr int kWideWindow = 1400;
/// Below this height the bottom dock stays closed until it is asked for.
constexpr int kTallWindow = 860;

/// In the settings; a layout's key is that of the place it belongs to.
const QString kLayoutsKey = QStringLiteral("layouts/");
const QString kGeometryKey = QStringLiteral("geometry");

/// Between the panes and the edge of the window.
constexpr int kEdge = 8;

QMargins outerMargins(Qt::DockWidgetArea area, int top, int bottom) {
    const bool below = area == Qt::BottomDockWidgetArea;
    return {area == Qt::LeftDockWidgetArea || below ? kEdge : 0, below ? 0 : top,
            area == Qt::RightDockWidgetArea || below ? kEdge : 0, bottom};
}

QWidget* inMargins(QWidget* content, const QMargins& margins) {
    auto* frame = new QWidget;
    auto* layout = new QVBoxLayout(frame);
    layout->setContentsMargins(margins);
    layout->addWidget(content);
    return frame;
}

std::size_t index(Perspective perspective) {
    return static_cast<std::size_t>(perspective);
}

} // namespace

MainWindow::MainWindow(Document::Opener opener, QWidget* parent)
    : QMainWindow(parent), m_document(m_state, std::move(opener)), m_pages(new QStackedWidget),
      m_welcome(new WelcomePage(m_state)), m_banner(new Banner), m_contextBar(new ContextBar(m_state)),
      m_dropOverlay(new DropOverlay(m_state, this)),
      m_palette(new CommandPalette(m_state, this, [this] { return commands(); })),
      m_sessionFinder(new SessionFinder(m_state, this)), m_drawers(new Drawers(*this)),
      m_callsStatus(new QLabel), m_eventsStatus(new QLabel), m_costStatus(new QLabel) {
    setWindowTitle(tr("Retracescope"));
    setWindowIcon(QIcon(views::iconPixmap(QStringLiteral("retracescope"), Qt::black, 64, 1.0)));
    setMinimumSize(1024, 640);
    resize(1600, 1000);
    setAcceptDrops(true);
    setDockOptions(AllowNestedDocks | AllowTabbedDocks);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setContextMenuPolicy(Qt::NoContextMenu);
    buildActions();
    buildCentre();
    buildDocks();
    buildStatusBar();
    connectState();
    new views::FocusRing(m_state, this);
    onCurrentViewChanged();
}

void MainWindow::buildCentre() {
    auto* page = new QFrame;
    page->setObjectName(QStringLiteral("page"));
    auto* pageLayout = new QVBoxLayout(page);
    pageLayout->setContentsMargins(1, 1, 1, 1);
    pageLayout->addWidget(m_welcome);
    m_pages->addWidget(page);
    for (const Perspective perspective : {Perspective::Overview, Perspective::Timeline, Perspective::Graph})
        m_pages->addWidget(buildPerspective(perspective));
    auto* centre = new QWidget;
    auto* layout = new QVBoxLayout(centre);
    layout->setContentsMargins(kEdge, kEdge, kEdge, kEdge);
    layout->setSpacing(0);
    layout->addWidget(m_banner);
    layout->addWidget(m_pages, 1);
    setCentralWidget(centre);
}

QWidget* MainWindow::buildPerspective(Perspective perspective) {
    std::vector<views::View*> members;
    for (const ViewEntry& entry : viewList()) {
        if (entry.perspective != perspective)
            continue;
        views::View* view = entry.make(m_state);
        m_views[entry.id] = view;
        members.push_back(view);
    }
    if (members.size() == 1) {
        auto* page = new QFrame;
        page->setObjectName(QStringLiteral("page"));
        auto* layout = new QVBoxLayout(page);
        layout->setContentsMargins(1, 1, 1, 1);
        layout->addWidget(members.front());
        m_shownView[index(perspective)] = members.front()->id();
        return page;
    }
    auto* tabs = new QTabWidget;
    tabs->setDocumentMode(true);
    tabs->tabBar()->setExpanding(false);
    tabs->tabBar()->setAttribute(Qt::WA_StyledBackground);
    tabs->tabBar()->setAccessibleName(tr("Views"));
    for (views::View* view : members)
        tabs->addTab(view, view->title());
    m_tabs[index(perspective)] = tabs;
    if (!members.empty())
        m_shownView[index(perspective)] = members.front()->id();
    connect(tabs, &QTabWidget::currentChanged, this, [this, perspective, tabs] {
        m_shownView[index(perspective)] = static_cast<views::View*>(tabs->currentWidget())->id();
        onCurrentViewChanged();
    });
    return tabs;
}

void MainWindow::buildDocks() {
    m_argumentDock = addDock(QStringLiteral("argumentDock"), tr("Argument"), Qt::RightDockWidgetArea,
                             new views::ArgumentPanel(m_state));
    m_rangeDock = addDock(QStringLiteral("rangeDock"), tr("Range statistics"), Qt::BottomDockWidgetArea,
                          static_cast<views::TimelineView*>(view(QStringLiteral("timeline")))->rangePanel());
    m_selectionDock = addDock(QStringLiteral("selectionDock"), tr("Selection"), Qt::RightDockWidgetArea,
                              new SelectionPanel(m_state));
    m_entriesDock = addDock(QStringLiteral("entriesDock"), tr("Graphs"), Qt::LeftDockWidgetArea,
                            new EntriesPanel(m_state));
}

QDockWidget* MainWindow::addDock(const QString& id, const QString& title, Qt::DockWidgetArea area,
                                 QWidget* content) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(id);
    dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                      QDockWidget::DockWidgetFloatable);
    auto* titleBar = new QFrame;
    titleBar->setObjectName(QStringLiteral("dockTitle"));
    auto* titleLayout = new QHBoxLayout(titleBar);
    titleLayout->setContentsMargins(12, 0, 4, 0);
    titleLayout->addWidget(views::makeLabel(title, "strong"));
    titleLayout->addStretch();
    auto* close = new QToolButton;
    close->setIcon(views::icon(QStringLiteral("close")));
    close->setToolTip(tr("Close %1").arg(title));
    close->setAccessibleName(tr("Close %1").arg(title));
    titleLayout->addWidget(close);
    connect(close, &QToolButton::clicked, dock, &QDockWidget::close);
    titleBar->setFixedHeight(30);
    dock->setTitleBarWidget(inMargins(titleBar, outerMargins(area, kEdge, 0)));
    auto* body = new QFrame;
    body->setObjectName(QStringLiteral("dockBody"));
    auto* bodyLayout = new QVBoxLayout(body);
    bodyLayout->setContentsMargins(1, 0, 1, 1);
    bodyLayout->addWidget(content);
    content->show(); // it may have been hidden as long as it had no dock
    dock->setWidget(inMargins(body, outerMargins(area, 0, kEdge)));
    addDockWidget(area, dock);
    dock->hide();
    if (area != Qt::BottomDockWidgetArea)
        m_drawers->add(dock, area);
    return dock;
}

void MainWindow::buildStatusBar() {
    statusBar()->setSizeGripEnabled(false);
    for (QLabel* label : {m_callsStatus, m_eventsStatus, m_costStatus})
        statusBar()->addWidget(label);
    statusBar()->addPermanentWidget(new JobStatus(m_state.jobs()));
}

void MainWindow::connectState() {
    connect(&m_state, &views::ViewState::themeChanged, this, [this] { views::applyTheme(m_state.theme()); });
    connect(&m_state, &views::ViewState::viewRequested, this, &MainWindow::showView);
    connect(&m_state, &views::ViewState::argumentChanged, this, &MainWindow::updateArgumentDock);
    connect(&m_state, &views::ViewState::selectionChanged, this, &MainWindow::visitPlace);
    connect(&m_document, &Document::opened, this, &MainWindow::onOpened);
    connect(&m_document, &Document::failed, this, &MainWindow::onFailed);
    // Escape belongs to the views; only while a file is being opened it gives that up.
    auto* escape = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    escape->setEnabled(false);
    connect(escape, &QShortcut::activated, &m_document, &Document::cancelOpening);
    connect(&m_document, &Document::openingBegan, escape, [escape] { escape->setEnabled(true); });
    connect(&m_document, &Document::openingEnded, escape, [escape] { escape->setEnabled(false); });
    connect(&m_document, &Document::closed, this, [this] {
        m_contextBar->setSessionName({});
        m_history.clear();
        m_welcome->refresh();
        m_pages->setCurrentIndex(0);
        onCurrentViewChanged();
    });
    connect(m_welcome, &WelcomePage::openRequested, this, &MainWindow::chooseFile);
    connect(m_welcome, &WelcomePage::fileRequested, this, &MainWindow::openFile);
    connect(m_welcome, &WelcomePage::exampleRequested, this, &MainWindow::openExample);
}

// Where one is
// ----------------------------------------------------------------------------------------------------

void MainWindow::showView(const QString& id) {
    const views::View* wanted = view(id);
    if (wanted == nullptr || m_state.session() == nullptr)
        return;
    for (const ViewEntry& entry : viewList()) {
        if (entry.id != id)
            continue;
        m_shownView[index(entry.perspective)] = id;
        if (QTabWidget* tabs = m_tabs[index(entry.perspective)])
            tabs->setCurrentWidget(view(id));
        m_pages->setCurrentIndex(1 + static_cast<int>(entry.perspective));
    }
    onCurrentViewChanged();
}

void MainWindow::showPerspective(Perspective perspective) {
    showView(m_shownView[index(perspective)]);
}

QString MainWindow::currentViewId() const {
    const int page = m_pages->currentIndex();
    return page <= 0 ? QString() : m_shownView[static_cast<std::size_t>(page - 1)];
}

views::View* MainWindow::view(const QString& id) const {
    const auto it = m_views.find(id);
    return it == m_views.end() ? nullptr : it->second;
}

void MainWindow::onCurrentViewChanged() {
    const int page = m_pages->currentIndex();
    for (int p = 0; p < kPerspectiveCount; ++p)
        m_perspectiveActions[static_cast<std::size_t>(p)]->setChecked(page == p + 1);
    if (layoutKey() != m_layoutKey)
        applyLayout();
    updateArgumentDock();
    visitPlace();
    updateActions();
}

void MainWindow::onOpened() {
    m_banner->hide();
    m_history.clear();
    m_contextBar->setSessionName(m_document.name());
    setWindowTitle(tr("%1 – Retracescope").arg(m_document.name()));
    if (m_remembers)
        addRecentSession(describeSession(m_document.path(), *m_state.diagnosis()));
    updateFindingsTab();
    updateStatus();
    showView(viewList().front().id);
    if (const QString warning = openingWarning(*m_state.session()); !warning.isEmpty())
        m_banner->show(Banner::Kind::Warning, warning, {}, {});
}

void MainWindow::visitPlace() {
    if (!m_travelling && !currentViewId().isEmpty())
        m_history.visit({currentViewId(), m_state.selection()});
    updateActions();
}

void MainWindow::go(const std::optional<Place>& place) {
    if (!place)
        return;
    m_travelling = true;
    m_state.setSelection(place->selection);
    showView(place->viewId);
    m_travelling = false;
    updateActions();
}

bool MainWindow::select(const SelectOption& option) {
    const session::Session* session = m_state.session();
    if (session == nullptr)
        return false;
    for (std::size_t row = 0; row < session->functions.size(); ++row) {
        const session::FunctionId function(row);
        if (views::toQString(session->text(session->functions[row].name)) != option.function)
            continue;
        const session::Index& index = m_state.diagnosis()->index;
        m_state.selectFunction(function);
        if (option.entry) {
            for (const session::EntryId entry : index.entriesOfFunction[row]) {
                if ((*session)[entry].number == static_cast<std::uint32_t>(*option.entry))
                    m_state.selectEntry(entry);
            }
            if (!m_state.selection().entry.isValid())
                return false;
        }
        if (option.call) {
            const auto& calls = index.callsOfFunction[row];
            const auto number = static_cast<std::size_t>(*option.call);
            if (number > calls.size())
                return false;
            m_state.selectCall(calls[number - 1]);
        }
        return true;
    }
    return false;
}

void MainWindow::stepTab(int step) {
    const int page = m_pages->currentIndex();
    QTabWidget* tabs = page <= 0 ? nullptr : m_tabs[static_cast<std::size_t>(page - 1)];
    if (tabs != nullptr)
        tabs->setCurrentIndex((tabs->currentIndex() + step + tabs->count()) % tabs->count());
}

void MainWindow::stepPane(int step) {
    QList<QWidget*> panes{m_pages->currentWidget()};
    for (QDockWidget* dock : {m_entriesDock, m_argumentDock, m_selectionDock, m_rangeDock}) {
        if (dock->isVisible())
            panes.push_back(dock->widget());
    }
    int present = 0;
    for (int i = 0; i < panes.size(); ++i) {
        if (panes[i]->isAncestorOf(QApplication::focusWidget()))
            present = i;
    }
    QWidget* pane = panes[(present + step + static_cast<int>(panes.size())) % static_cast<int>(panes.size())];
    for (QWidget* child : pane->findChildren<QWidget*>()) {
        if ((child->focusPolicy() & Qt::TabFocus) && child->isVisible() && child->isEnabled()) {
            child->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

void MainWindow::stepFinding(int step) {
    const auto& findings = m_state.diagnosis()->findings;
    const int ranked = static_cast<int>(std::ranges::count(findings, false, &diagnose::Finding::expected));
    if (ranked == 0)
        return;
    int present = step > 0 ? -1 : ranked;
    for (int i = 0; i < ranked; ++i) {
        if (std::ranges::find(findings[static_cast<std::size_t>(i)].misses, m_state.selection().miss) !=
            findings[static_cast<std::size_t>(i)].misses.end())
            present = i;
    }
    const auto next = static_cast<std::size_t>((present + step + ranked) % ranked);
    m_state.selectMiss(findings[next].misses.front());
    showView(QStringLiteral("findings"));
}

// What is said about the session
// ----------------------------------------------------------------------------------

void MainWindow::updateFindingsTab() {
    QTabWidget* tabs = m_tabs[index(Perspective::Overview)];
    const int tab = tabs == nullptr ? -1 : tabs->indexOf(view(QStringLiteral("findings")));
    if (tab >= 0)
        tabs->setTabText(tab, tr("Findings (%1)").arg(m_state.diagnosis()->findings.size()));
}

void MainWindow::updateStatus() {
    const session::Session* session = m_state.session();
    if (session == nullptr) {
        m_callsStatus->setText(tr("Drop a file anywhere in the window to open it"));
        m_eventsStatus->clear();
        m_costStatus->clear();
        return;
    }
    const diagnose::Diagnosis& diagnosis = *m_state.diagnosis();
    m_callsStatus->setText(diagnosis.functions.empty()
                               ? tr("No traced functions")
                               : views::countsSentence(diagnosis.calls, diagnosis.hits, diagnosis.traces));
    m_eventsStatus->setText(eventsSentence(*session));
    m_costStatus->setText(recordingCostSentence(*session));
    const auto cost = session::recordingCost(*session);
    views::setRole(m_costStatus, cost && cost->isLarge() ? "warning" : "status");
}

/// A disabled action says why in its tooltip, which the menus show too.
void MainWindow::setAvailable(const QString& id, bool available, const QString& reason) {
    QAction* present = action(id);
    present->setEnabled(available);
    present->setToolTip(available ? m_toolTips[id] : reason);
    present->setStatusTip(available ? QString() : reason);
}

void MainWindow::updateActions() {
    const bool open = m_state.session() != nullptr;
    for (const char* id : {"close",
                           "exportReport",
                           "exportPicture",
                           "perspectiveOverview",
                           "perspectiveTimeline",
                           "perspectiveGraph",
                           "nextTab",
                           "previousTab",
                           "find",
                           "nextFinding",
                           "previousFinding",
                           "clearSelection",
                           "goTo",
                           "selectionInTimeline",
                           "selectionInSource",
                           "findInSession",
                           "leftDock",
                           "rightDock",
                           "bottomDock",
                           "resetLayout"})
        setAvailable(QLatin1String(id), open, tr("Open a session first"));
    setAvailable(QStringLiteral("back"), m_history.canGoBack(),
                 tr("There is no earlier place to go back to"));
    setAvailable(QStringLiteral("forward"), m_history.canGoForward(),
                 tr("There is no later place: nothing was gone back from"));
    if (!open)
        updateStatus();
}

// Docks
// -----------------------------------------------------------------------------------------------------------

/// Narrow windows have arrangements of their own: the docks at the sides do not belong to them.
QString MainWindow::layoutKey() const {
    const QString id = currentViewId();
    const int page = m_pages->currentIndex();
    if (page <= 0)
        return QStringLiteral("welcome");
    const QString place = id == QLatin1String("signatures") ? id : perspectiveNames()[page - 1];
    return width() >= kWideWindow ? place : place + QStringLiteral("-narrow");
}

void MainWindow::keepLayout() {
    if (m_layoutKey.isEmpty() || m_layoutKey == QLatin1String("welcome"))
        return;
    m_layouts[m_layoutKey] = saveState(kLayoutVersion);
    if (m_remembers)
        QSettings().setValue(kLayoutsKey + m_layoutKey, m_layouts[m_layoutKey]);
}

void MainWindow::applyLayout() {
    keepLayout();
    m_layoutKey = layoutKey();
    const bool narrow = width() < kWideWindow;
    m_drawers->setOn(narrow);
    restoreLayout();
    if (narrow)
        m_drawers->setOn(true);
}

void MainWindow::restoreLayout() {
    auto stored = m_layouts.find(m_layoutKey);
    if (stored == m_layouts.end() && m_remembers && QSettings().contains(kLayoutsKey + m_layoutKey))
        stored =
            m_layouts.emplace(m_layoutKey, QSettings().value(kLayoutsKey + m_layoutKey).toByteArray()).first;
    if (stored == m_layouts.end())
        return resetLayout();
    if (restoreState(stored->second, kLayoutVersion))
        return;
    resetLayout();
    m_layouts.erase(stored);
    QSettings().remove(kLayoutsKey + m_layoutKey); // so that it is said once
    m_banner->show(
        Banner::Kind::Warning,
        tr("The kept arrangement of the docks is of another version. They are where they are at first."), {},
        {});
}

void MainWindow::setRemembers(bool on) {
    m_remembers = on;
    m_palette->setRemembers(on);
    if (on)
        restoreGeometry(QSettings().value(kGeometryKey).toByteArray());
}

void MainWindow::resetLayout() {
    const bool wide = width() >= kWideWindow;
    const bool graph = m_layoutKey == QLatin1String("graph");
    const bool selection =
        m_layoutKey == QLatin1String("timeline") || m_layoutKey == QLatin1String("signatures");
    if (wide) {
        m_entriesDock->setFloating(false);
        m_selectionDock->setFloating(false);
        addDockWidget(Qt::LeftDockWidgetArea, m_entriesDock);
        addDockWidget(Qt::RightDockWidgetArea, m_selectionDock);
        splitDockWidget(m_argumentDock, m_selectionDock, Qt::Vertical);
    }
    // The graph has its own facts about the selected node beside it.
    m_entriesDock->setVisible(graph && wide);
    m_selectionDock->setVisible(selection && wide);
    m_rangeDock->setFloating(false);
    addDockWidget(Qt::BottomDockWidgetArea, m_rangeDock);
    m_rangeDock->setVisible(m_layoutKey == QLatin1String("timeline") && height() >= kTallWindow);
    resizeDocks({m_rangeDock}, {210}, Qt::Vertical);
    if (wide)
        resizeDocks({m_entriesDock, m_selectionDock}, {262, width() >= 3000 ? 440 : 368}, Qt::Horizontal);
}

/// The component that is looked at has a dock of its own beside the table, as long as there is one.
void MainWindow::updateArgumentDock() {
    const bool wanted = currentViewId() == QLatin1String("signatures") && !m_state.argument().empty();
    const bool opens = wanted && !m_argumentDock->isVisible();
    m_argumentDock->setVisible(wanted);
    if (opens && m_selectionDock->isVisible() && !m_drawers->isOn())
        resizeDocks({m_argumentDock, m_selectionDock}, {1, 1}, Qt::Vertical);
}

void MainWindow::toggleDock(Qt::DockWidgetArea area) {
    QDockWidget* dock = area == Qt::LeftDockWidgetArea     ? m_entriesDock
                        : area == Qt::BottomDockWidgetArea ? m_rangeDock
                                                           : m_selectionDock;
    dock->setVisible(!dock->isVisible());
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    m_dropOverlay->setGeometry(rect());
    if (m_layoutKey.isEmpty() || layoutKey() == m_layoutKey)
        return;
    applyLayout();
    updateArgumentDock();
}

void MainWindow::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton)
        go(m_history.back());
    else if (event->button() == Qt::ForwardButton)
        go(m_history.forward());
    else
        QMainWindow::mousePressEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_state.jobs().cancelAll();
    keepLayout();
    if (m_remembers)
        QSettings().setValue(kGeometryKey, saveGeometry());
    event->accept();
}

} // namespace retracescope::gui
