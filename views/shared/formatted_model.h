#pragma once

#include <functional>
#include <vector>

#include <QSortFilterProxyModel>

#include "views/shared/numbers.h"

namespace retracescope::views {

/// How a column of raw facts is written.
enum class CellFormat {
    Text,
    Code,       ///< names of the user's code, in the fixed-width font
    Count,      ///< right-aligned; session::kNotRecorded is a dash, as it is of times
    ColumnTime, ///< ns; the whole column in one unit, which the header names
    Share,      ///< a number in [0, 1] or less than 0 for none; a bar with percent: the more the better
    Part,       ///< the same of a whole, neither good nor bad
    Place,      ///< "file:line", drawn as a link
};

/// Beside the raw value, a model may say how important it is (a Tone as int).
inline constexpr int kToneRole = Qt::UserRole + 100;
/// Where the display value is not what sorting should use.
inline constexpr int kSortRole = Qt::UserRole + 101;

enum class Tone { Normal, Strong, Muted, Miss, Hit, Error };

/// Sorts and filters a model of raw facts and writes its numbers. The view sees texts, the source model only
/// numbers.
class FormattedModel : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit FormattedModel(QObject* parent = nullptr);

    void setFormats(std::vector<CellFormat> formats); ///< one per column
    CellFormat format(int column) const;

    /// Besides the text that is filtered for: which rows of the source model are shown; none: all.
    void setRowFilter(std::function<bool(int sourceRow)> shows);

    /// The text of one raw value of `column`, as its cells write it.
    QString text(int column, const QVariant& value) const;

    /// Tab-separated text of the given rows (all if empty) with full precision and the column titles.
    QString tabSeparated(const QModelIndexList& rows = {}) const;

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void setSourceModel(QAbstractItemModel* model) override;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    void updateUnits();

    std::vector<CellFormat> m_formats;
    std::function<bool(int)> m_shows;
    std::vector<TimeUnit> m_units;
};

} // namespace retracescope::views
