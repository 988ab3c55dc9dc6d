#include "app/gui/entries_panel.h"

#include <QHeaderView>

namespace retracescope::gui {

/// The four columns, the key with thirteen letters.
constexpr int kLeastWidth = 276;

using views::CellFormat;
using views::EntriesModel;

EntriesPanel::EntriesPanel(views::ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_model(new EntriesModel(this)),
      m_table(new views::DataTable(
          state, m_model, {CellFormat::Count, CellFormat::Code, CellFormat::Count, CellFormat::OwnTime})),
      m_caption(views::makeLabel({}, "caption")) {
    setObjectName(QStringLiteral("entriesPanel"));
    m_table->table()->setAccessibleName(tr("Concrete functions"));
    m_table->table()->setProperty("frame", "none");
    m_table->setColumnWidths({50, 90, 50, 66}, EntriesModel::Key);
    m_table->table()->horizontalHeader()->setMinimumSectionSize(40);
    m_table->table()->sortByColumn(-1, Qt::AscendingOrder); // as they were made; the arrow needs room
    setMinimumWidth(kLeastWidth);
    m_table->table()->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_caption->setContentsMargins(12, 6, 12, 6);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_caption);
    layout->addWidget(m_table);
    connect(&state, &views::ViewState::diagnosisChanged, this, &EntriesPanel::onChanged);
    connect(&state, &views::ViewState::selectionChanged, this, &EntriesPanel::onChanged);
    connect(m_table, &views::DataTable::rowChosen, this,
            [this](int row) { m_state.selectEntry(m_model->entry(row)); });
    onChanged();
}

void EntriesPanel::onChanged() {
    const session::FunctionId function = m_state.shownFunction();
    m_model->setFunction(m_state.diagnosis(), function);
    m_caption->setText(
        function.isValid()
            ? tr("%1 · %2").arg(
                  views::toQString(m_state.session()->text((*m_state.session())[function].name)),
                  views::pluralText(m_model->rowCount(), tr("entry"), tr("entries")))
        : m_state.session() != nullptr ? tr("This file has no traced function.")
                                       : tr("No session is open."));
    m_table->selectSourceRow(m_model->row(m_state.selection().entry));
}

} // namespace retracescope::gui
