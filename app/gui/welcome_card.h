#pragma once

#include <QAbstractButton>

#include "app/gui/recent_sessions.h"
#include "views/shared/view_state.h"

namespace retracescope::gui {

/// A large button of the Welcome page: icon, title, key and one line below.
class ActionCard : public QAbstractButton {
    Q_OBJECT

public:
    ActionCard(views::ViewState& state, const QString& iconName, const QString& title, const QString& detail,
               const QString& key, bool primary, QWidget* parent = nullptr);

    QSize sizeHint() const override { return {360, 66}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    views::ViewState& m_state;
    QString m_icon;
    QString m_detail;
    QString m_key;
    bool m_primary;
};

/// One recent session: number, name, what it cost, folder and source, counts, when. A missing file is grey
/// and offers to be located or removed.
class RecentCard : public QAbstractButton {
    Q_OBJECT

public:
    RecentCard(views::ViewState& state, int number, RecentSession session, QWidget* parent = nullptr);

    const RecentSession& session() const { return m_session; }
    bool isMissing() const { return m_missing; }

    QSize sizeHint() const override { return {420, 58}; }

Q_SIGNALS:
    void locateRequested();
    void removeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void paintFrame(QPainter& painter) const;

    views::ViewState& m_state;
    int m_number;
    RecentSession m_session;
    bool m_missing;
};

} // namespace retracescope::gui
