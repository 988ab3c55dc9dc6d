#pragma once

#include "views/shared/jobs.h"

namespace retracescope::views {

/// The one job of a view: starting it again cancels the one before, whose result never arrives. It ends with
/// the view.
class LatestJob : public QObject {
    Q_OBJECT

public:
    explicit LatestJob(Jobs& jobs, QObject* parent = nullptr);
    ~LatestJob() override { drop(); }

    /// As Jobs::run.
    template <class Work, class DoneWith>
    void run(const QString& name, Work work, DoneWith done) {
        drop();
        m_id = m_jobs->run(name, this, std::move(work), [this, done = std::move(done)](auto result) mutable {
            m_id = -1;
            Q_EMIT ended();
            done(std::move(result));
        });
        Q_EMIT started();
    }

    void drop();   ///< what it would bring is no longer wanted
    void cancel(); ///< the user gave it up, as in the status bar
    bool isRunning() const { return m_id >= 0; }

Q_SIGNALS:
    void started();
    void ended(); ///< with a result, cancelled or dropped
    void cancelled();

private:
    void onChanged();

    QPointer<Jobs> m_jobs; ///< none when they went first, with all that ran
    int m_id = -1;
};

} // namespace retracescope::views
