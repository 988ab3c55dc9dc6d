#pragma once

#include <QLabel>
#include <QTimer>

#include "views/shared/latest_job.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Says above a view what its job does, with Cancel, as soon as that takes long enough to be noticed.
class BusyStrip : public QWidget {
    Q_OBJECT

public:
    BusyStrip(ViewState& state, LatestJob& job, QWidget* parent = nullptr);

    void setText(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ViewState& m_state;
    QLabel* m_text;
    QTimer m_delay;
};

} // namespace retracescope::views
