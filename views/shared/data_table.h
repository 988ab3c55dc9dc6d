#pragma once

#include <vector>

#include <QStyledItemDelegate>
#include <QTableView>
#include <QWidget>

#include "views/shared/formatted_model.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Paints the cells of a FormattedModel: tones, bars, links, the accent bar of the selected row.
class CellDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    CellDelegate(ViewState& state, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    ViewState& m_state;
};

/// A sortable table with an optional row of totals that stays at the bottom. Header click sorts, right click
/// hides.
class DataTable : public QWidget {
    Q_OBJECT

public:
    DataTable(ViewState& state, QAbstractItemModel* model, std::vector<CellFormat> formats,
              QWidget* parent = nullptr);

    QTableView* table() const { return m_table; }
    FormattedModel* proxy() const { return m_proxy; }

    /// Raw values of the totals row by column; invalid = blank. Empty: no such row.
    void setTotals(std::vector<QVariant> totals);

    /// The texts of the totals row, as shown.
    std::vector<QString> totalTexts() const;

    /// Widths to have where there is room for them. Where there is not, columns shrink to what their title
    /// and their first rows need, until the user drags one; `stretchColumn` takes what is left.
    void setColumnWidths(const std::vector<int>& widths, int stretchColumn);

    /// Height that shows all rows without a scroll bar.
    int fullHeight() const;

    void selectSourceRow(int row); ///< -1 clears; scrolls only if the row is out of sight; emits nothing
    int selectedSourceRow() const;

Q_SIGNALS:
    void rowChosen(int sourceRow);    ///< by the user
    void rowActivated(int sourceRow); ///< Enter or double click
    void placeClicked(int sourceRow); ///< a link in a Place column

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showHeaderMenu(const QPoint& position);
    int neededWidth(int column) const;
    void fitColumns();
    void fitHeight();

    ViewState& m_state;
    FormattedModel* m_proxy;
    QTableView* m_table;
    QWidget* m_totalsStrip;
    std::vector<QVariant> m_totals;
    std::vector<int> m_wantedWidths;
    int m_stretchColumn = -1;
    bool m_fitting = false;   ///< the change of a width is our own
    bool m_userSized = false; ///< the user has dragged one
    bool m_selecting = false;
};

/// What every table and tree of the program has in common.
void configureItemView(QAbstractItemView* view);

} // namespace retracescope::views
