#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>

#include <retracescope/base/cancel.h>

namespace retracescope::views {

/// Runs slow work on a snapshot off the GUI thread; only its result reaches the GUI thread. The status bar
/// lists what runs, with progress and Cancel.
class Jobs : public QObject {
    Q_OBJECT

public:
    struct Running {
        int id = 0;
        QString name;
        double share = 0.0;
        QString what;
    };

    explicit Jobs(QObject* parent = nullptr);
    ~Jobs() override; ///< cancels all and waits

    /// `work(const Job&) -> T` runs on a worker; `done(T)` on the GUI thread unless the job was cancelled or
    /// `context` is gone. Returns the job's id.
    template <class Work, class DoneWith>
    int run(const QString& name, QObject* context, Work work, DoneWith done) {
        using T = decltype(work(std::declval<const Job&>()));
        auto result = std::make_shared<std::unique_ptr<T>>();
        return start(
            name, context,
            [result, work = std::move(work)](const Job& job) mutable {
                *result = std::make_unique<T>(work(job));
            },
            [result, done = std::move(done)]() mutable { done(std::move(**result)); });
    }

    void cancel(int id);
    void cancelAll();
    std::vector<Running> running() const;
    bool isRunning(int id) const; ///< false once it has ended or was cancelled
    bool isIdle() const { return m_jobs.empty(); }

Q_SIGNALS:
    void changed(); ///< a job started, ended or told its progress

private:
    struct Entry {
        Running facts;
        Cancel cancel;
    };

    int start(const QString& name, QObject* context, std::function<void(const Job&)> work,
              std::function<void()> done);
    void finish(int id, const QPointer<QObject>& context, bool hadContext, const std::function<void()>& done);
    void progressed(int id, double share, const QString& what);

    QThreadPool m_pool;
    std::vector<Entry> m_jobs;
    int m_nextId = 1;
};

} // namespace retracescope::views
