#include "views/timeline/fitting_text.h"

#include <algorithm>

#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr qsizetype kTellingLetters = 12; ///< of a long name; of a short one, three quarters of it
constexpr double kLabelGap = 8;

} // namespace

QString nameThatFits(const QFontMetricsF& metrics, const QString& name, double room) {
    if (metrics.horizontalAdvance(name) <= room)
        return name;
    const QString part = metrics.elidedText(name, Qt::ElideMiddle, room);
    const qsizetype letters = part.size() - 1; // without the dots
    return letters >= std::min(kTellingLetters, name.size() * 3 / 4) ? part : QString();
}

std::vector<RulerLabel> rulerLabels(const std::vector<layout::Tick>& ticks, double width,
                                    const QFontMetricsF& metrics) {
    std::vector<RulerLabel> labels;
    double free = 0;
    for (const layout::Tick& tick : ticks) {
        if (tick.label.empty() || tick.x < 0 || tick.x > width)
            continue;
        const QString text = toQString(tick.label);
        const double wide = metrics.horizontalAdvance(text);
        const double left = std::clamp(tick.x - wide / 2, 2.0, std::max(2.0, width - wide - 2));
        if (left < free || left + wide > width)
            continue;
        labels.push_back({left, text});
        free = left + wide + kLabelGap;
    }
    return labels;
}

} // namespace retracescope::views
