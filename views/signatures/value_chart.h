#pragma once

#include <QWidget>

#include "views/models/key_components.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Calls per value of one component: a row per value, or upright bars over the number line where there are
/// too many numbers for rows.
class ValueChart : public QWidget {
    Q_OBJECT

public:
    explicit ValueChart(ViewState& state, QWidget* parent = nullptr);

    void setComponent(const KeyComponent& component);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// A run of neighbouring values that share a bar.
    struct Bar {
        QString first, last;
        std::int64_t calls = 0;
    };

    std::vector<Bar> bars() const;
    QRect barArea(std::size_t bar, std::size_t count) const;
    void paintRows(QPainter& painter) const;
    void paintBars(QPainter& painter) const;
    QString describe(const Bar& bar) const;

    ViewState& m_state;
    std::vector<std::pair<QString, std::int64_t>> m_values; ///< numbers ascending, else most calls first
    bool m_asBars = false;
};

} // namespace retracescope::views
