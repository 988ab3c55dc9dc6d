#include "views/signatures/signatures_view.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "views/shared/data_table.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

/// Widths are fitted to the first rows; the later ones elide.
constexpr int kFittedRows = 300;
constexpr int kWidestComponent = 240;
constexpr int kWidestFunction = 320;
constexpr int kLeastWhy = 320;
constexpr int kMostDiffering = 3;   // components in the sentence; its tooltip lists all of more
constexpr int kWideControls = 1100; // of the view; narrower, long captions are short

} // namespace

SignaturesView::SignaturesView(ViewState& state, QWidget* parent)
    : View(state, QStringLiteral("signatures"), tr("Signatures"), parent), m_model(new SignaturesModel(this)),
      m_tree(new QTreeView), m_header(new SignaturesHeader(state, *m_model)),
      m_delegate(new SignaturesDelegate(state, *m_model, this)), m_function(new QComboBox),
      m_grouping(new QComboBox),
      m_marking(new QCheckBox(tr("Mark what differs from the nearest earlier entry"))),
      m_onlyMisses(new QCheckBox(tr("Only calls that missed"))), m_constants(makeButton({}, {})),
      m_sentence(makeLabel({})), m_showAll(new Link({})), m_again(makeButton(tr("Read again"), {})),
      m_hint(makeLabel(
          tr("A first trace has nothing earlier to differ from. A hit is shown with the key that served "
             "it. Click the title of a component to see its values."),
          "muted")),
      m_pages(new QStackedWidget), m_empty(new EmptyPanel(state, id())), m_job(state.jobs()),
      m_copying(state.jobs()), m_busy(new BusyStrip(state, m_job)) {
    m_pages->addWidget(makeTablePage());
    m_pages->addWidget(m_empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connect(&state, &ViewState::diagnosisChanged, this, &SignaturesView::onDiagnosisChanged);
    connect(&state, &ViewState::selectionChanged, this, &SignaturesView::onSelectionChanged);
    connect(m_function, &QComboBox::activated, this, [this](int row) {
        this->state().selectFunction(session::FunctionId(static_cast<std::size_t>(row)));
    });
    connect(&state, &ViewState::filterChanged, this, &SignaturesView::startAgain);
    connect(m_grouping, &QComboBox::activated, this, &SignaturesView::startAgain);
    connect(m_onlyMisses, &QCheckBox::toggled, this, &SignaturesView::startAgain);
    connect(&m_job, &LatestJob::cancelled, this, &SignaturesView::onCancelled);
    connect(m_marking, &QCheckBox::toggled, this, [this](bool on) {
        m_delegate->setMarking(on);
        m_tree->viewport()->update();
    });
    connect(&state, &ViewState::argumentChanged, this, &SignaturesView::onArgument);
    connect(m_constants, &QPushButton::clicked, this, [this] {
        m_unfolded = !m_unfolded;
        foldConstants();
    });
    connect(m_header, &SignaturesHeader::columnChosen, this, [this](int column) {
        const KeyComponent* component = m_model->content()->component(column);
        this->state().chooseArgument(component != nullptr ? component->path : std::string());
    });
    connect(m_header, &SignaturesHeader::sortChosen, this, &SignaturesView::sort);
    connect(&m_frozen->ownHeader(), &SignaturesHeader::sortChosen, this,
            [this](int column, Qt::SortOrder order) {
                m_header->setSortColumn(column, order);
                sort(column, order);
            });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) { select(index); });
    onDiagnosisChanged();
}

void SignaturesView::sort(int column, Qt::SortOrder order) {
    m_frozen->ownHeader().setSortColumn(column, order);
    build();
}

/// Lights the column of the component that is looked at.
void SignaturesView::onArgument() {
    int chosen = -1;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const KeyComponent* component = m_model->content()->component(column);
        if (component != nullptr && component->path == state().argument())
            chosen = column;
    }
    if (chosen >= 0 && m_tree->isColumnHidden(chosen)) {
        m_unfolded = true;
        foldConstants();
    }
    m_header->choose(chosen);
    m_tree->viewport()->update();
}

/// To the next row that differs in the chosen component, or in any if none is chosen.
void SignaturesView::stepDiffering(int by) {
    QModelIndex present = m_tree->currentIndex();
    if (present.parent().isValid())
        present = present.parent();
    const int from = present.isValid() ? present.row() : by > 0 ? -1 : m_model->rowCount();
    const int row = m_model->content()->nextDiffering(from, by, m_header->chosenColumn());
    if (row < 0)
        return;
    m_tree->setCurrentIndex(m_model->index(row, 0));
    m_tree->scrollTo(m_tree->currentIndex());
}

QLayout* SignaturesView::makeControls() {
    m_function->setAccessibleName(tr("Function"));
    m_function->setToolTip(tr("Function"));
    m_function->setMaximumWidth(kWidestFunction);
    m_function->setFont(codeFont(TextSize::Body));
    m_grouping->addItems({tr("Concrete function"), tr("Calls in time order")});
    m_grouping->setAccessibleName(tr("Group by"));
    m_grouping->setToolTip(tr("Group by"));
    m_constants->setToolTip(tr("Components with one value in all calls"));
    m_onlyMisses->setToolTip(tr("Only calls that missed"));
    m_marking->setChecked(true);
    m_marking->setToolTip(tr("Mark what differs from the nearest earlier entry"));
    auto* copyAll = makeButton(tr("Copy"), QStringLiteral("copy"));
    copyAll->setToolTip(tr("Copy the table as tab-separated text"));
    connect(copyAll, &QPushButton::clicked, this, [this] { copy(m_model->content()->rows()); });
    auto* row = new QHBoxLayout;
    row->setSpacing(kGap);
    m_captions = {makeLabel(tr("Function"), "muted"), makeLabel(tr("Group by"), "muted")};
    row->addWidget(m_captions[0]);
    row->addWidget(m_function);
    row->addSpacing(8);
    row->addWidget(m_captions[1]);
    row->addWidget(m_grouping);
    row->addSpacing(8);
    row->addWidget(m_marking);
    row->addSpacing(8);
    row->addWidget(m_onlyMisses);
    row->addStretch();
    row->addWidget(m_constants);
    row->addWidget(copyAll);
    return row;
}

QWidget* SignaturesView::makeTablePage() {
    m_tree->setModel(m_model);
    m_tree->setHeader(m_header);
    m_header->setSectionsClickable(true); // setHeader() takes it away
    m_tree->setItemDelegate(m_delegate);
    configureItemView(m_tree);
    m_tree->setUniformRowHeights(true);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setIndentation(22);
    m_tree->setAccessibleName(tr("Signatures"));
    m_tree->installEventFilter(this);
    m_tree->viewport()->installEventFilter(this);
    m_frozen = new FrozenColumns(state(), *m_model, *m_tree, *m_header);
    m_header->setStretchLastSection(true);
    m_header->setMinimumSectionSize(48);
    m_sentence->setWordWrap(true);
    m_again->setObjectName(QStringLiteral("readAgain"));
    m_again->hide();
    connect(m_again, &QPushButton::clicked, this, &SignaturesView::startAgain);
    auto* says = new QHBoxLayout;
    says->addWidget(m_sentence, 1);
    says->addWidget(m_showAll);
    says->addWidget(m_again);
    m_showAll->hide();
    connect(m_showAll, &Link::clicked, this, [this] { state().setFilter({}); });
    m_hint->setWordWrap(true);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(12, 12, 12, 12);
    layout->setSpacing(kGap);
    layout->addLayout(makeControls());
    layout->addWidget(m_busy);
    layout->addLayout(says);
    layout->addWidget(m_tree, 1);
    layout->addWidget(m_hint);
    return page;
}

void SignaturesView::onDiagnosisChanged() {
    m_function->clear();
    if (state().session() != nullptr) {
        const QFontMetrics metrics(m_function->font());
        for (const std::string& told : state().diagnosis()->names) {
            const QString name = toQString(told);
            m_function->addItem(metrics.elidedText(name, Qt::ElideMiddle, kWidestFunction - 40));
            m_function->setItemData(m_function->count() - 1, name, Qt::ToolTipRole);
        }
    }
    m_shown = {};
    const bool empty = m_function->count() == 0;
    if (empty)
        m_empty->setMissing(tr("This file has no signatures: it holds no traced function."));
    m_pages->setCurrentIndex(empty ? 1 : 0);
    onSelectionChanged();
}

void SignaturesView::onSelectionChanged() {
    const session::FunctionId function = state().shownFunction();
    if (function != m_shown || state().session() == nullptr) {
        m_shown = function;
        m_unfolded = false;
        startAgain();
    } else {
        showSelection();
    }
}

/// Other rows: those of before are no answer any more.
void SignaturesView::startAgain() {
    m_frozen->ownHeader().setSortColumn(-1, Qt::AscendingOrder);
    m_header->setSortColumn(-1, Qt::AscendingOrder);
    m_again->hide();
    present(std::make_shared<SignatureRows>());
    if (m_shown.isValid())
        m_function->setCurrentIndex(static_cast<int>(m_shown.value));
    build();
}

void SignaturesView::build() {
    if (!m_shown.isValid()) {
        m_job.drop();
        return;
    }
    const SignatureRequest request{m_shown,
                                   m_grouping->currentIndex() == 1 ? SignatureGrouping::Calls
                                                                   : SignatureGrouping::Entries,
                                   m_onlyMisses->isChecked(),
                                   m_header->sortColumn(),
                                   m_header->sortOrder(),
                                   state().filter().outcome};
    const session::Session& session = *state().session();
    m_busy->setText(tr("Reading the calls of %1").arg(toQString(session.text(session[m_shown].name))));
    m_job.run(
        tr("Reading signatures"),
        [diagnosis = state().diagnosis(), request](const Job& job) {
            return std::make_shared<const SignatureRows>(diagnosis, request, job);
        },
        [this](SignatureRowsPtr content) { present(std::move(content)); });
}

void SignaturesView::present(SignatureRowsPtr content) {
    {
        const QScopedValueRollback<bool> guard(m_updating, true);
        m_model->setContent(std::move(content));
        m_onlyMisses->setVisible(m_grouping->currentIndex() == 1);
        m_tree->setRootIsDecorated(m_grouping->currentIndex() == 0);
        fitColumns();
        foldConstants();
        m_frozen->follow();
        updateSentence();
        m_showAll->setVisible(m_model->content()->hidden() > 0);
        m_showAll->setWhole(tr("%1 hidden by the filter: show")
                                .arg(pluralText(m_model->content()->hidden(), tr("row"), tr("rows"))));
        onArgument();
    }
    showSelection();
}

void SignaturesView::onCancelled() {
    m_header->setSortColumn(m_model->content()->request().sortColumn,
                            m_model->content()->request().sortOrder);
    m_frozen->ownHeader().setSortColumn(m_header->sortColumn(), m_header->sortOrder());
    if (m_model->content()->request().function.isValid())
        return; // only a new order was given up
    m_sentence->setText(tr("Reading the calls was cancelled."));
    m_again->show();
}

void SignaturesView::fitColumns() {
    const int rows = std::min(m_model->rowCount(), kFittedRows);
    for (int column = 0; column < m_model->content()->whyColumn(); ++column) {
        const KeyComponent* component = m_model->content()->component(column);
        const QString title = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        int width = QFontMetrics(textFont(TextSize::Caption, true)).horizontalAdvance(title) + 22;
        if (component != nullptr)
            width = std::max(width, component->isNumeric && component->values.size() > 3 ? 132 : 76);
        for (int row = 0; row < rows; ++row)
            width = std::max(width, m_delegate->cellWidth(m_model->index(row, column)));
        m_header->resizeSection(column, component != nullptr ? std::min(width, kWidestComponent) : width);
    }
    m_header->resizeSection(0, std::max(112, m_header->sectionSize(0)));
}

/// The reason takes the rest of the width, but not less than it takes to be read: then the table scrolls.
void SignaturesView::fitLastColumn() {
    int others = 0;
    for (int column = 0; column < m_model->content()->whyColumn(); ++column)
        others += m_tree->isColumnHidden(column) ? 0 : m_header->sectionSize(column);
    const bool fits = others + kLeastWhy <= m_tree->viewport()->width();
    m_header->setStretchLastSection(fits);
    if (!fits)
        m_header->resizeSection(m_model->content()->whyColumn(), kLeastWhy);
}

void SignaturesView::foldConstants() {
    int constant = 0;
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const KeyComponent* component = m_model->content()->component(column);
        const bool folds = component != nullptr && component->isConstant();
        constant += folds ? 1 : 0;
        m_tree->setColumnHidden(column, folds && !m_unfolded);
    }
    fitLastColumn();
    m_constants->setVisible(constant > 0);
    m_constants->setAccessibleName(m_unfolded ? tr("Fold constant columns")
                                              : tr("Show %1 constant columns").arg(constant));
    fitControls();
}

void SignaturesView::updateSentence() {
    if (!m_model->content()->request().function.isValid()) {
        m_sentence->clear();
        m_sentence->setToolTip({});
        return;
    }
    const session::Session& session = *state().session();
    const session::FunctionSummary& summary = state().diagnosis()->functions[m_shown.value];
    const auto entries =
        static_cast<std::int64_t>(state().diagnosis()->index.entriesOfFunction[m_shown.value].size());
    QString text =
        tr("%1 reached %2%3.")
            .arg(pluralText(summary.calls - summary.eager, tr("call"), tr("calls")),
                 pluralText(entries, tr("concrete function"), tr("concrete functions")),
                 summary.eager > 0 ? tr(", %1 ran eagerly").arg(countText(summary.eager)) : QString());
    std::vector<const KeyComponent*> differing;
    for (const KeyComponent& column : m_model->content()->components()) {
        if (column.differsIn > 0)
            differing.push_back(&column);
    }
    std::ranges::stable_sort(differing, std::greater{}, &KeyComponent::differsIn);
    QStringList told;
    for (const KeyComponent* column : differing)
        told += told.isEmpty() ? tr("%1 differs in %2 of %3 retraces")
                                     .arg(column->label, countText(column->differsIn),
                                          countText(m_model->content()->retraces()))
                               : tr("%1 in %2").arg(column->label, countText(column->differsIn));
    m_sentence->setToolTip(told.size() > kMostDiffering ? told.join(QLatin1Char('\n')) : QString());
    if (told.size() > kMostDiffering) {
        const qsizetype more = told.size() - kMostDiffering;
        told = told.mid(0, kMostDiffering);
        told += tr("and %1 more").arg(more);
    }
    if (!told.isEmpty())
        text += QLatin1Char(' ') + told.join(QStringLiteral(", ")) + QLatin1Char('.');
    const QString fixed = toQString(session.text(session[m_shown].inputSignature));
    if (!fixed.isEmpty())
        text += tr(" Fixed by input_signature %1; other types are refused.").arg(fixed);
    const QString options = toQString(session.text(session[m_shown].options));
    if (!options.isEmpty())
        text += tr(" Made with %1.").arg(options);
    m_sentence->setText(text);
}

void SignaturesView::showSelection() {
    const Selection& selection = state().selection();
    QModelIndex index;
    if (selection.call.isValid())
        index = m_model->indexOfCall(selection.call);
    // The call that traced an entry is the entry's own row, unless its calls are open.
    if (index.parent().isValid() && !m_tree->isExpanded(index.parent()) &&
        m_model->row(index.parent()).call == selection.call)
        index = index.parent();
    if (!index.isValid())
        index = m_model->indexOfEntry(selection.entry);
    const QScopedValueRollback<bool> guard(m_updating, true);
    if (!index.isValid()) {
        m_tree->clearSelection();
        m_tree->setCurrentIndex({});
        return;
    }
    if (index == m_tree->currentIndex().siblingAtColumn(0))
        return;
    m_tree->setCurrentIndex(index);
    m_tree->scrollTo(index);
}

void SignaturesView::select(const QModelIndex& index) {
    if (m_updating || !index.isValid())
        return;
    const QModelIndex row = index.siblingAtColumn(0);
    const QScopedValueRollback<bool> guard(m_updating, true);
    const SignatureRows::Row chosen = m_model->row(row);
    if (chosen.call.isValid())
        state().selectCall(chosen.call);
    else if (chosen.entry.isValid())
        state().selectEntry(chosen.entry);
    else
        state().selectMiss(chosen.miss);
}

void SignaturesView::copy(std::vector<SignatureRows::Row> rows) {
    m_copying.run(
        tr("Copying signatures"),
        [content = m_model->content(), rows = std::move(rows)](const Job& job) {
            return content->tabSeparated(rows, job);
        },
        [](const QString& text) { QApplication::clipboard()->setText(text); });
}

void SignaturesView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fitControls();
}

/// Short where there is no room for all of it: tooltips and accessible names say the rest.
void SignaturesView::fitControls() {
    const bool wide = width() >= kWideControls;
    m_marking->setText(wide ? tr("Mark what differs from the nearest earlier entry")
                            : tr("Mark differences"));
    m_onlyMisses->setText(wide ? tr("Only calls that missed") : tr("Only misses"));
    m_constants->setText(wide         ? m_constants->accessibleName()
                         : m_unfolded ? tr("Fold")
                                      : tr("Show constant"));
    for (QLabel* caption : m_captions)
        caption->setVisible(wide);
    m_function->setMinimumWidth(wide ? 170 : 110);
    m_grouping->setMinimumWidth(wide ? 160 : 130);
}

bool SignaturesView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_tree->viewport() && event->type() == QEvent::Resize)
        fitLastColumn();
    if (watched == m_tree && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isStep = key->key() == Qt::Key_Down || key->key() == Qt::Key_Up;
        if (isStep && key->modifiers() == Qt::AltModifier) {
            stepDiffering(key->key() == Qt::Key_Down ? 1 : -1);
            return true;
        }
    }
    if (watched == m_tree && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        std::vector<SignatureRows::Row> rows;
        for (const QModelIndex& index : m_tree->selectionModel()->selectedRows())
            rows.push_back(m_model->row(index));
        copy(rows.empty() ? m_model->content()->rows() : std::move(rows));
        return true;
    }
    return View::eventFilter(watched, event);
}

bool SignaturesView::focusFind() {
    m_function->setFocus(Qt::ShortcutFocusReason);
    m_function->showPopup();
    return true;
}

} // namespace retracescope::views
