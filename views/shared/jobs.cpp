#include "views/shared/jobs.h"

#include <algorithm>

#include <QMetaObject>

namespace retracescope::views {

Jobs::Jobs(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(std::max(2, QThread::idealThreadCount()));
}

Jobs::~Jobs() {
    cancelAll();
    m_pool.waitForDone();
}

int Jobs::start(const QString& name, QObject* context, std::function<void(const Job&)> work,
                std::function<void()> done) {
    Entry entry;
    entry.facts.id = m_nextId++;
    entry.facts.name = name;
    const int id = entry.facts.id;
    Job job;
    job.cancel = entry.cancel;
    job.progress = [this, id](double share, std::string_view what) {
        const QString text = QString::fromUtf8(what.data(), static_cast<int>(what.size()));
        QMetaObject::invokeMethod(
            this, [this, id, share, text] { progressed(id, share, text); }, Qt::QueuedConnection);
    };
    m_jobs.push_back(std::move(entry));
    const bool hadContext = context != nullptr;
    m_pool.start([this, id, job, work = std::move(work), done = std::move(done), hadContext,
                  context = QPointer<QObject>(context)]() mutable {
        work(job);
        QMetaObject::invokeMethod(
            this,
            [this, id, context, hadContext, done = std::move(done)] {
                finish(id, context, hadContext, done);
            },
            Qt::QueuedConnection);
    });
    Q_EMIT changed();
    return id;
}

void Jobs::finish(int id, const QPointer<QObject>& context, bool hadContext,
                  const std::function<void()>& done) {
    const auto it = std::ranges::find(m_jobs, id, [](const Entry& e) { return e.facts.id; });
    const bool cancelled = it == m_jobs.end() || it->cancel.requested();
    if (it != m_jobs.end())
        m_jobs.erase(it);
    if (!cancelled && (!hadContext || !context.isNull()))
        done();
    Q_EMIT changed();
}

void Jobs::progressed(int id, double share, const QString& what) {
    const auto it = std::ranges::find(m_jobs, id, [](const Entry& e) { return e.facts.id; });
    if (it == m_jobs.end())
        return;
    it->facts.share = share;
    it->facts.what = what;
    Q_EMIT changed();
}

void Jobs::cancel(int id) {
    const auto it = std::ranges::find(m_jobs, id, [](const Entry& e) { return e.facts.id; });
    if (it == m_jobs.end())
        return;
    it->cancel.request();
    m_jobs.erase(it);
    Q_EMIT changed();
}

void Jobs::cancelAll() {
    for (const Entry& entry : m_jobs)
        entry.cancel.request();
    m_jobs.clear();
}

bool Jobs::isRunning(int id) const {
    return std::ranges::any_of(m_jobs, [id](const Entry& e) { return e.facts.id == id; });
}

std::vector<Jobs::Running> Jobs::running() const {
    std::vector<Running> result;
    for (const Entry& entry : m_jobs)
        result.push_back(entry.facts);
    return result;
}

} // namespace retracescope::views
