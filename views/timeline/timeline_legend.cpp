#include "views/timeline/timeline_legend.h"

#include <algorithm>
#include <set>

#include <QPainter>

#include "views/shared/numbers.h"
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
    m_work.clear();
    m_functions.clear();
    m_function.clear();
    if (model)
        findWork(*model);
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
    for (const Phase phase :
         {Phase::Execute, Phase::Untold, Phase::Failed, Phase::Trace, Phase::Optimise, Phase::FirstRun}) {
        if (seen[static_cast<std::size_t>(phase)])
            m_phases.push_back(phase);
    }
    setVisible(!m_glyphs.empty() || !m_phases.empty() || !m_work.empty());
    update();
}

/// Bars whose colour no phase has.
void TimelineLegend::findWork(const TimelineModel& model) {
    std::set<Work> work;
    const Theme& theme = m_state.theme();
    for (const session::EventCategory& category : model.pyramid.index.categories) {
        const QColor colour = colourOf(model.session(), category, theme);
        if (category.kind == session::EventKind::Kernel)
            work.insert(colour == theme.warning.fill ? Work::Copy : Work::Kernel);
        else if (category.kind == session::EventKind::Call)
            m_functions.push_back(category.function);
        else if (colour != theme.miss.fill && colour != theme.optimise && colour != theme.execute.fill)
            work.insert(Work::Other);
    }
    std::ranges::sort(m_functions);
    const auto rest = std::ranges::unique(m_functions);
    m_functions.erase(rest.begin(), rest.end());
    if (!m_functions.empty())
        work.insert(Work::Call);
    if (m_functions.size() == 1)
        m_function = toQString(model.session().text(model.session()[m_functions.front()].name));
    m_work.assign(work.begin(), work.end());
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
    const auto swatches = [&](const std::vector<QColor>& colours, const QString& text) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        for (const QColor& colour : colours) {
            painter.setBrush(colour);
            painter.drawRoundedRect(QRectF(x, middle - 5, 10, 10), 2, 2);
            x += 11;
        }
        x += 4;
        label(text);
    };
    for (const Phase phase : m_phases)
        swatches({colourOfPhase(phase, theme)}, phaseName(phase));
    for (const Work work : m_work) {
        if (work == Work::Kernel)
            swatches({theme.kernel.fill}, tr("kernel"));
        else if (work == Work::Copy)
            swatches({theme.warning.fill}, tr("copy"));
        else if (work == Work::Other)
            swatches({theme.categories[2], theme.categories[3]}, tr("other work, by name"));
        else if (m_functions.size() == 1)
            swatches({colourOfFunction(m_functions.front(), theme)},
                     tr("call of %1").arg(metrics.elidedText(m_function, Qt::ElideMiddle, 160)));
        else
            swatches({colourOfFunction(m_functions[0], theme), colourOfFunction(m_functions[1], theme)},
                     tr("call, by function"));
    }
}

} // namespace retracescope::views
