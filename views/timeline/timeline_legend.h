#pragma once

#include <QWidget>

#include "views/shared/view_state.h"
#include "views/timeline/timeline_model.h"

namespace retracescope::views {

/// What the glyphs and colours of the timeline mean: those that occur in the session.
class TimelineLegend : public QWidget {
    Q_OBJECT

public:
    explicit TimelineLegend(ViewState& state, QWidget* parent = nullptr);

    void setModel(const TimelineModelPtr& model);

    QSize sizeHint() const override { return {400, 24}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void findWork(const TimelineModel& model);

    ViewState& m_state;
    std::vector<Glyph> m_glyphs;
    std::vector<Phase> m_phases;
    /// What the bars on threads and streams are.
    enum class Work : std::uint8_t { Call, Kernel, Copy, Other };
    std::vector<Work> m_work;
    std::vector<session::FunctionId> m_functions; ///< with calls on a thread
    QString m_function;                           ///< name of the only one
};

} // namespace retracescope::views
