#include "views/shared/latest_job.h"

namespace retracescope::views {

LatestJob::LatestJob(Jobs& jobs, QObject* parent) : QObject(parent), m_jobs(&jobs) {
    connect(&jobs, &Jobs::changed, this, &LatestJob::onChanged);
}

void LatestJob::drop() {
    if (m_id < 0)
        return;
    const int id = m_id;
    m_id = -1;
    if (m_jobs)
        m_jobs->cancel(id);
    Q_EMIT ended();
}

void LatestJob::cancel() {
    if (m_id >= 0)
        m_jobs->cancel(m_id);
}

void LatestJob::onChanged() {
    if (m_id < 0 || m_jobs->isRunning(m_id))
        return;
    m_id = -1;
    Q_EMIT ended();
    Q_EMIT cancelled();
}

} // namespace retracescope::views
