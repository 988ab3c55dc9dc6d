#include "views/timeline/timeline_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "views/shared/empty_panel.h"
#include "views/shared/numbers.h"
#include "views/shared/widgets.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_legend.h"

namespace retracescope::views {

TimelineView::TimelineView(ViewState& state, QWidget* parent)
    : View(state, QStringLiteral("timeline"), tr("Retrace timeline"), parent), m_pages(new QStackedWidget),
      m_empty(new EmptyPanel(state, id())), m_canvas(new TimelineCanvas(state, this)),
      m_legend(new TimelineLegend(state, this)), m_range(new RangePanel(state, this)),
      m_facts(makeLabel({}, "caption", this)), m_hidden(new Link({}, this)),
      m_keys(new ElidedLabel(
          tr("W/S zoom · A/D pan · F fit selection · N next trace · P pin · H hide · Shift+drag measure"),
          "caption", this)),
      m_job(state.jobs()) {
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 4, 12, 2);
    foot->addWidget(m_facts);
    foot->addWidget(m_hidden);
    foot->addStretch(1);
    m_range->hide(); // until a dock takes it
    foot->addWidget(m_keys);
    auto* page = new QWidget;
    m_pages->addWidget(page);
    m_pages->addWidget(m_empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_canvas, 1);
    column->addLayout(foot);
    column->addWidget(m_legend);
    setFocusProxy(m_canvas);
    connect(m_canvas, &TimelineCanvas::viewChanged, this, &TimelineView::updateFacts);
    connect(m_hidden, &Link::clicked, this, [this] {
        this->state().setFilter({});
        m_canvas->showHiddenLanes();
    });
    connect(&state, &ViewState::filterChanged, this, &TimelineView::applyFilter);
    connect(m_range, &RangePanel::zoomWanted, m_canvas, [this](const TimeRange& range) {
        m_canvas->showRange(static_cast<double>(range.beginNs), static_cast<double>(range.endNs));
    });
    connect(&state, &ViewState::diagnosisChanged, this, &TimelineView::onDiagnosis);
    connect(&m_job, &LatestJob::cancelled, this, [this] {
        m_canvas->setNotice(
            tr("Ordering the events was cancelled. Open the session again to see its timeline."));
    });
    onDiagnosis();
}

void TimelineView::onDiagnosis() {
    m_job.drop();
    m_canvas->setModel(nullptr);
    m_legend->setModel(nullptr);
    if (m_range)
        m_range->setModel(nullptr);
    updateFacts();
    const bool empty =
        !state().diagnosis() || (state().session()->eventCount() == 0 && state().session()->misses.empty());
    m_pages->setCurrentIndex(empty ? 1 : 0);
    if (empty) {
        m_empty->setMissing(tr("Nothing in this file has a time."));
        return;
    }
    m_canvas->setNotice(tr("Ordering %1.")
                            .arg(pluralText(static_cast<std::int64_t>(state().session()->eventCount()),
                                            tr("event"), tr("events"))));
    m_job.run(
        tr("Ordering events"),
        [diagnosis = state().diagnosis()](const Job& job) { return buildTimeline(diagnosis, job); },
        [this](const TimelineModelPtr& model) { onModel(model); });
}

void TimelineView::onModel(const TimelineModelPtr& model) {
    m_canvas->setModel(model);
    m_legend->setModel(model);
    if (m_range)
        m_range->setModel(model);
    m_filtered.clear();
    applyFilter();
    updateFacts();
}

/// Hides the lanes of functions that the filter leaves out, and shows again those that it hid before.
void TimelineView::applyFilter() {
    const TimelineModelPtr& model = m_canvas->model();
    if (!model)
        return;
    std::vector<std::size_t> filtered;
    for (std::size_t lane = 0; lane < model->lanes.size(); ++lane) {
        if (model->lanes[lane].kind == TimelineLaneKind::Function &&
            !state().filter().shows(*model->diagnosis, model->lanes[lane].function))
            filtered.push_back(lane);
    }
    m_canvas->hideInstead(m_filtered, filtered);
    m_filtered = std::move(filtered);
}

RangePanel* TimelineView::rangePanel() {
    return m_range;
}

bool TimelineView::isSettled() const {
    return !m_job.isRunning() && (!m_range || m_range->isSettled());
}

/// "6.00 s of 42.7 s · 9 lanes", and what is not shown.
void TimelineView::updateFacts() {
    const TimelineModelPtr& model = m_canvas->model();
    const std::size_t hidden = model ? m_canvas->display().hidden() : 0;
    m_hidden->setVisible(hidden > 0);
    m_hidden->setWhole(
        tr("%1 hidden: show").arg(pluralText(static_cast<std::int64_t>(hidden), tr("lane"), tr("lanes"))));
    if (!model) {
        m_facts->clear();
        return;
    }
    const session::Session& session = model->session();
    const double shown = m_canvas->scale().endNs - m_canvas->scale().beginNs;
    const std::int64_t whole = session.endNs - session.originNs;
    QString text =
        tr("%1 of %2 · %3")
            .arg(durationText(std::min(static_cast<std::int64_t>(shown), whole)), durationText(whole),
                 pluralText(static_cast<std::int64_t>(model->lanes.size()), tr("lane"), tr("lanes")));
    if (model->emptyLanes > 0)
        text += tr(" · %1 without events left out").arg(model->emptyLanes);
    if (session.writer == session::WriterState::Running)
        text += tr(" · the recording is still running: open it again to see more");
    else if (!session.closedProperly)
        text += tr(" · the recording was not closed: it ends with what was written last");
    m_facts->setText(text);
}

} // namespace retracescope::views
