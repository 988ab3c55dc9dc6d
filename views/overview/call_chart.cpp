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
constexpr double kWidestColumn = 48.0;

} // namespace

CallChart::CallChart(ViewState& state, QWidget* parent) : QWidget(parent), m_state(state) {
    setMinimumHeight(84);
    setMaximumHeight(180);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&state, &ViewState::themeChanged, this, [this] { update(); });
    connect(&state, &ViewState::selectionChanged, this, [this] { update(); });
}

void CallChart::setFunction(session::FunctionId function) {
    m_function = function;
    update();
}

double CallChart::columnWidth(std::size_t columns) const {
    return std::min(kWidestColumn, static_cast<double>(width() - 2 - kAxisWidth) /
                                       static_cast<double>(std::max<std::size_t>(1, columns)));
}

std::vector<CallChart::Column> CallChart::columns() const {
    if (!m_function.isValid() || m_state.session() == nullptr)
        return {};
    const auto& calls = m_state.diagnosis()->index.callsOfFunction[m_function.value];
    const session::CallTable& table = m_state.session()->calls;
    const std::size_t room = static_cast<std::size_t>(std::max(1, width() - 2 - kAxisWidth)) / 2;
    std::vector<Column> result(std::min(room, calls.size()));
    for (std::size_t i = 0; i < calls.size(); ++i) {
        Column& column = result[i * result.size() / calls.size()];
        const auto row = calls[i].value;
        column.hasSelected = column.hasSelected || m_state.selection().call == calls[i];
        if (table.durationNs[row] >= column.totalNs)
            column = {calls[i], table.durationNs[row], std::max<std::int64_t>(table.traceNs[row], 0),
                      column.hasSelected};
    }
    return result;
}

session::CallId CallChart::callAt(int x) const {
    const std::vector<Column> all = columns();
    const double position = (x - 1) / columnWidth(all.size());
    return position >= 0 && position < static_cast<double>(all.size())
               ? all[static_cast<std::size_t>(position)].longest
               : session::CallId();
}

/// Of what a call took beside its tracing.
QColor CallChart::restColour(session::CallId call) const {
    const Theme& theme = m_state.theme();
    const session::Session& session = *m_state.session();
    if (session.calls.outcome[call.value] == session::Outcome::Error)
        return theme.error.fill;
    const bool isUntold = session.calls.traceNs[call.value] == session::kNotRecorded &&
                          session::tracedWithoutMiss(session, m_state.diagnosis()->index, call);
    return isUntold ? theme.expected.fill : theme.execute.fill;
}

void CallChart::paintEvent(QPaintEvent*) {
    const Theme& theme = m_state.theme();
    QPainter painter(this);
    painter.fillRect(rect(), theme.raised);
    painter.setPen(theme.line);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    const std::vector<Column> all = columns();
    std::int64_t tallest = 0;
    for (const Column& column : all)
        tallest = std::max(tallest, column.totalNs);
    if (tallest == 0)
        return;
    const int bottom = height() - 1;
    const double scale = static_cast<double>(height() - 14) / static_cast<double>(tallest);
    const double step = columnWidth(all.size());
    const int bar = std::max(1, static_cast<int>(step) - (step > 3 ? 1 : 0));
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
        painter.fillRect(QRect(x, bottom - total, bar, trace), theme.miss.fill);
        painter.fillRect(QRect(x, bottom - total + trace, bar, total - trace), restColour(all[i].longest));
        if (all[i].hasSelected) {
            painter.setPen(QPen(theme.accent, 2));
            painter.drawRect(QRect(x - 1, bottom - total - 2, bar + 2, total + 2));
        }
    }
}

void CallChart::mousePressEvent(QMouseEvent* event) {
    if (const session::CallId call = callAt(static_cast<int>(event->position().x())); call.isValid())
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
