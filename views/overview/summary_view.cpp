#include "views/overview/summary_view.h"

#include <algorithm>

#include <QHeaderView>
#include <QVBoxLayout>

#include "views/overview/trust.h"
#include "views/shared/function_rows.h"
#include "views/shared/icons.h"
#include "views/shared/numbers.h"

namespace retracescope::views {

namespace {

constexpr std::size_t kCards = 3;
constexpr int kWidestPage = 2000;
constexpr int kMostTableRows = 8;
/// Below this width the side column goes under the table.
constexpr int kWideEnoughForSide = 1380;
/// Below this height cards leave out the diff.
constexpr int kTallEnoughForDiffs = 700;

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

/// A line with an icon in front, in a card.
QLayout* iconLine(const QString& iconName, const QColor& color, const QString& text,
                  const QString& right = {}) {
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    auto* icon = new QLabel;
    icon->setPixmap(iconPixmap(iconName, color, 14, 2.0));
    icon->setFixedSize(14, 16);
    row->addWidget(icon, 0, Qt::AlignTop);
    QLabel* label = makeLabel(text);
    label->setWordWrap(true);
    row->addWidget(label, 1);
    if (!right.isEmpty())
        row->addWidget(makeLabel(right, "muted"));
    return row;
}

} // namespace

SummaryView::SummaryView(ViewState& state, QWidget* parent)
    : View(state, QStringLiteral("summary"), tr("Summary"), parent), m_model(new FunctionsModel(this)),
      m_pages(new QStackedWidget), m_empty(new EmptyPanel(state, id())), m_scroll(new QScrollArea),
      m_mark(new QLabel), m_headline(makeLabel({}, "headline")), m_subline(makeLabel({}, "subline")),
      m_showEdits(makeButton(tr("Show the edits"), QStringLiteral("bulb"), true)),
      m_timeTitle(makeLabel(tr("Where the time went"), "strong")), m_timeCaption(makeLabel({}, "caption")),
      m_timeBar(new TimeBar(state)), m_cards(new QHBoxLayout), m_moreFindings(new Link({})),
      m_columns(new QBoxLayout(QBoxLayout::LeftToRight)), m_table(new DataTable(state, m_model, formats())),
      m_tableCaption(makeLabel({}, "caption")), m_chart(new CallChart(state)),
      m_chartTitle(makeLabel({}, "strong")), m_chartCaption(makeLabel({}, "caption")), m_expected(makeCard()),
      m_trust(makeCard()) {
    m_scroll->setWidget(makePage());
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_pages->addWidget(m_scroll);
    m_pages->addWidget(m_empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connect(&state, &ViewState::diagnosisChanged, this, &SummaryView::onDiagnosisChanged);
    connect(&state, &ViewState::selectionChanged, this, &SummaryView::onSelectionChanged);
    connect(&state, &ViewState::themeChanged, this, [this] {
        updateHead();
        rebuildExpected();
        rebuildTrust();
    });
    for (QPushButton* button : {m_showEdits, static_cast<QPushButton*>(m_moreFindings)})
        connect(button, &QPushButton::clicked, this,
                [this] { this->state().requestView(QStringLiteral("findings")); });
    connectFunctionRows(*m_table, state, [model = m_model](int row) { return model->function(row); });
    onDiagnosisChanged();
}

QLayout* SummaryView::makeHead() {
    m_mark->setFixedSize(36, 36);
    m_headline->setObjectName(QStringLiteral("headline"));
    m_headline->setWordWrap(true);
    m_subline->setWordWrap(true);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_headline);
    words->addWidget(m_subline);
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    row->addWidget(m_mark);
    row->addLayout(words, 1);
    row->addWidget(m_showEdits);
    return row;
}

QWidget* SummaryView::makePage() {
    auto* page = new QWidget;
    page->setProperty("surface", "view");
    page->setMaximumWidth(kWidestPage);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(16, 14, 16, 14);
    layout->setSpacing(8);
    layout->addLayout(makeHead());
    layout->addSpacing(8);
    auto* time = new QHBoxLayout;
    time->addWidget(m_timeTitle);
    time->addWidget(m_timeCaption);
    time->addStretch();
    layout->addLayout(time);
    layout->addWidget(m_timeBar);
    layout->addSpacing(4);
    m_cards->setSpacing(12);
    layout->addLayout(m_cards);
    layout->addSpacing(4);
    m_columns->setSpacing(16);
    m_columns->addLayout(makeFunctions(), 67);
    m_columns->addLayout(makeSide(), 33);
    layout->addLayout(m_columns, 1);
    return page;
}

QLayout* SummaryView::makeFunctions() {
    QTableView* table = m_table->table();
    table->setAccessibleName(tr("Functions"));
    for (const auto column : {FunctionsModel::Engine, FunctionsModel::P95Call, FunctionsModel::Entries,
                              FunctionsModel::NeverHit, FunctionsModel::Errors})
        table->setColumnHidden(column, true);
    m_table->setColumnWidths({150, 80, 56, 52, 60, 110, 106, 92, 172, 116, 100, 70, 80, 60, 130},
                             FunctionsModel::Name);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->horizontalHeader()->setMinimumSectionSize(56);
    table->sortByColumn(FunctionsModel::Avoidable, Qt::DescendingOrder);
    auto* title = new QHBoxLayout;
    title->addWidget(makeLabel(tr("Functions"), "strong"));
    title->addWidget(m_tableCaption);
    title->addStretch();
    title->addWidget(m_moreFindings);
    auto* chartTitle = new QHBoxLayout;
    chartTitle->addWidget(m_chartTitle);
    chartTitle->addStretch();
    chartTitle->addWidget(m_chartCaption);
    auto* column = new QVBoxLayout;
    column->setSpacing(6);
    column->addLayout(title);
    column->addWidget(m_table);
    column->addSpacing(6);
    column->addLayout(chartTitle);
    column->addWidget(m_chart);
    column->addStretch(1);
    return column;
}

QLayout* SummaryView::makeSide() {
    auto* side = new QVBoxLayout;
    side->setSpacing(12);
    for (QFrame* card : {m_expected, m_trust}) {
        auto* layout = new QVBoxLayout(card);
        layout->setContentsMargins(14, 12, 14, 12);
        layout->setSpacing(7);
        side->addWidget(card);
    }
    side->addStretch(1);
    return side;
}

void SummaryView::onDiagnosisChanged() {
    m_model->setDiagnosis(state().diagnosis());
    const session::Session* session = state().session();
    const bool noCalls = session != nullptr && state().diagnosis()->functions.empty();
    if (session == nullptr || noCalls)
        m_empty->setMissing(noCalls ? toQString(state().diagnosis()->headline) : QString());
    m_pages->setCurrentIndex(session == nullptr || noCalls ? 1 : 0);
    m_table->setTotals(m_model->totals());
    updateHead();
    rebuildCards();
    rebuildExpected();
    rebuildTrust();
    fitToSize();
    onSelectionChanged();
    m_scroll->ensureVisible(0, 0);
}

void SummaryView::updateHead() {
    if (state().session() == nullptr)
        return;
    const diagnose::Diagnosis& diagnosis = *state().diagnosis();
    const Theme& theme = state().theme();
    m_mark->setPixmap(diagnosis.nothingToFix ? iconPixmap(QStringLiteral("check"), theme.hit.fill, 32, 2.0)
                      : diagnosis.whyTold    ? iconPixmap(QStringLiteral("warn"), theme.miss.fill, 34, 2.0)
                                             : iconPixmap(QStringLiteral("info"), theme.muted, 32, 2.0));
    m_headline->setText(toQString(diagnosis.headline));
    m_headline->setAccessibleName(m_headline->text());
    m_headline->setStyleSheet(diagnosis.nothingToFix ? QStringLiteral("color: %1").arg(theme.hit.text.name())
                                                     : QString());
    m_subline->setText(toQString(diagnosis.subline));
    const bool ranked =
        std::ranges::any_of(diagnosis.findings, [](const auto& finding) { return !finding.expected; });
    m_showEdits->setVisible(ranked);
    const bool hasTime = diagnosis.time.totalNs > 0;
    for (QWidget* widget : {static_cast<QWidget*>(m_timeTitle), static_cast<QWidget*>(m_timeCaption),
                            static_cast<QWidget*>(m_timeBar)})
        widget->setVisible(hasTime);
    m_timeBar->setTime(diagnosis.time);
    m_timeCaption->setText(
        tr("%1 from the first event to the last; the parts add up to it").arg(m_timeBar->totalText()));
}

void SummaryView::rebuildCards() {
    clearLayout(m_cards);
    m_cardWidgets.clear();
    m_moreFindings->hide();
    if (state().session() == nullptr)
        return;
    const auto& findings = state().diagnosis()->findings;
    const auto ranked =
        static_cast<std::size_t>(std::ranges::count(findings, false, &diagnose::Finding::expected));
    for (std::size_t i = 0; i < ranked && i < kCards; ++i) {
        auto* card = new FindingCard(state(), static_cast<int>(i) + 1, findings[i]);
        connect(card, &FindingCard::evidenceRequested, this, [this, miss = findings[i].misses.front()] {
            state().selectMiss(miss);
            state().requestView(QStringLiteral("findings"));
        });
        m_cards->addWidget(card, 1);
        m_cardWidgets.push_back(card);
    }
    if (ranked > kCards) {
        m_moreFindings->setWhole(tr("%1 in Findings")
                                     .arg(pluralText(static_cast<std::int64_t>(ranked - kCards),
                                                     tr("more finding"), tr("more findings"))));
        m_moreFindings->show();
    }
}

void SummaryView::rebuildExpected() {
    clearLayout(m_expected->layout());
    if (state().session() == nullptr)
        return;
    const diagnose::Diagnosis& diagnosis = *state().diagnosis();
    std::int64_t traces = 0;
    std::int64_t cost = 0;
    std::vector<const diagnose::Finding*> expected;
    for (const diagnose::Finding& finding : diagnosis.findings) {
        if (!finding.expected)
            continue;
        traces += finding.traces;
        cost += finding.costNs;
        expected.push_back(&finding);
    }
    m_expected->setVisible(!expected.empty());
    auto* layout = static_cast<QVBoxLayout*>(m_expected->layout());
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Expected, not ranked"), "strong"));
    head->addStretch();
    head->addWidget(makeLabel(
        tr("%1 · %2").arg(pluralText(traces, tr("trace"), tr("traces")), durationText(cost)), "muted"));
    layout->addLayout(head);
    for (std::size_t i = 0; i < expected.size() && i < 5; ++i) {
        auto* row = new QHBoxLayout;
        row->addWidget(new ElidedLabel(toQString(expected[i]->title)), 1);
        row->addWidget(makeLabel(pluralText(expected[i]->traces, tr("trace"), tr("traces")), "muted"));
        layout->addLayout(row);
    }
    if (expected.size() > 5)
        layout->addWidget(makeLabel(tr("and %1 more").arg(expected.size() - 5), "caption"));
}

void SummaryView::rebuildTrust() {
    clearLayout(m_trust->layout());
    if (state().session() == nullptr)
        return;
    auto* layout = static_cast<QVBoxLayout*>(m_trust->layout());
    layout->addWidget(makeLabel(tr("How far to trust this recording"), "strong"));
    const Theme& theme = state().theme();
    for (const TrustLine& line : trustLines(*state().session())) {
        const bool isGood = line.trust == Trust::Good;
        const bool isLimit = line.trust == Trust::Limit;
        layout->addLayout(iconLine(isGood    ? QStringLiteral("check")
                                   : isLimit ? QStringLiteral("info")
                                             : QStringLiteral("warn"),
                                   isGood    ? theme.hit.fill
                                   : isLimit ? theme.muted
                                             : theme.warning.text,
                                   line.text));
    }
}

void SummaryView::onSelectionChanged() {
    const session::FunctionId function = state().shownFunction();
    m_chart->setFunction(function);
    m_table->selectSourceRow(state().selection().function.isValid() ? m_model->row(function) : -1);
    const bool shown =
        function.isValid() && !state().diagnosis()->index.callsOfFunction[function.value].empty();
    for (QWidget* widget : {static_cast<QWidget*>(m_chart), static_cast<QWidget*>(m_chartTitle),
                            static_cast<QWidget*>(m_chartCaption)})
        widget->setVisible(shown);
    if (!shown)
        return;
    m_chartTitle->setText(tr("Time per call of %1")
                              .arg(toQString(state().session()->text((*state().session())[function].name))));
    m_chartCaption->setText(
        tr("%1, call number to the right; a click selects the call")
            .arg(pluralText(
                static_cast<std::int64_t>(state().diagnosis()->index.callsOfFunction[function.value].size()),
                tr("call"), tr("calls"))));
    m_chart->setAccessibleName(m_chartTitle->text());
}

void SummaryView::fitToSize() {
    for (FindingCard* card : m_cardWidgets)
        card->setCompact(height() < kTallEnoughForDiffs);
    const int rows = std::min(m_model->rowCount(), kMostTableRows);
    m_table->setFixedHeight(m_table->fullHeight() - (m_model->rowCount() - rows) * kRowHeight);
    m_tableCaption->setText(
        tr("%1 · a click on a title sorts")
            .arg(pluralText(m_model->rowCount(), tr("traced function"), tr("traced functions"))));
    m_columns->setDirection(width() < kWideEnoughForSide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void SummaryView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fitToSize();
}

QPixmap SummaryView::picture(qreal scale) {
    QWidget* page = m_pages->currentIndex() == 0 ? m_scroll->widget() : static_cast<QWidget*>(this);
    QPixmap pixmap(page->size() * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(state().theme().view);
    page->render(&pixmap);
    return pixmap;
}

} // namespace retracescope::views
