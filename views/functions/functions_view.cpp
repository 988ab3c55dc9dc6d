#include "views/functions/functions_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "views/shared/function_rows.h"
#include "views/shared/icons.h"

namespace retracescope::views {

namespace {

std::vector<CellFormat> formats() {
    std::vector<CellFormat> result(FunctionsModel::ColumnCount, CellFormat::Count);
    result[FunctionsModel::Name] = CellFormat::Code;
    result[FunctionsModel::Engine] = CellFormat::Text;
    result[FunctionsModel::HitRate] = CellFormat::Share;
    for (const auto column : {FunctionsModel::Avoidable, FunctionsModel::Tracing, FunctionsModel::Execute})
        result[column] = CellFormat::ColumnTime;
    result[FunctionsModel::MedianCall] = result[FunctionsModel::P95Call] = CellFormat::ColumnTime;
    result[FunctionsModel::DefinedAt] = CellFormat::Place;
    return result;
}

} // namespace

FunctionsView::FunctionsView(ViewState& state, QWidget* parent)
    : View(state, QStringLiteral("functions"), tr("Functions"), parent), m_model(new FunctionsModel(this)),
      m_table(new DataTable(state, m_model, formats())), m_filter(new QLineEdit),
      m_caption(makeLabel({}, "caption")), m_showAll(new Link(tr("Show"))), m_pages(new QStackedWidget),
      m_empty(new EmptyPanel(state, id())) {
    m_pages->addWidget(makeTablePage());
    m_pages->addWidget(m_empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connect(&state, &ViewState::diagnosisChanged, this, &FunctionsView::onDiagnosisChanged);
    connect(&state, &ViewState::selectionChanged, this, &FunctionsView::onSelectionChanged);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_table->proxy()->setFilterFixedString(text);
        updateCaption();
    });
    connect(&state, &ViewState::filterChanged, this, &FunctionsView::applyFilter);
    connect(m_showAll, &Link::clicked, this, [this] {
        m_filter->clear();
        this->state().setFilter({});
    });
    connectFunctionRows(*m_table, state, [model = m_model](int row) { return model->function(row); });
    onDiagnosisChanged();
}

QWidget* FunctionsView::makeTablePage() {
    m_filter->setPlaceholderText(tr("Filter by name, engine or file"));
    m_filter->addAction(icon(QStringLiteral("filter"), IconTone::Muted), QLineEdit::LeadingPosition);
    m_filter->setClearButtonEnabled(true);
    m_filter->setAccessibleName(tr("Filter functions"));
    m_filter->setFixedWidth(280);
    m_table->table()->setAccessibleName(tr("Functions"));
    m_table->setColumnWidths({176, 88, 60, 56, 62, 104, 106, 94, 168, 116, 98, 66, 78, 60, 140},
                             FunctionsModel::Name);
    m_table->table()->horizontalHeader()->setMinimumSectionSize(52);
    m_table->table()->sortByColumn(FunctionsModel::Avoidable, Qt::DescendingOrder);

    auto* top = new QHBoxLayout;
    top->addWidget(m_filter);
    top->addSpacing(kGap);
    top->addWidget(m_caption);
    top->addWidget(m_showAll);
    top->addStretch();
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(kGap);
    layout->addLayout(top);
    layout->addWidget(m_table);
    return page;
}

void FunctionsView::onDiagnosisChanged() {
    applyFilter(); // the rows that it knows are those of the session before
    m_model->setDiagnosis(state().diagnosis());
    m_table->setTotals(m_model->totals());
    hideEngineOfAll();
    const bool empty = m_model->rowCount() == 0;
    if (empty)
        m_empty->setMissing(state().session() == nullptr ? QString()
                                                         : toQString(state().diagnosis()->headline));
    m_pages->setCurrentIndex(empty ? 1 : 0);
    updateCaption();
    onSelectionChanged();
}

/// One engine for all functions tells nothing in a row; the header's menu shows it again.
void FunctionsView::hideEngineOfAll() {
    bool differs = false;
    for (int row = 1; row < m_model->rowCount(); ++row)
        differs |= m_model->index(row, FunctionsModel::Engine).data() !=
                   m_model->index(0, FunctionsModel::Engine).data();
    m_table->table()->setColumnHidden(FunctionsModel::Engine, !differs);
}

void FunctionsView::updateCaption() {
    const int shown = m_table->proxy()->rowCount();
    const int hidden = m_model->rowCount() - shown;
    QString text = pluralText(m_model->rowCount(), tr("traced function"), tr("traced functions"));
    if (hidden > 0)
        text += tr(" · %1 hidden by the filter").arg(pluralText(hidden, tr("row"), tr("rows")));
    m_caption->setText(text);
    m_showAll->setVisible(hidden > 0);
}

void FunctionsView::applyFilter() {
    const diagnose::CallFilter& filter = state().filter();
    if (filter.isEmpty() || !state().diagnosis())
        m_table->proxy()->setRowFilter({});
    else
        m_table->proxy()->setRowFilter([diagnosis = state().diagnosis(), filter, model = m_model](int row) {
            return filter.shows(*diagnosis, model->function(row));
        });
    updateCaption();
}

void FunctionsView::onSelectionChanged() {
    m_table->selectSourceRow(m_model->row(state().selection().function));
}

bool FunctionsView::focusFind() {
    m_filter->setFocus(Qt::ShortcutFocusReason);
    m_filter->selectAll();
    return true;
}

} // namespace retracescope::views
