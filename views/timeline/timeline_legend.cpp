#include "views/timeline/timeline_legend.h"

#include <QPainter>

#include "views/timeline/lane_colours.h"

namespace retracescope::views {

TimelineLegend::TimelineLegend(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setAccessibleName(tr("Legend"));
    setFixedHeight(24);
    connect(&state, &ViewState::themeChanged, this, qOverload<>(&QWidget::update));
}

void TimelineLegend::setModel(const TimelineModelPtr& model) {
    m_glyphs.clear();
    m_phases.clear();
    m_kernels = model && model->session().kernels.size() > 0;
    for (std::size_t g = 0; model && g < kGlyphs; ++g) {
        const bool occurs = std::ranges::any_of(
            model->lanes, [&](const TimelineLane& lane) { return !lane.glyphs[g].timeNs.empty(); });
        if (occurs)
            m_glyphs.push_back(static_cast<Glyph>(g));
    }
    std::array<bool, kPhases> seen{};
    for (std::size_t lane = 0; model && lane < model->lanes.size(); ++lane) {
        if (model->lanes[lane].kind != TimelineLaneKind::Function)
            continue;
        for (const session::LaneRow* row : model->lanes[lane].rows) {
            for (const session::CategoryId category : row->category)
                seen[category.value] = true;
        }
    }
    for (const Phase phase : {Phase::Execute, Phase::Trace, Phase::Optimise, Phase::FirstRun}) {
        if (seen[static_cast<std::size_t>(phase)])
            m_phases.push_back(phase);
    }
    setVisible(!m_glyphs.empty() || !m_phases.empty() || m_kernels);
    update();
}

void TimelineLegend::paintEvent(QPaintEvent* event) {
    Q_UNUSED(event);
    QPainter painter(this);
    const Theme& theme = m_state.theme();
    painter.fillRect(rect(), theme.raised);
    painter.setFont(textFont(TextSize::Caption));
    const QFontMetrics metrics(painter.font());
    const double middle = height() / 2.0;
    double x = 12;
    const auto label = [&](const QString& text) {
        painter.setPen(theme.text);
        painter.drawText(QPointF(x, middle + metrics.ascent() / 2.0 - 1), text);
        x += metrics.horizontalAdvance(text) + 18;
    };
    for (const Glyph glyph : m_glyphs) {
        paintGlyph(painter, glyph, QPointF(x + 5, middle), 10, theme);
        x += 15;
        label(glyphWord(glyph));
    }
    const auto swatch = [&](const QColor& colour, const QString& text) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawRoundedRect(QRectF(x, middle - 5, 10, 10), 2, 2);
        x += 15;
        label(text);
    };
    const QString names[kPhases] = {tr("tracing"), tr("graph optimisation"), tr("slower first run"),
                                    tr("execute")};
    for (const Phase phase : m_phases)
        swatch(colourOfPhase(phase, theme), names[static_cast<std::size_t>(phase)]);
    if (m_kernels)
        swatch(theme.kernel.fill, tr("kernel"));
}

} // namespace retracescope::views
