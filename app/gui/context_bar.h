#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>

#include "views/shared/view_state.h"

namespace retracescope::gui {

/// The line under the toolbar: the breadcrumb of the selection, each crumb with its siblings, and the time
/// range.
class ContextBar : public QFrame {
    Q_OBJECT

public:
    explicit ContextBar(views::ViewState& state, QWidget* parent = nullptr);

    void setSessionName(const QString& name); ///< empty: no session is open

    QStringList crumbs() const; ///< as shown, for tests and screen readers

private:
    void rebuild();
    void addCrumb(const QString& text, bool isLast, void (ContextBar::*onClick)(QWidget* crumb));
    void showSession(QWidget* crumb);
    void showFunctions(QWidget* crumb);
    void showEntries(QWidget* crumb);
    void showCalls(QWidget* crumb);
    void updateRange();

    views::ViewState& m_state;
    QString m_session;
    QHBoxLayout* m_crumbs;
    QLabel* m_range;
    QStringList m_texts;
};

} // namespace retracescope::gui
