#pragma once

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>

#include "app/gui/filter_chips.h"

namespace retracescope::gui {

/// The line under the toolbar: the breadcrumb of the selection, each crumb with its siblings, the filters,
/// and the time range.
class ContextBar : public QFrame {
    Q_OBJECT

public:
    explicit ContextBar(views::ViewState& state, QWidget* parent = nullptr);

    void setSessionName(const QString& name); ///< empty: no session is open

    FilterChips& chips() const { return *m_chips; }
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
    FilterChips* m_chips;
    QLabel* m_range;
    QStringList m_texts;
};

} // namespace retracescope::gui
