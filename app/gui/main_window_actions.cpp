// The menus, the toolbar and their keys. A new action is one line in one of the build functions; Help > Keys
// and the tests read the menus, so that nothing has to be listed twice.
#include "app/gui/main_window.h"

#include <QApplication>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>

#include "app/gui/go_to_box.h"
#include "app/gui/keys_dialog.h"
#include "views/shared/icons.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

namespace {

constexpr int kToolBarHeight = 40; // pixels at 100 %

} // namespace

QAction* MainWindow::addAction(QMenu* menu, const QString& id, const QString& text, const QKeySequence& key,
                               const QString& iconName) {
    QAction* action = menu->addAction(text);
    action->setShortcut(key);
    if (!iconName.isEmpty())
        action->setIcon(views::icon(iconName));
    QString plain = text;
    plain.remove(QLatin1Char('&')).remove(QChar(0x2026));
    action->setToolTip(
        key.isEmpty() ? plain : QStringLiteral("%1 (%2)").arg(plain, key.toString(QKeySequence::NativeText)));
    m_toolTips[id] = action->toolTip();
    m_actions[id] = action;
    return action;
}

void MainWindow::addMenu(QMenu* menu) {
    menu->setToolTipsVisible(true);
    m_menus.push_back(menu);
}

void MainWindow::buildActions() {
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildGoMenu();
    buildHelpMenu();
    buildToolBar();
}

void MainWindow::buildFileMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    addMenu(menu);
    connect(addAction(menu, QStringLiteral("open"), tr("&Open…"), QKeySequence::Open, QStringLiteral("open")),
            &QAction::triggered, this, &MainWindow::chooseFile);
    QMenu* recent = menu->addMenu(tr("Open &recent"));
    connect(recent, &QMenu::aboutToShow, this, [this, recent] { fillRecentMenu(recent); });
    connect(addAction(menu, QStringLiteral("example"), tr("Open the &example"),
                      QKeySequence(tr("Ctrl+Shift+E")), QStringLiteral("bulb")),
            &QAction::triggered, this, [this] { openExample({}); });
    menu->addSeparator();
    connect(addAction(menu, QStringLiteral("exportReport"), tr("Export re&port…"), QKeySequence(tr("Ctrl+E")),
                      QStringLiteral("export")),
            &QAction::triggered, this, &MainWindow::exportReport);
    connect(addAction(menu, QStringLiteral("exportPicture"), tr("Save &picture of the view…"),
                      QKeySequence(tr("Ctrl+Alt+P")), QStringLiteral("picture")),
            &QAction::triggered, this, &MainWindow::exportPicture);
    menu->addSeparator();
    connect(addAction(menu, QStringLiteral("close"), tr("&Close session"), QKeySequence(tr("Ctrl+W"))),
            &QAction::triggered, this, [this] { m_document.close(); });
    connect(addAction(menu, QStringLiteral("quit"), tr("&Quit"), QKeySequence(tr("Ctrl+Q"))),
            &QAction::triggered, this, &QWidget::close);
}

void MainWindow::buildEditMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    addMenu(menu);
    connect(addAction(menu, QStringLiteral("find"), tr("&Find in the view"), QKeySequence::Find,
                      QStringLiteral("search")),
            &QAction::triggered, this, [this] {
                if (views::View* present = view(currentViewId()))
                    present->focusFind();
            });
    connect(addAction(menu, QStringLiteral("findInSession"), tr("Find in the &session…"),
                      QKeySequence(tr("Ctrl+Shift+F"))),
            &QAction::triggered, this, [this] { m_sessionFinder->open(); });
    connect(addAction(menu, QStringLiteral("clearSelection"), tr("&Clear the selection"),
                      QKeySequence(tr("Ctrl+Shift+A"))),
            &QAction::triggered, this, [this] { m_state.clearSelection(); });
    menu->addSeparator();
    const auto filterBy = [this](diagnose::FilterOutcome outcome) {
        diagnose::CallFilter filter = m_state.filter();
        filter.outcome = outcome;
        m_state.setFilter(filter);
    };
    connect(addAction(menu, QStringLiteral("filterTraced"), tr("Filter: only what &traced"), {},
                      QStringLiteral("filter")),
            &QAction::triggered, this, [filterBy] { filterBy(diagnose::FilterOutcome::Traced); });
    connect(addAction(menu, QStringLiteral("filterFailed"), tr("Filter: only what f&ailed"), {}),
            &QAction::triggered, this, [filterBy] { filterBy(diagnose::FilterOutcome::Failed); });
    connect(addAction(menu, QStringLiteral("filterFunction"), tr("Filter: only the shown f&unction"), {}),
            &QAction::triggered, this, [this] {
                diagnose::CallFilter filter = m_state.filter();
                filter.function = m_state.shownFunction();
                m_state.setFilter(filter);
            });
    connect(addAction(menu, QStringLiteral("dropFilter"), tr("&Drop the last filter"),
                      QKeySequence(tr("Ctrl+Backspace"))),
            &QAction::triggered, this, [this] { m_contextBar->chips().dropLast(); });
    const auto updateFilters = [this] {
        for (const char* id : {"filterTraced", "filterFailed", "filterFunction"})
            setAvailable(QLatin1String(id), m_state.session() != nullptr, tr("Open a session first"));
        setAvailable(QStringLiteral("dropFilter"), !m_state.filter().isEmpty(), tr("There is no filter"));
    };
    connect(&m_state, &views::ViewState::diagnosisChanged, this, updateFilters);
    connect(&m_state, &views::ViewState::filterChanged, this, updateFilters);
    updateFilters();
}

void MainWindow::buildViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    addMenu(menu);
    struct Entry {
        Perspective perspective;
        const char* id;
        QString text;
        const char* icon;
    };
    auto* group = new QActionGroup(this);
    group->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);
    for (const Entry& entry :
         {Entry{Perspective::Overview, "perspectiveOverview", tr("&Overview"), "home"},
          Entry{Perspective::Timeline, "perspectiveTimeline", tr("&Timeline"), "timeline"},
          Entry{Perspective::Graph, "perspectiveGraph", tr("&Graph"), "graph"}}) {
        const int number = static_cast<int>(entry.perspective);
        QAction* action =
            addAction(menu, QLatin1String(entry.id), entry.text,
                      QKeySequence(QStringLiteral("Ctrl+%1").arg(number + 1)), QLatin1String(entry.icon));
        action->setCheckable(true);
        action->setIconText(QLatin1Char(' ') + action->iconText()); // the style leaves no gap behind the icon
        action->setVisible(std::ranges::any_of(
            viewList(), [&](const ViewEntry& view) { return view.perspective == entry.perspective; }));
        group->addAction(action);
        m_perspectiveActions[static_cast<std::size_t>(number)] = action;
        connect(action, &QAction::triggered, this,
                [this, perspective = entry.perspective] { showPerspective(perspective); });
    }
    menu->addSeparator();
    connect(addAction(menu, QStringLiteral("leftDock"), tr("&Left dock"), QKeySequence(tr("Ctrl+B"))),
            &QAction::triggered, this, [this] { toggleDock(Qt::LeftDockWidgetArea); });
    connect(addAction(menu, QStringLiteral("rightDock"), tr("&Right dock"), QKeySequence(tr("Ctrl+Alt+B"))),
            &QAction::triggered, this, [this] { toggleDock(Qt::RightDockWidgetArea); });
    connect(addAction(menu, QStringLiteral("bottomDock"), tr("&Bottom dock"), QKeySequence(tr("Ctrl+J"))),
            &QAction::triggered, this, [this] { toggleDock(Qt::BottomDockWidgetArea); });
    connect(addAction(menu, QStringLiteral("resetLayout"), tr("Re&set layout"), {}), &QAction::triggered,
            this, &MainWindow::resetLayout);
    menu->addSeparator();
    QMenu* theme = menu->addMenu(tr("T&heme"));
    m_themeActions = new QActionGroup(this);
    for (const auto& [choice, text] :
         {std::pair{ThemeChoice::System, tr("As the &system")}, std::pair{ThemeChoice::Light, tr("&Light")},
          std::pair{ThemeChoice::Dark, tr("&Dark")}}) {
        QAction* action = theme->addAction(text);
        action->setCheckable(true);
        action->setData(static_cast<int>(choice));
        m_themeActions->addAction(action);
        connect(action, &QAction::triggered, this, [this, choice = choice] { chooseTheme(choice); });
    }
    connect(addAction(menu, QStringLiteral("toggleTheme"), tr("Switch light and &dark"),
                      QKeySequence(tr("Ctrl+Shift+L")), QStringLiteral("theme")),
            &QAction::triggered, this,
            [this] { chooseTheme(m_state.theme().isDark() ? ThemeChoice::Light : ThemeChoice::Dark); });
    connect(addAction(menu, QStringLiteral("fullScreen"), tr("&Full screen"), QKeySequence(Qt::Key_F11)),
            &QAction::triggered, this, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
}

void MainWindow::buildGoMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Go"));
    addMenu(menu);
    connect(addAction(menu, QStringLiteral("back"), tr("&Back"), QKeySequence(tr("Alt+Left")),
                      QStringLiteral("back")),
            &QAction::triggered, this, [this] { go(m_history.back()); });
    connect(addAction(menu, QStringLiteral("forward"), tr("&Forward"), QKeySequence(tr("Alt+Right")),
                      QStringLiteral("forward")),
            &QAction::triggered, this, [this] { go(m_history.forward()); });
    menu->addSeparator();
    addAction(menu, QStringLiteral("goTo"), tr("Go &to…"), QKeySequence(tr("Ctrl+P")),
              QStringLiteral("search"));
    connect(addAction(menu, QStringLiteral("nextTab"), tr("&Next tab"), QKeySequence(tr("Ctrl+PgDown"))),
            &QAction::triggered, this, [this] { stepTab(1); });
    connect(
        addAction(menu, QStringLiteral("previousTab"), tr("&Previous tab"), QKeySequence(tr("Ctrl+PgUp"))),
        &QAction::triggered, this, [this] { stepTab(-1); });
    connect(addAction(menu, QStringLiteral("nextPane"), tr("Next pa&ne"), QKeySequence(Qt::Key_F6)),
            &QAction::triggered, this, [this] { stepPane(1); });
    connect(
        addAction(menu, QStringLiteral("previousPane"), tr("Previous p&ane"), QKeySequence(tr("Shift+F6"))),
        &QAction::triggered, this, [this] { stepPane(-1); });
    menu->addSeparator();
    connect(addAction(menu, QStringLiteral("nextFinding"), tr("Next fin&ding"), QKeySequence(Qt::Key_F8)),
            &QAction::triggered, this, [this] { stepFinding(1); });
    connect(addAction(menu, QStringLiteral("previousFinding"), tr("Previous f&inding"),
                      QKeySequence(tr("Shift+F8"))),
            &QAction::triggered, this, [this] { stepFinding(-1); });
    connect(addAction(menu, QStringLiteral("selectionInTimeline"), tr("Selection in the time&line"),
                      QKeySequence(tr("Ctrl+Return"))),
            &QAction::triggered, this, [this] { showView(QStringLiteral("timeline")); });
    connect(addAction(menu, QStringLiteral("selectionInSource"), tr("Selection in the &source"),
                      QKeySequence(tr("Shift+Return"))),
            &QAction::triggered, this, [this] { showView(QStringLiteral("source")); });
}

void MainWindow::buildHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    addMenu(menu);
    connect(addAction(menu, QStringLiteral("palette"), tr("&Commands…"), QKeySequence(tr("Ctrl+Shift+P")),
                      QStringLiteral("keyboard")),
            &QAction::triggered, this, [this] { m_palette->open(); });
    connect(addAction(menu, QStringLiteral("keys"), tr("&Keys"), QKeySequence(tr("Ctrl+/")),
                      QStringLiteral("keyboard")),
            &QAction::triggered, this, [this] { showKeys(menuActions(), this); });
    action(QStringLiteral("keys"))->setShortcuts({QKeySequence(tr("Ctrl+/")), QKeySequence(Qt::Key_F1)});
    connect(addAction(menu, QStringLiteral("about"), tr("&About Retracescope"), {}, QStringLiteral("info")),
            &QAction::triggered, this, [this] { showAbout(this); });
}

void MainWindow::buildToolBar() {
    auto* bar = new QToolBar(tr("Toolbar"), this);
    bar->setObjectName(QStringLiteral("mainToolBar"));
    bar->setMovable(false);
    bar->setIconSize(QSize(16, 16));
    bar->setFixedHeight(kToolBarHeight);
    const auto addButton = [this, bar](const char* id) {
        bar->QWidget::addAction(action(QLatin1String(id)));
        if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action(QLatin1String(id)))))
            button->setAccessibleName(button->text());
    };
    auto* edge = new QWidget; // the style takes one padding for all four sides
    edge->setFixedWidth(4);
    bar->addWidget(edge);
    addButton("open");
    bar->addSeparator();
    addButton("back");
    addButton("forward");
    bar->addSeparator();
    auto* perspectives = new QFrame;
    perspectives->setObjectName(QStringLiteral("perspectives"));
    auto* layout = new QHBoxLayout(perspectives);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(2);
    for (QAction* action : m_perspectiveActions) {
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(action->text().remove(QLatin1Char('&')));
        layout->addWidget(button);
    }
    bar->addWidget(perspectives);
    auto* gap = new QWidget;
    gap->setFixedWidth(10);
    bar->addWidget(gap);
    auto* goTo = new GoToBox(m_state);
    connect(action(QStringLiteral("goTo")), &QAction::triggered, goTo, &GoToBox::activate);
    bar->addWidget(goTo);
    auto* spring = new QWidget;
    spring->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(spring);
    addButton("toggleTheme");
    auto* report = views::makeButton(tr("Export report…"), QStringLiteral("export"));
    report->setEnabled(false);
    connect(report, &QPushButton::clicked, action(QStringLiteral("exportReport")), &QAction::trigger);
    connect(action(QStringLiteral("exportReport")), &QAction::changed, report,
            [this, report] { report->setEnabled(action(QStringLiteral("exportReport"))->isEnabled()); });
    bar->addWidget(report);
    auto* end = new QWidget;
    end->setFixedWidth(4);
    bar->addWidget(end);
    addToolBar(bar);

    addToolBarBreak();
    auto* context = new QToolBar(tr("Context"), this);
    context->setObjectName(QStringLiteral("contextToolBar"));
    context->setMovable(false);
    context->addWidget(m_contextBar);
    m_contextBar->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    addToolBar(context);
}

/// What the palette lists: the actions of the menus, their submenus, and every view.
std::vector<CommandPalette::Command> MainWindow::commands() {
    const auto plain = [](QString text) { return text.remove(QLatin1Char('&')).remove(QChar(0x2026)); };
    std::vector<CommandPalette::Command> result;
    const auto add = [&](QAction* action, const QString& prefix) {
        result.push_back(
            {prefix + plain(action->text()), action->shortcut().toString(QKeySequence::NativeText),
             action->isEnabled() ? QString() : action->toolTip(), [action] { action->trigger(); }});
    };
    for (QAction* action : menuActions()) {
        if (action != m_actions.at(QStringLiteral("palette")))
            add(action, {});
    }
    for (QAction* action : m_themeActions->actions())
        add(action, tr("Theme: "));
    for (const ViewEntry& entry : viewList())
        result.push_back({tr("Show %1").arg(view(entry.id)->title()),
                          {},
                          m_state.session() != nullptr ? QString() : tr("Open a session first"),
                          [this, id = entry.id] { showView(id); }});
    return result;
}

QList<QAction*> MainWindow::menuActions() const {
    QList<QAction*> result;
    for (const QMenu* menu : m_menus) {
        for (QAction* action : menu->actions()) {
            if (!action->isSeparator() && action->menu() == nullptr)
                result.push_back(action);
        }
    }
    return result;
}

QAction* MainWindow::action(const QString& id) const {
    const auto it = m_actions.find(id);
    return it == m_actions.end() ? nullptr : it->second;
}

} // namespace retracescope::gui
