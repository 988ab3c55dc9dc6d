#pragma once

#include <vector>

#include <QWidget>

#include <retracescope/diagnose/overview.h>

#include "views/shared/numbers.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Where the run's time went: one bar of parts that add up to the run as printed, and their legend.
class TimeBar : public QWidget {
    Q_OBJECT

public:
    explicit TimeBar(ViewState& state, QWidget* parent = nullptr);

    void setTime(const diagnose::TimeSplit& time);

    /// The printed parts, as diagnose::timeParts has them.
    const std::vector<QString>& texts() const { return m_texts; }
    QString totalText() const;

    QSize sizeHint() const override { return {600, height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Of one part: swatch, name, time, share.
    struct LegendItem {
        QPoint at;
        int nameWidth = 0;
        int timeWidth = 0;
    };

    bool isOutside(std::size_t part) const;
    QColor fill(std::size_t part) const;
    TimeUnit unit() const;
    std::vector<LegendItem> legend() const;
    void fitHeight();
    void paintLegend(QPainter& painter) const;

    ViewState& m_state;
    std::int64_t m_totalNs = 0;
    std::vector<diagnose::TimePart> m_parts;
    std::vector<QString> m_texts;
};

} // namespace retracescope::views
