#pragma once

#include <QVBoxLayout>

#include "views/models/entries_model.h"
#include "views/models/graphs_model.h"
#include "views/shared/data_table.h"
#include "views/shared/latest_job.h"
#include "views/shared/widgets.h"

namespace retracescope::gui {

/// The left dock of the Graph perspective: the concrete functions of the shown function, and the graphs that
/// none of them owns; choosing one shows it.
class EntriesPanel : public QWidget {
    Q_OBJECT

public:
    explicit EntriesPanel(views::ViewState& state, QWidget* parent = nullptr);

private:
    void onDiagnosis();
    void read();
    void fill(views::EntriesModel::Content content);
    void selectShown();
    void onChanged();

    views::ViewState& m_state;
    views::EntriesModel* m_model;
    views::DataTable* m_table;
    QLabel* m_caption;
    views::GraphsModel* m_graphs;
    views::DataTable* m_graphTable;
    QLabel* m_graphCaption;
    views::LatestJob m_job;
    session::FunctionId m_function; ///< whose entries are listed or being read
};

} // namespace retracescope::gui
