#include "views/timeline/timeline_canvas.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace retracescope::views {

namespace {

constexpr int kTipDelayMs = 80;     // ms, so that a tip feels immediate
constexpr double kMostPinned = 0.4; // of the lanes' area

} // namespace

TimelineCanvas::TimelineCanvas(ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_bar(new QScrollBar(Qt::Vertical, this)) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Retrace timeline"));
    m_painter.setTheme(state.theme());
    m_tipTimer.setSingleShot(true);
    m_tipTimer.setInterval(kTipDelayMs);
    connect(&m_tipTimer, &QTimer::timeout, this, &TimelineCanvas::showTip);
    connect(m_bar, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    connect(&state, &ViewState::selectionChanged, this, &TimelineCanvas::onSelection);
    connect(&state, &ViewState::themeChanged, this, [this] {
        m_painter.setTheme(m_state.theme());
        update();
    });
}

void TimelineCanvas::setModel(TimelineModelPtr model) {
    m_model = std::move(model);
    m_painter.setModel(m_model);
    m_display = m_model ? LaneDisplay(*m_model) : LaneDisplay();
    m_undo.clear();
    m_redo.clear();
    relayout();
    m_bar->setValue(0);
    showAll();
    if (m_model)
        onSelection();
}

void TimelineCanvas::setNotice(const QString& notice) {
    m_notice = notice;
    update();
}

double TimelineCanvas::areaWidth() const {
    return std::max(50.0, double(width()) - kHeaderWidth - (m_bar->isVisibleTo(this) ? m_bar->width() : 0));
}

TimelineFrame TimelineCanvas::frame() const {
    return {m_scale, m_bar->value(), m_stack.pinnedHeight(), size(), m_state.selection()};
}

void TimelineCanvas::relayout() {
    const int area = std::max(1, height() - kTopHeight);
    m_stack = m_model ? LaneStack(*m_model, m_display, static_cast<int>(area * kMostPinned)) : LaneStack();
    m_bar->setRange(0, std::max(0, m_stack.height() - area));
    m_bar->setPageStep(area);
    m_bar->setSingleStep(kBarStep);
    m_bar->setVisible(m_bar->maximum() > 0);
    const int wide = m_bar->sizeHint().width();
    m_bar->setGeometry(width() - wide, kTopHeight, wide, area);
    m_scale.width = areaWidth();
    update();
}

void TimelineCanvas::resizeEvent(QResizeEvent* event) {
    Q_UNUSED(event);
    relayout();
    Q_EMIT viewChanged();
}

void TimelineCanvas::setScale(const layout::TimeScale& scale) {
    if (scale == m_scale)
        return;
    m_scale = scale;
    Q_EMIT viewChanged();
    update();
}

void TimelineCanvas::showRange(double beginNs, double endNs) {
    if (m_model)
        setScale(layout::clamped({beginNs, endNs, areaWidth()}, m_model->firstNs(), m_model->lastNs()));
}

void TimelineCanvas::showAll() {
    if (m_model)
        showRange(m_model->firstNs(), m_model->lastNs());
}

void TimelineCanvas::zoomBy(double factor, double x) {
    setScale(
        zoomed(m_scale, factor, std::clamp(x, 0.0, m_scale.width), m_model->firstNs(), m_model->lastNs()));
}

void TimelineCanvas::panBy(double pixels) {
    setScale(panned(m_scale, pixels, m_model->firstNs(), m_model->lastNs()));
}

void TimelineCanvas::scrollBy(int pixels) {
    m_bar->setValue(m_bar->value() + pixels);
}

void TimelineCanvas::paintEvent(QPaintEvent* event) {
    Q_UNUSED(event);
    QPainter painter(this);
    if (m_model && !m_model->lanes.empty()) {
        m_painter.paint(painter, frame(), m_stack);
        return;
    }
    painter.fillRect(rect(), m_state.theme().view);
    painter.setPen(m_state.theme().muted);
    painter.setFont(textFont(TextSize::Strong));
    painter.drawText(rect().adjusted(40, 0, -40, 0), Qt::AlignCenter | Qt::TextWordWrap, m_notice);
}

} // namespace retracescope::views
