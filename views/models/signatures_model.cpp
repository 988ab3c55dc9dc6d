#include "views/models/signatures_model.h"

#include <algorithm>

namespace retracescope::views {

SignaturesModel::SignaturesModel(QObject* parent)
    : QAbstractItemModel(parent), m_content(std::make_shared<SignatureRows>()) {}

void SignaturesModel::setContent(SignatureRowsPtr content) {
    beginResetModel();
    m_content = std::move(content);
    endResetModel();
}

SignaturesModel::Row SignaturesModel::row(const QModelIndex& index) const {
    if (index.internalId() == 0)
        return m_content->rows()[static_cast<std::size_t>(index.row())];
    return m_content->callBelow(m_content->rows()[index.internalId() - 1],
                                static_cast<std::size_t>(index.row()));
}

QModelIndex SignaturesModel::indexOfEntry(session::EntryId entry) const {
    const std::vector<Row>& rows = m_content->rows();
    if (!entry.isValid() || m_content->request().grouping == SignatureGrouping::Calls)
        return {};
    const auto it = std::ranges::find(rows, entry, &Row::entry);
    return it == rows.end() ? QModelIndex() : index(static_cast<int>(it - rows.begin()), 0);
}

QModelIndex SignaturesModel::indexOfCall(session::CallId call) const {
    const std::vector<Row>& rows = m_content->rows();
    if (!call.isValid() || rows.empty())
        return {};
    const auto it = std::ranges::find_if(
        rows, [&](const Row& row) { return row.call == call && (row.isCall || !row.entry.isValid()); });
    if (it != rows.end())
        return index(static_cast<int>(it - rows.begin()), 0);
    const QModelIndex parent = indexOfEntry(m_content->entryOf(call));
    if (!parent.isValid())
        return {};
    const auto position = m_content->positionBelow(row(parent), call);
    return position ? index(static_cast<int>(*position), 0, parent) : QModelIndex();
}

QModelIndex SignaturesModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || row >= rowCount(parent) || column < 0 || column >= columnCount())
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : 0);
}

QModelIndex SignaturesModel::parent(const QModelIndex& child) const {
    return child.internalId() == 0 ? QModelIndex()
                                   : createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr{0});
}

int SignaturesModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return static_cast<int>(m_content->rows().size());
    if (parent.internalId() != 0 || parent.column() != 0)
        return 0;
    return static_cast<int>(m_content->callCount(row(parent)));
}

int SignaturesModel::columnCount(const QModelIndex&) const {
    return m_content->columnCount();
}

QVariant SignaturesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Row shown = row(index);
    const KeyComponent* column = m_content->component(index.column());
    if (role == Qt::DisplayRole)
        return m_content->value(shown, index.column());
    if (role == Qt::ToolTipRole && index.column() == m_content->whyColumn())
        return m_content->value(shown, index.column());
    if (column == nullptr || (role != Qt::ToolTipRole && role != DiffersRole && role != WasRole))
        return {};
    const std::optional<QString> before = m_content->was(shown, *column);
    if (role == DiffersRole)
        return before.has_value();
    if (role == WasRole)
        return before ? QVariant(*before) : QVariant();
    const QString text = tr("%1: %2").arg(column->label, m_content->value(shown, index.column()).toString());
    return before ? tr("%1, was %2").arg(text, *before) : text;
}

QVariant SignaturesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return orientation == Qt::Horizontal && role == Qt::DisplayRole ? QVariant(m_content->title(section))
                                                                    : QVariant();
}

} // namespace retracescope::views
