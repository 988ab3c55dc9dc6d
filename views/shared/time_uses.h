#pragma once

#include <vector>

#include <QBrush>
#include <QPainter>
#include <QString>

#include <retracescope/diagnose/overview.h>

#include "views/shared/theme.h"

namespace retracescope::views {

/// What a piece of a call's time was for, as the bar of the Summary divides the run.
enum class TimeUse : std::uint8_t {
    Avoidable, ///< tracing that the edits of the findings remove
    Needed,    ///< other tracing
    Failed,    ///< of a trace or a call that failed
    Execute,   ///< the rest of a call
    Untold,    ///< of a call that traced, the source does not say how long
};
inline constexpr std::size_t kTimeUses = 5;

QColor colourOf(TimeUse use, const Theme& theme);
QBrush brushOf(TimeUse use, const Theme& theme); ///< what is not told is hatched

QString timeUseName(TimeUse use);  ///< "avoidable tracing"
QString traceUseName(TimeUse use); ///< of a trace, where the word trace stands beside it: "avoidable"

/// Of a trace that no finding's edit removes.
TimeUse useOfNeeded(const session::Session& session, session::MissId miss);

/// What the traces of a session were for; see useOfNeeded().
class TraceUses {
public:
    explicit TraceUses(const diagnose::Diagnosis& diagnosis);

    TimeUse of(session::MissId miss) const { return m_uses[miss.value]; }

private:
    std::vector<TimeUse> m_uses; ///< by MissId
};

/// A swatch and a text for each use.
struct UseLabel {
    TimeUse use = TimeUse::Needed;
    QString text;
};

int widthOf(const std::vector<UseLabel>& labels, const QFontMetrics& metrics);

/// From `left` on one line whose middle is at `middle`, in the painter's font.
void paintUses(QPainter& painter, QPoint leftMiddle, const std::vector<UseLabel>& labels, const Theme& theme);

} // namespace retracescope::views
