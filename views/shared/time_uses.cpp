#include "views/shared/time_uses.h"

#include <QCoreApplication>

namespace retracescope::views {

namespace {

constexpr int kSwatch = 8;
constexpr int kAfterSwatch = 5;
constexpr int kBetween = 14;

QString tr(const char* text) {
    return QCoreApplication::translate("TimeUses", text);
}

} // namespace

QColor colourOf(TimeUse use, const Theme& theme) {
    switch (use) {
    case TimeUse::Avoidable:
        return theme.miss.fill;
    case TimeUse::Failed:
        return theme.error.fill;
    case TimeUse::Execute:
        return theme.execute.fill;
    case TimeUse::Needed:
    case TimeUse::Untold:
        break;
    }
    return theme.expected.fill;
}

QBrush brushOf(TimeUse use, const Theme& theme) {
    return {colourOf(use, theme), use == TimeUse::Untold ? Qt::BDiagPattern : Qt::SolidPattern};
}

QString timeUseName(TimeUse use) {
    switch (use) {
    case TimeUse::Avoidable:
        return tr("avoidable tracing");
    case TimeUse::Needed:
        return tr("needed tracing");
    case TimeUse::Failed:
        return tr("failed");
    case TimeUse::Untold:
        return tr("call, tracing included");
    case TimeUse::Execute:
        break;
    }
    return tr("call without tracing");
}

QString traceUseName(TimeUse use) {
    return use == TimeUse::Avoidable ? tr("avoidable") : use == TimeUse::Failed ? tr("failed") : tr("needed");
}

TimeUse useOfNeeded(const session::Session& session, session::MissId miss) {
    return session::leftNothing(session, session[miss]) ? TimeUse::Failed : TimeUse::Needed;
}

TraceUses::TraceUses(const diagnose::Diagnosis& diagnosis) {
    const session::Session& session = *diagnosis.session;
    m_uses.reserve(session.misses.size());
    for (std::size_t row = 0; row < session.misses.size(); ++row)
        m_uses.push_back(useOfNeeded(session, session::MissId(row)));
    for (const diagnose::Finding& finding : diagnosis.findings) {
        for (const session::MissId miss : finding.avoidable)
            m_uses[miss.value] = TimeUse::Avoidable;
    }
}

int widthOf(const std::vector<UseLabel>& labels, const QFontMetrics& metrics) {
    int width = 0;
    for (const UseLabel& label : labels)
        width += kSwatch + kAfterSwatch + metrics.horizontalAdvance(label.text) + kBetween;
    return std::max(0, width - kBetween);
}

void paintUses(QPainter& painter, QPoint leftMiddle, const std::vector<UseLabel>& labels,
               const Theme& theme) {
    const QFontMetrics metrics(painter.font());
    QPoint at = leftMiddle;
    for (const UseLabel& label : labels) {
        painter.fillRect(QRect(at.x(), at.y() - kSwatch / 2, kSwatch, kSwatch), brushOf(label.use, theme));
        painter.setPen(theme.muted);
        const int width = metrics.horizontalAdvance(label.text);
        painter.drawText(QRect(at.x() + kSwatch + kAfterSwatch, at.y() - metrics.height() / 2, width + 1,
                               metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, label.text);
        at.rx() += kSwatch + kAfterSwatch + width + kBetween;
    }
}

} // namespace retracescope::views
