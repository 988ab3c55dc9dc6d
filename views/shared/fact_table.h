#pragma once

#include <vector>

#include <QString>
#include <QWidget>

#include "views/shared/view_state.h"

namespace retracescope::views {

/// One cell of a small painted table; `differs` gives it bar, tint and bold.
struct FactCell {
    QString text;
    bool differs = false;
    bool code = false;
    bool muted = false;
    bool strong = false;
};

/// A small table without scrolling: evidence, comparisons. Its height is that of its rows; a rule stands
/// below the first row if `firstRowApart`.
class FactTable : public QWidget {
    Q_OBJECT

public:
    explicit FactTable(ViewState& state, QWidget* parent = nullptr);

    /// `stretch` is the share of the spare width that each column gets.
    void setContent(std::vector<QString> titles, std::vector<std::vector<FactCell>> rows,
                    std::vector<int> stretch, bool firstRowApart = false);

    const std::vector<std::vector<FactCell>>& rows() const { return m_rows; }
    QString tabSeparated() const;

    /// As drawn at the present width.
    std::vector<int> columnWidths() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }

Q_SIGNALS:
    void rowClicked(int row);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void paintCell(QPainter& painter, QRect area, const FactCell& cell) const;

    ViewState& m_state;
    std::vector<QString> m_titles;
    std::vector<std::vector<FactCell>> m_rows;
    std::vector<int> m_stretch;
    bool m_firstRowApart = false;
};

} // namespace retracescope::views
