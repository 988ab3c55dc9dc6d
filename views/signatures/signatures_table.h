#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

#include "views/models/signatures_model.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Two lines per component: name, and number of values with a histogram of the calls. A click chooses a
/// component; one on its arrow sorts, as one on any other column does.
class SignaturesHeader : public QHeaderView {
    Q_OBJECT

public:
    SignaturesHeader(ViewState& state, SignaturesModel& model, QWidget* parent = nullptr);

    int chosenColumn() const { return m_chosen; }
    void choose(int column); ///< -1 for none

    QSize sizeHint() const override { return {QHeaderView::sizeHint().width(), 46}; }

    int sortColumn() const { return m_sortColumn; } ///< -1: as they were made
    Qt::SortOrder sortOrder() const { return m_sortOrder; }
    void setSortColumn(int column, Qt::SortOrder order);

Q_SIGNALS:
    void columnChosen(int column);
    void sortChosen(int column, Qt::SortOrder order); ///< -1: as they were made

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void paintSection(QPainter* painter, const QRect& rect, int column) const override;

private:
    void onClicked(int column);
    void paintArrow(QPainter* painter, QPointF centre, int column) const;
    void paintHistogram(QPainter* painter, QRect area, const KeyComponent& column) const;

    ViewState& m_state;
    SignaturesModel& m_model;
    int m_chosen = -1;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
    int m_pressedX = 0;
};

/// Cells: glyph and number in front, differing components with bar, tint, bold and "was", dead entries struck
/// through.
class SignaturesDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    SignaturesDelegate(ViewState& state, SignaturesModel& model, QObject* parent);

    void setMarking(bool on) { m_marking = on; } ///< of what differs from the nearest earlier entry

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {60, kRowHeight};
    }

    /// The text of a cell outside the components.
    QString fixedText(const QModelIndex& index) const;
    QString firstText(const QModelIndex& index) const; ///< of the first column

    /// Width that the cell needs.
    int cellWidth(const QModelIndex& index) const;

private:
    void paintComponent(QPainter* painter, QRect cell, const QModelIndex& index) const;
    void paintFirst(QPainter* painter, QRect cell, const QModelIndex& index) const;

    ViewState& m_state;
    SignaturesModel& m_model;
    bool m_marking = true;
};

} // namespace retracescope::views
