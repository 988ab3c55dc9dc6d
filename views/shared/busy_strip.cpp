#include "views/shared/busy_strip.h"

#include <QHBoxLayout>
#include <QPaintEvent>
#include <QPainter>
#include <QPushButton>

#include "views/shared/widgets.h"

namespace retracescope::views {

namespace {

constexpr int kShowAfterMs = 200;

} // namespace

BusyStrip::BusyStrip(ViewState& state, LatestJob& job, QWidget* parent)
    : QWidget(parent), m_state(state), m_text(new ElidedLabel) {
    auto* cancel = new QPushButton(tr("Cancel"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(kMargin, 4, kMargin, 4);
    row->addWidget(m_text, 1);
    row->addWidget(cancel);
    hide();
    m_delay.setSingleShot(true);
    m_delay.setInterval(kShowAfterMs);
    connect(&m_delay, &QTimer::timeout, this, &QWidget::show);
    connect(&job, &LatestJob::started, &m_delay, qOverload<>(&QTimer::start));
    connect(&job, &LatestJob::ended, this, [this] {
        m_delay.stop();
        hide();
    });
    connect(cancel, &QPushButton::clicked, &job, &LatestJob::cancel);
}

void BusyStrip::setText(const QString& text) {
    m_text->setText(text);
}

/// A palette would not outlast a change of the style sheet.
void BusyStrip::paintEvent(QPaintEvent* event) {
    QPainter(this).fillRect(event->rect(), m_state.theme().accentTint);
}

} // namespace retracescope::views
