#pragma once

#include <array>
#include <map>

#include <QActionGroup>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QStackedWidget>
#include <QTabWidget>

#include "app/gui/banner.h"
#include "app/gui/command_palette.h"
#include "app/gui/context_bar.h"
#include "app/gui/document.h"
#include "app/gui/drawers.h"
#include "app/gui/drop_overlay.h"
#include "app/gui/history.h"
#include "app/gui/options.h"
#include "app/gui/session_finder.h"
#include "app/gui/view_list.h"

namespace retracescope::gui {

class WelcomePage;

enum class ThemeChoice { System, Light, Dark };

/// The window: menus, toolbar, perspectives with their views, docks, status bar. It owns the
/// shared state.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Document::Opener opener, QWidget* parent = nullptr);

    views::ViewState& state() { return m_state; }
    Document& document() { return m_document; }
    const ContextBar& contextBar() const { return *m_contextBar; }
    const Banner& banner() const { return *m_banner; }
    CommandPalette& palette() { return *m_palette; }
    SessionFinder& sessionFinder() { return *m_sessionFinder; }

    /// Opens the first file; the others go to the recent list.
    void openFiles(const QStringList& paths);
    void openFile(const QString& path) { openFiles({path}); }
    void openExample(const QString& name); ///< empty: the first

    /// Brings a view to the front; an unknown id changes nothing.
    void showView(const QString& id);
    void showPerspective(Perspective perspective);
    QString currentViewId() const; ///< empty on the Welcome page
    views::View* view(const QString& id) const;

    /// False if the session has no such function, entry or call.
    bool select(const SelectOption& option);

    void chooseTheme(ThemeChoice choice, bool remember = true);

    /// On: takes the window's place and the arrangements of its docks from the settings and keeps them there,
    /// and opened files go to the recent list. Off (pictures are taken): the settings are left alone.
    void setRemembers(bool on);

    /// Every action of the menus, in their order.
    QList<QAction*> menuActions() const;
    QAction* action(const QString& id) const;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    // main_window.cpp
    void buildCentre();
    QWidget* buildPerspective(Perspective perspective);
    void buildDocks();
    QDockWidget* addDock(const QString& id, const QString& title, Qt::DockWidgetArea area, QWidget* content);
    void buildStatusBar();
    void connectState();
    void onCurrentViewChanged();
    void onOpened();
    void visitPlace();
    void go(const std::optional<Place>& place);
    void updateActions();
    void setAvailable(const QString& id, bool available, const QString& reason);
    void updateStatus();
    void updateFindingsTab();
    QString layoutKey() const;
    void applyLayout();
    void restoreLayout();
    void keepLayout();
    void resetLayout();
    void toggleDock(Qt::DockWidgetArea area);
    void updateArgumentDock();
    void stepTab(int step);
    void stepPane(int step);
    void stepFinding(int step);

    // main_window_actions.cpp
    QAction* addAction(QMenu* menu, const QString& id, const QString& text, const QKeySequence& key,
                       const QString& iconName = {});
    void addMenu(QMenu* menu);
    void buildActions();
    void buildFileMenu();
    void buildEditMenu();
    void buildViewMenu();
    void buildGoMenu();
    void buildHelpMenu();
    void buildToolBar();
    std::vector<CommandPalette::Command> commands();

    // main_window_files.cpp
    void chooseFile();
    void onFailed(const QString& path, const QString& sentence);
    void fillRecentMenu(QMenu* menu);
    void exportReport();
    void exportPicture();

    views::ViewState m_state;
    Document m_document;
    History m_history;

    QStackedWidget* m_pages;
    WelcomePage* m_welcome;
    Banner* m_banner;
    ContextBar* m_contextBar;
    DropOverlay* m_dropOverlay;
    CommandPalette* m_palette;
    SessionFinder* m_sessionFinder;
    std::map<QString, views::View*> m_views;
    std::array<QTabWidget*, kPerspectiveCount>
        m_tabs{}; ///< none for a perspective with one view or without views
    std::array<QAction*, kPerspectiveCount> m_perspectiveActions{};
    std::array<QString, kPerspectiveCount> m_shownView; ///< id of the view in front of each perspective
    QDockWidget* m_argumentDock = nullptr;
    QDockWidget* m_selectionDock = nullptr;
    QDockWidget* m_entriesDock = nullptr;
    QDockWidget* m_rangeDock = nullptr;
    Drawers* m_drawers;
    std::map<QString, QAction*> m_actions;
    std::map<QString, QString> m_toolTips; ///< of the actions that can be used
    QList<QMenu*> m_menus;
    QActionGroup* m_themeActions = nullptr;
    std::map<QString, QByteArray> m_layouts; ///< dock states by layoutKey
    QString m_layoutKey;
    QLabel* m_callsStatus;
    QLabel* m_eventsStatus;
    QLabel* m_costStatus;
    bool m_remembers = true;
    bool m_travelling = false; ///< going back or forward: no new history
};

} // namespace retracescope::gui
