#include "app/gui/job_status.h"

#include <QMenu>

#include "views/shared/icons.h"
#include "views/shared/numbers.h"
#include "views/shared/theme.h"

namespace retracescope::gui {

JobStatus::JobStatus(views::Jobs& jobs, QWidget* parent)
    : QWidget(parent), m_jobs(jobs), m_text(new QLabel), m_bar(new QProgressBar), m_cancel(new QToolButton) {
    m_bar->setRange(0, 100);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(120);
    m_bar->setAccessibleName(tr("Progress"));
    m_cancel->setText(tr("Cancel"));
    m_cancel->setObjectName(QStringLiteral("cancelJob"));
    m_cancel->setAccessibleName(tr("Cancel the running work"));
    m_text->setObjectName(QStringLiteral("jobText"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->setSpacing(0);
    layout->addWidget(m_text);
    layout->addWidget(m_bar);
    layout->addWidget(m_cancel);
    connect(&jobs, &views::Jobs::changed, this, &JobStatus::update);
    connect(m_cancel, &QToolButton::clicked, this, &JobStatus::onCancel);
    update();
}

void JobStatus::update() {
    const auto running = m_jobs.running();
    m_bar->setVisible(!running.empty());
    m_cancel->setVisible(!running.empty());
    if (running.empty()) {
        m_text->setText(tr("Ready · no work running"));
        return;
    }
    const views::Jobs::Running& newest = running.back();
    const int percent = static_cast<int>(newest.share * 100);
    QString text = tr("%1: %2 %").arg(newest.name).arg(percent);
    if (!newest.what.isEmpty())
        text += QStringLiteral(" · ") + newest.what;
    if (running.size() > 1)
        text += tr(" · and %1 more").arg(running.size() - 1);
    m_text->setText(text);
    m_bar->setValue(percent);
}

void JobStatus::onCancel() {
    const auto running = m_jobs.running();
    if (running.size() == 1) {
        m_jobs.cancel(running.front().id);
        return;
    }
    QMenu menu(this);
    for (const views::Jobs::Running& job : running)
        menu.addAction(tr("Cancel %1").arg(job.name), this, [this, id = job.id] { m_jobs.cancel(id); });
    menu.exec(m_cancel->mapToGlobal(QPoint(0, 0)));
}

} // namespace retracescope::gui
