#include "views/overview/call_chart.h"

#include <algorithm>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "views/shared/glyphs.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr int kAxisWidth = 64;
constexpr int kLegendLine = 20;
constexpr double kWidestColumn = 48.0;

} // namespace

CallChart::CallChart(ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_job(state.jobs()) {
    setMinimumHeight(84 + kLegendLine);
    setMaximumHeight(180 + kLegendLine);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
    connect(&state, &ViewState::selectionChanged, this, [this] { update(); });
    connect(&state, &ViewState::diagnosisChanged, this, [this] { setFunction({}); });
}

void CallChart::setFunction(session::FunctionId function) {
    if (function == m_function)
        return;
    m_function = function;
    m_columns = {};
    build();
}

std::size_t CallChart::room() const {
    return static_cast<std::size_t>(std::max(1, width() - 2 - kAxisWidth)) / 2;
}

/// Until they come, the columns of another width serve.
void CallChart::build() {
    m_job.drop();
    m_room = room();
    update();
    if (!m_function.isValid() || m_state.session() == nullptr)
        return;
    m_job.run(
        tr("Reading the time of calls"),
        [diagnosis = m_state.diagnosis(), function = m_function, most = m_room](const Job& job) {
            return columnsOf(*diagnosis, function, most, job);
        },
        [this](CallColumns columns) {
            m_columns = std::move(columns);
            update();
        });
}

void CallChart::resizeEvent(QResizeEvent*) {
    const bool isWhole = m_columns.calls > 0 && m_columns.calls == m_columns.columns.size();
    if (room() != m_room && !(isWhole && room() >= m_columns.calls))
        build();
}

double CallChart::columnWidth(std::size_t columns) const {
    return std::min(kWidestColumn, static_cast<double>(width() - 2 - kAxisWidth) /
                                       static_cast<double>(std::max<std::size_t>(1, columns)));
}

session::CallId CallChart::callAt(int x) const {
    const std::vector<CallColumn>& all = m_columns.columns;
    const double position = (x - 1) / columnWidth(all.size());
    return position >= 0 && position < static_cast<double>(all.size())
               ? all[static_cast<std::size_t>(position)].longest
               : session::CallId();
}

/// The column of the selected call, if it is one of the function.
std::optional<std::size_t> CallChart::selectedColumn() const {
    const session::CallId selected = m_state.selection().call;
    if (!selected.isValid() || m_state.session()->calls.function[selected.value] != m_function)
        return std::nullopt;
    const auto& calls = m_state.diagnosis()->index.callsOfFunction[m_function.value];
    const auto number = [&](session::CallId call) { return m_state.session()->calls.number[call.value]; };
    const auto at = std::ranges::lower_bound(calls, number(selected), {}, number);
    return m_columns.columnOf(static_cast<std::size_t>(at - calls.begin()));
}

std::vector<UseLabel> CallChart::legend() const {
    std::vector<UseLabel> labels;
    const std::bitset<kTimeUses> uses = m_columns.uses();
    for (std::size_t use = 0; use < kTimeUses; ++use) {
        if (uses[use])
            labels.push_back({static_cast<TimeUse>(use), timeUseName(static_cast<TimeUse>(use))});
    }
    return labels;
}

QStringList CallChart::legendTexts() const {
    QStringList texts;
    for (const UseLabel& label : legend())
        texts += label.text;
    return texts;
}

void CallChart::paintEvent(QPaintEvent*) {
    const Theme& theme = m_state.theme();
    QPainter painter(this);
    const QRect plot = rect().adjusted(0, 0, 0, -kLegendLine);
    painter.fillRect(plot, theme.raised);
    painter.setPen(theme.line);
    painter.drawRect(plot.adjusted(0, 0, -1, -1));
    const std::vector<CallColumn>& all = m_columns.columns;
    std::int64_t tallest = 0;
    for (const CallColumn& column : all)
        tallest = std::max(tallest, column.totalNs);
    if (tallest == 0)
        return;
    const int bottom = plot.height() - 1;
    const double scale = static_cast<double>(plot.height() - 14) / static_cast<double>(tallest);
    const double step = columnWidth(all.size());
    const int bar = std::max(1, static_cast<int>(step) - (step > 3 ? 1 : 0));
    const std::optional<std::size_t> selected = selectedColumn();
    painter.setFont(textFont(TextSize::Axis));
    for (const double share : {0.5, 1.0}) {
        const int y = bottom - static_cast<int>(static_cast<double>(tallest) * share * scale);
        painter.setPen(QPen(theme.line, 1, Qt::DotLine));
        painter.drawLine(1, y, width() - kAxisWidth, y);
        painter.setPen(theme.muted);
        painter.drawText(QRect(width() - kAxisWidth, y - 7, kAxisWidth - 6, 14),
                         Qt::AlignRight | Qt::AlignVCenter,
                         durationText(static_cast<std::int64_t>(static_cast<double>(tallest) * share)));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int x = 1 + static_cast<int>(static_cast<double>(i) * step);
        const int total = std::max(1, static_cast<int>(static_cast<double>(all[i].totalNs) * scale));
        const int trace = static_cast<int>(static_cast<double>(all[i].traceNs) * scale);
        painter.fillRect(QRect(x, bottom - total, bar, trace), brushOf(all[i].tracing, theme));
        painter.fillRect(QRect(x, bottom - total + trace, bar, total - trace), brushOf(all[i].rest, theme));
        if (selected == i) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawRect(QRect(x - 1, bottom - total - 2, bar + 2, total + 2));
        }
    }
    paintUses(painter, QPoint(1, height() - kLegendLine / 2 + 1), legend(), theme);
}

void CallChart::mousePressEvent(QMouseEvent* event) {
    const session::CallId call = callAt(static_cast<int>(event->position().x()));
    if (call.isValid() && event->position().y() < height() - kLegendLine)
        m_state.selectCall(call);
}

bool CallChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const session::CallId call = callAt(help->x());
    if (!call.isValid()) {
        QToolTip::hideText();
        return true;
    }
    const session::Session& session = *m_state.session();
    const session::MissId miss = m_state.diagnosis()->index.missOfCall[call.value];
    QString text =
        tr("call %1, %2, %3")
            .arg(countText(session.calls.number[call.value]), glyphWord(glyphOfCall(session, call, miss)),
                 durationText(session.calls.durationNs[call.value]));
    if (miss.isValid())
        text += QLatin1Char('\n') + toQString(m_state.diagnosis()->explanations[miss.value].sentence);
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace retracescope::views
