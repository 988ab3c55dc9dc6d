#include "views/shared/formatted_model.h"

#include <algorithm>

#include "views/shared/theme.h"

namespace retracescope::views {

namespace {

/// One unit per column needs its largest value; beyond this many rows the first ones decide.
constexpr int kUnitSampleRows = 10'000;

bool isNumber(CellFormat format) {
    return format == CellFormat::Count || format == CellFormat::ColumnTime;
}

QString dash() {
    return QStringLiteral("–");
}

QString percent(double share) {
    return share < 0 ? dash()
                     : shareText(static_cast<std::int64_t>(share * 1e9), static_cast<std::int64_t>(1e9));
}

} // namespace

FormattedModel::FormattedModel(QObject* parent) : QSortFilterProxyModel(parent) {
    setFilterCaseSensitivity(Qt::CaseInsensitive);
    setFilterKeyColumn(-1);
}

void FormattedModel::setFormats(std::vector<CellFormat> formats) {
    m_formats = std::move(formats);
    updateUnits();
}

CellFormat FormattedModel::format(int column) const {
    return column >= 0 && static_cast<std::size_t>(column) < m_formats.size()
               ? m_formats[static_cast<std::size_t>(column)]
               : CellFormat::Text;
}

void FormattedModel::setSourceModel(QAbstractItemModel* model) {
    QSortFilterProxyModel::setSourceModel(model);
    connect(model, &QAbstractItemModel::modelReset, this, &FormattedModel::updateUnits);
    updateUnits();
}

void FormattedModel::updateUnits() {
    m_units.assign(m_formats.size(), TimeUnit());
    if (sourceModel() == nullptr)
        return;
    const int rows = std::min(sourceModel()->rowCount(), kUnitSampleRows);
    for (std::size_t column = 0; column < m_formats.size(); ++column) {
        if (m_formats[column] != CellFormat::ColumnTime)
            continue;
        std::int64_t largest = 0;
        for (int row = 0; row < rows; ++row)
            largest = std::max<std::int64_t>(
                largest, sourceModel()->index(row, static_cast<int>(column)).data().toLongLong());
        m_units[column] = timeUnitFor(largest);
        if (largest == 0)
            m_units[column]
                .name.clear(); // nothing but zeros and dashes: another unit than its neighbours' misleads
    }
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, std::max(0, columnCount() - 1));
}

QString FormattedModel::text(int column, const QVariant& value) const {
    if (!value.isValid())
        return {};
    switch (format(column)) {
    case CellFormat::Count:
        return value.toLongLong() == session::kNotRecorded ? dash() : countText(value.toLongLong());
    case CellFormat::ColumnTime:
        return value.toLongLong() == session::kNotRecorded
                   ? dash()
                   : m_units[static_cast<std::size_t>(column)].number(value.toLongLong());
    case CellFormat::Share:
    case CellFormat::Part:
        return percent(value.toDouble());
    case CellFormat::Text:
    case CellFormat::Code:
    case CellFormat::Place:
        break;
    }
    return value.toString();
}

QVariant FormattedModel::data(const QModelIndex& index, int role) const {
    const CellFormat cell = format(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return text(index.column(), QSortFilterProxyModel::data(index, Qt::DisplayRole));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue<Qt::Alignment>(Qt::AlignVCenter |
                                                  (isNumber(cell) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::FontRole:
        return cell == CellFormat::Code ? QVariant(codeFont(TextSize::Body)) : QVariant();
    case Qt::ToolTipRole: {
        const QVariant raw = QSortFilterProxyModel::data(index, Qt::DisplayRole);
        if (cell == CellFormat::Count && raw.toLongLong() >= 1'000'000)
            return QLocale::c().toString(raw.toLongLong());
        const QVariant own = QSortFilterProxyModel::data(index, role);
        return own.isValid() || isNumber(cell) ? own : text(index.column(), raw);
    }
    default:
        return QSortFilterProxyModel::data(index, role);
    }
}

QVariant FormattedModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
        return QVariant::fromValue<Qt::Alignment>(
            Qt::AlignVCenter | (isNumber(format(section)) ? Qt::AlignRight : Qt::AlignLeft));
    const QVariant title = QSortFilterProxyModel::headerData(section, orientation, role);
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || format(section) != CellFormat::ColumnTime)
        return title;
    const QString& unit = m_units[static_cast<std::size_t>(section)].name;
    return unit.isEmpty() ? title.toString() : QStringLiteral("%1, %2").arg(title.toString(), unit);
}

void FormattedModel::setRowFilter(std::function<bool(int)> shows) {
    m_shows = std::move(shows);
    invalidateFilter();
}

bool FormattedModel::filterAcceptsRow(int row, const QModelIndex& parent) const {
    return (!m_shows || m_shows(row)) && QSortFilterProxyModel::filterAcceptsRow(row, parent);
}

bool FormattedModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const auto key = [](const QModelIndex& index) {
        const QVariant own = index.data(kSortRole);
        return own.isValid() ? own : index.data(Qt::DisplayRole);
    };
    const QVariant a = key(left);
    const QVariant b = key(right);
    if (a.userType() == QMetaType::QString)
        return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    return a.toDouble() < b.toDouble();
}

QString FormattedModel::tabSeparated(const QModelIndexList& rows) const {
    QString result;
    for (int column = 0; column < columnCount(); ++column)
        result += (column > 0 ? QStringLiteral("\t") : QString()) +
                  QSortFilterProxyModel::headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    result += QLatin1Char('\n');
    const auto append = [&](int row) {
        for (int column = 0; column < columnCount(); ++column)
            result += (column > 0 ? QStringLiteral("\t") : QString()) +
                      QSortFilterProxyModel::data(index(row, column), Qt::DisplayRole).toString();
        result += QLatin1Char('\n');
    };
    if (rows.isEmpty()) {
        for (int row = 0; row < rowCount(); ++row)
            append(row);
    }
    for (const QModelIndex& index : rows)
        append(index.row());
    return result;
}

} // namespace retracescope::views
