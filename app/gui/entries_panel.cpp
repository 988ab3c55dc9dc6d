#include "app/gui/entries_panel.h"

#include <QHeaderView>

namespace retracescope::gui {

/// The four columns, the key with thirteen letters.
constexpr int kLeastWidth = 276;

using views::CellFormat;
using views::EntriesModel;
using views::GraphsModel;

EntriesPanel::EntriesPanel(views::ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_model(new EntriesModel(this)),
      m_table(new views::DataTable(
          state, m_model, {CellFormat::Count, CellFormat::Code, CellFormat::Count, CellFormat::ColumnTime})),
      m_caption(views::makeLabel({}, "caption")), m_graphs(new GraphsModel(this)),
      m_graphTable(new views::DataTable(state, m_graphs, {CellFormat::Code, CellFormat::Count})),
      m_graphCaption(views::makeLabel({}, "caption")), m_job(state.jobs()) {
    setObjectName(QStringLiteral("entriesPanel"));
    m_table->table()->setAccessibleName(tr("Concrete functions"));
    m_table->setColumnWidths({50, 90, 50, 66}, EntriesModel::Key);
    m_table->table()->horizontalHeader()->setMinimumSectionSize(40);
    m_graphTable->table()->setAccessibleName(tr("Graphs without an entry"));
    m_graphTable->setColumnWidths({180, 60}, GraphsModel::Name);
    setMinimumWidth(kLeastWidth);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    for (const auto& [caption, table] :
         {std::pair(m_caption, m_table), std::pair(m_graphCaption, m_graphTable)}) {
        caption->setContentsMargins(12, 6, 12, 6);
        caption->setWordWrap(true);
        table->table()->setProperty("frame", "none");
        table->table()->sortByColumn(-1, Qt::AscendingOrder); // as they were made; the arrow needs room
        table->table()->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        layout->addWidget(caption);
        layout->addWidget(table, 1);
    }
    layout->addStretch();
    connect(&state, &views::ViewState::diagnosisChanged, this, &EntriesPanel::onDiagnosis);
    connect(&state, &views::ViewState::selectionChanged, this, &EntriesPanel::onChanged);
    connect(m_table, &views::DataTable::rowChosen, this,
            [this](int row) { m_state.selectEntry(m_model->entry(row)); });
    connect(m_graphTable, &views::DataTable::rowChosen, this,
            [this](int row) { m_state.selectGraph(m_graphs->graph(row)); });
    onDiagnosis();
}

void EntriesPanel::onDiagnosis() {
    m_graphs->setSession(m_state.diagnosis() ? m_state.diagnosis()->session : nullptr);
    const int graphs = m_graphs->rowCount();
    m_graphTable->setVisible(graphs > 0);
    m_graphCaption->setVisible(graphs > 0);
    m_graphCaption->setText(
        tr("%1 without an entry").arg(views::pluralText(graphs, tr("graph"), tr("graphs"))));
    read();
}

void EntriesPanel::onChanged() {
    if (m_state.shownFunction() != m_function)
        read();
    else
        selectShown();
}

void EntriesPanel::read() {
    m_job.drop();
    m_function = m_state.shownFunction();
    fill({});
    if (!m_function.isValid())
        return;
    m_job.run(
        tr("Reading entries"),
        [diagnosis = m_state.diagnosis(), function = m_function](const Job& job) {
            return EntriesModel::read(diagnosis, function, job);
        },
        [this](EntriesModel::Content content) { fill(std::move(content)); });
}

void EntriesPanel::fill(EntriesModel::Content content) {
    m_model->setContent(std::move(content));
    const session::Session* session = m_state.session();
    const session::FunctionId function = m_function;
    const std::size_t entries =
        function.isValid() ? m_state.diagnosis()->index.entriesOfFunction[function.value].size() : 0;
    m_table->setVisible(entries > 0);
    if (session == nullptr)
        m_caption->setText(tr("No session is open."));
    else if (function.isValid())
        m_caption->setText(tr("%1 · %2").arg(
            views::toQString(session->text((*session)[function].name)),
            views::pluralText(static_cast<std::int64_t>(entries), tr("entry"), tr("entries"))));
    else
        m_caption->setText(session->graphs.empty() ? tr("This file holds no graph.")
                                                   : tr("This file has no traced function."));
    selectShown();
}

void EntriesPanel::selectShown() {
    const views::ViewState::ShownGraph shown = m_state.shownGraph();
    m_table->selectSourceRow(m_model->row(shown.entry));
    m_graphTable->selectSourceRow(m_graphs->row(shown.graph));
}

} // namespace retracescope::gui
