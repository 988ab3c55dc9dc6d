#pragma once

#include <vector>

#include <QAbstractTableModel>

#include <retracescope/session/session.h>

namespace retracescope::views {

/// The graphs that no entry owns: those of an imported file and the functions of its library.
class GraphsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Nodes, ColumnCount };

    explicit GraphsModel(QObject* parent = nullptr);

    void setSession(session::SessionPtr session); ///< null: no rows

    session::GraphId graph(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    int row(session::GraphId graph) const; ///< -1 if an entry owns it

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    session::SessionPtr m_session;
    std::vector<session::GraphId> m_rows;
};

/// Its name, or "graph 3".
QString graphTitle(const session::Session& session, session::GraphId graph);

} // namespace retracescope::views
