#pragma once

#include <QLabel>
#include <QPointer>
#include <QStackedWidget>

#include "views/shared/latest_job.h"
#include "views/shared/view.h"
#include "views/timeline/timeline_model.h"

namespace retracescope::views {

class EmptyPanel;
class Link;
class RangePanel;
class TimelineCanvas;
class TimelineLegend;

/// When every call hit, missed and traced, and what ran meanwhile.
class TimelineView : public View {
    Q_OBJECT

public:
    explicit TimelineView(ViewState& state, QWidget* parent = nullptr);

    bool isSettled() const override;
    TimelineCanvas& canvas() { return *m_canvas; }

    /// The sums of the selected range. The view feeds it; a dock shows it and owns it then.
    RangePanel* rangePanel();

private:
    void onDiagnosis();
    void onModel(const TimelineModelPtr& model);
    void applyFilter();
    void updateFacts();

    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
    TimelineCanvas* m_canvas;
    TimelineLegend* m_legend;
    QPointer<RangePanel> m_range;
    std::vector<std::size_t> m_filtered; ///< lanes that the filter hides
    QLabel* m_facts;
    Link* m_hidden; ///< shows hidden lanes again
    QLabel* m_keys;
    LatestJob m_job; ///< building the model
};

} // namespace retracescope::views
