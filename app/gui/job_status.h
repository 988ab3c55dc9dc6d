#pragma once

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QWidget>

#include "views/shared/jobs.h"

namespace retracescope::gui {

/// What runs, with percent and Cancel, at the right of the status bar; "Ready" if nothing does. Of several
/// jobs the newest is shown and the others are counted; Cancel then offers them all.
class JobStatus : public QWidget {
    Q_OBJECT

public:
    explicit JobStatus(views::Jobs& jobs, QWidget* parent = nullptr);

private:
    void update();
    void onCancel();

    views::Jobs& m_jobs;
    QLabel* m_text;
    QProgressBar* m_bar;
    QToolButton* m_cancel;
};

} // namespace retracescope::gui
