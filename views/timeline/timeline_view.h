#pragma once

#include <QLabel>
#include <QStackedWidget>

#include "views/shared/view.h"
#include "views/timeline/timeline_model.h"

namespace retracescope::views {

class EmptyPanel;
class TimelineCanvas;
class TimelineLegend;

/// When every call hit, missed and traced, and what ran meanwhile.
class TimelineView : public View {
    Q_OBJECT

public:
    explicit TimelineView(ViewState& state, QWidget* parent = nullptr);
    ~TimelineView() override;

    bool isSettled() const override { return m_job < 0; }
    TimelineCanvas& canvas() { return *m_canvas; }

private:
    void onDiagnosis();
    void onModel(const TimelineModelPtr& model);
    void updateFacts();

    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
    TimelineCanvas* m_canvas;
    TimelineLegend* m_legend;
    QLabel* m_facts;
    QLabel* m_keys;
    int m_job = -1; ///< building the model, or -1
};

} // namespace retracescope::views
