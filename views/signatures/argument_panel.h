#pragma once

#include <QVBoxLayout>
#include <QWidget>

#include "views/models/key_components.h"
#include "views/shared/latest_job.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// The chosen component of the shown function's key: its values, how often it was in the way, and the edit
/// that removes its traces.
class ArgumentPanel : public QWidget {
    Q_OBJECT

public:
    explicit ArgumentPanel(ViewState& state, QWidget* parent = nullptr);

    bool isSettled() const { return !m_job.isRunning(); }

private:
    void rebuild();
    void present(const std::optional<ArgumentFacts>& facts);
    void addHead(const KeyComponent& component);
    void addFacts(const ArgumentFacts& facts);
    void addEdit(const diagnose::Finding& finding);
    const diagnose::Finding* finding() const; ///< the first that names the component

    ViewState& m_state;
    QVBoxLayout* m_content;
    LatestJob m_job;
};

} // namespace retracescope::views
