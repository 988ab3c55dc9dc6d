#pragma once

#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>

#include "app/gui/recent_sessions.h"
#include "views/shared/view_state.h"

namespace retracescope::gui {

/// The empty window: what one can do, recent sessions (keys 1 to 9), where to drop files, the terminal lines
/// and the example programs, each a lesson.
class WelcomePage : public QWidget {
    Q_OBJECT

public:
    explicit WelcomePage(views::ViewState& state, QWidget* parent = nullptr);

    void refresh(); ///< reads the recent list again

Q_SIGNALS:
    void openRequested();
    void exampleRequested(const QString& name); ///< empty: the first
    void fileRequested(const QString& path);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeActions();
    QWidget* makeRecent();
    QWidget* makeLessons();
    void locate(const RecentSession& session);
    void choose(int number);

    views::ViewState& m_state;
    QBoxLayout* m_columns; ///< recent sessions and lessons
    QVBoxLayout* m_recentList;
    QPushButton* m_clear = nullptr; ///< there while the list holds something
    std::vector<RecentSession> m_recent;
};

} // namespace retracescope::gui
