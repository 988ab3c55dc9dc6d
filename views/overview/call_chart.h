#pragma once

#include <optional>

#include <QWidget>

#include "views/overview/call_columns.h"
#include "views/shared/latest_job.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Time per call of one function, in call order: tracing, needed or avoidable, on top of the rest, with a
/// legend of what occurs. A click selects the tallest call of that column; more calls than pixels share
/// columns, each as tall as its longest call.
class CallChart : public QWidget {
    Q_OBJECT

public:
    explicit CallChart(ViewState& state, QWidget* parent = nullptr);

    void setFunction(session::FunctionId function);
    bool isSettled() const { return !m_job.isRunning(); }
    session::CallId callAt(int x) const; ///< none outside the calls
    QStringList legendTexts() const;     ///< what the colours that occur stand for

    QSize sizeHint() const override { return {400, 130}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::size_t room() const; ///< for columns
    void build();
    std::optional<std::size_t> selectedColumn() const;
    std::vector<UseLabel> legend() const;
    double columnWidth(std::size_t columns) const;

    ViewState& m_state;
    session::FunctionId m_function;
    CallColumns m_columns; ///< what is shown, read by the job
    std::size_t m_room = 0;
    LatestJob m_job;
};

} // namespace retracescope::views
