#pragma once

#include <vector>

#include <QFontMetricsF>
#include <QString>

#include <retracescope/layout/time_scale.h>

namespace retracescope::views {

/// The name, or as much of it as still tells it from others; empty where `room` pixels hold less than that.
QString nameThatFits(const QFontMetricsF& metrics, const QString& name, double room);

struct RulerLabel {
    double left = 0; ///< from the left end of the scale
    QString text;
};

/// The times along a ruler: in the middle of their ticks, those at the ends moved inside. Never cut, never
/// over one another.
std::vector<RulerLabel> rulerLabels(const std::vector<layout::Tick>& ticks, double width,
                                    const QFontMetricsF& metrics);

} // namespace retracescope::views
