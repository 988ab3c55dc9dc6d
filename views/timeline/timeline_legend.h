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
    ViewState& m_state;
    std::vector<Glyph> m_glyphs;
    std::vector<Phase> m_phases;
    bool m_kernels = false;
};

} // namespace retracescope::views
