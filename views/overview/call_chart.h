#pragma once

#include <QWidget>

#include "views/shared/view_state.h"

namespace retracescope::views {

/// Time per call of one function, in call order: tracing on top of the rest. A click selects the tallest
/// call of that column; more calls than pixels share columns, each as tall as its longest call.
class CallChart : public QWidget {
    Q_OBJECT

public:
    explicit CallChart(ViewState& state, QWidget* parent = nullptr);

    void setFunction(session::FunctionId function);
    session::CallId callAt(int x) const; ///< none outside the calls

    QSize sizeHint() const override { return {400, 110}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Column {
        session::CallId longest;
        std::int64_t totalNs = 0;
        std::int64_t traceNs = 0;
        bool hasSelected = false;
    };

    std::vector<Column> columns() const;
    QColor restColour(session::CallId call) const;
    double columnWidth(std::size_t columns) const;

    ViewState& m_state;
    session::FunctionId m_function;
};

} // namespace retracescope::views
