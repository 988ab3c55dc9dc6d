#include "views/models/graphs_model.h"

#include <algorithm>

#include <retracescope/session/query.h>

namespace retracescope::views {

QString graphTitle(const session::Session& session, session::GraphId graph) {
    const std::string_view name = session.text(session[graph].name);
    return name.empty() ? GraphsModel::tr("graph %1").arg(graph.value + 1)
                        : QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

GraphsModel::GraphsModel(QObject* parent) : QAbstractTableModel(parent) {}

void GraphsModel::setSession(session::SessionPtr session) {
    beginResetModel();
    m_session = std::move(session);
    m_rows = m_session ? session::graphsWithoutEntry(*m_session) : std::vector<session::GraphId>();
    endResetModel();
}

int GraphsModel::row(session::GraphId graph) const {
    const auto it = std::ranges::find(m_rows, graph);
    return it == m_rows.end() ? -1 : static_cast<int>(it - m_rows.begin());
}

int GraphsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int GraphsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant GraphsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const session::GraphId id = graph(index.row());
    if (role == Qt::ToolTipRole && index.column() == Name)
        return (*m_session)[id].isLibraryFunction
                   ? tr("%1, a function of the library").arg(graphTitle(*m_session, id))
                   : graphTitle(*m_session, id);
    if (role != Qt::DisplayRole)
        return {};
    return index.column() == Name
               ? QVariant(graphTitle(*m_session, id))
               : QVariant::fromValue<qlonglong>(static_cast<qlonglong>((*m_session)[id].nodes.size()));
}

QVariant GraphsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("Graph") : tr("Nodes");
}

} // namespace retracescope::views
