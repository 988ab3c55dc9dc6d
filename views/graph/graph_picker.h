#pragma once

#include <vector>

#include <QComboBox>

#include "views/shared/latest_job.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Chooses a graph: of the entries, then those that no entry owns. In a session with more entries than a list
/// can hold, those of the shown function. A job reads what tells the entries apart.
class GraphPicker : public QComboBox {
    Q_OBJECT

public:
    explicit GraphPicker(ViewState& state, QWidget* parent = nullptr);

    bool isSettled() const { return !m_job.isRunning(); }
    void follow(); ///< the session or the selection has changed
    void choose(session::GraphId graph);

Q_SIGNALS:
    void picked(const ViewState::ShownGraph& graph);

private:
    struct Pick {
        QString text;
        QString whole; ///< its tooltip
        ViewState::ShownGraph graph;
    };

    static std::vector<Pick> read(const diagnose::Diagnosis& diagnosis, session::FunctionId function,
                                  const Job& job);
    static void readEntries(const diagnose::Diagnosis& diagnosis, session::FunctionId function,
                            std::vector<Pick>& picks);
    void fill(std::vector<Pick> picks);

    ViewState& m_state;
    LatestJob m_job;
    std::vector<Pick> m_picks;
    diagnose::DiagnosisPtr m_of;    ///< whose graphs are listed
    session::FunctionId m_function; ///< whose entries; none: those of all
    session::GraphId m_chosen;
};

} // namespace retracescope::views
