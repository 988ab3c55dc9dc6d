#include "views/timeline/range_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

#include "views/shared/function_rows.h"
#include "views/shared/numbers.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

namespace {

constexpr int kDelayMs = 40;

QVariant count(std::int64_t value) {
    return QVariant::fromValue<qlonglong>(value);
}

} // namespace

RangeModel::RangeModel(QObject* parent) : QAbstractTableModel(parent) {}

void RangeModel::setSums(TimelineModelPtr model, RangeSums sums) {
    beginResetModel();
    m_model = std::move(model);
    m_sums = std::move(sums);
    endResetModel();
}

session::FunctionId RangeModel::function(int row) const {
    const auto at = static_cast<std::size_t>(row);
    return at < m_sums.rows.size() ? m_sums.rows[at].function : session::FunctionId();
}

int RangeModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_model ? 0 : static_cast<int>(m_sums.rows.size()) + 1;
}

int RangeModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RangeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const auto at = static_cast<std::size_t>(index.row());
    const bool isOutside = at >= m_sums.rows.size();
    if (role == kToneRole)
        return static_cast<int>(isOutside                                                ? Tone::Muted
                                : index.column() == Traces && m_sums.rows[at].traces > 0 ? Tone::Miss
                                                                                         : Tone::Normal);
    if (role != Qt::DisplayRole)
        return {};
    const std::int64_t length = m_sums.range.endNs - m_sums.range.beginNs;
    const auto share = [&](std::int64_t ns) {
        return QVariant(length > 0 ? static_cast<double>(ns) / static_cast<double>(length) : -1.0);
    };
    if (isOutside) {
        switch (index.column()) {
        case Name:
            return tr("outside traced functions");
        case Outside:
            return count(m_sums.outsideNs);
        case Share:
            return share(m_sums.outsideNs);
        default:
            return {};
        }
    }
    const RangeRow& row = m_sums.rows[at];
    switch (index.column()) {
    case Name:
        return toQString(m_model->diagnosis->names[row.function.value]);
    case Calls:
        return count(row.calls);
    case Hits:
        return count(row.hits);
    case Traces:
        return count(row.traces);
    case Tracing:
        return row.untoldNs > 0 ? count(session::kNotRecorded) : count(row.tracingNs);
    case Execute:
        return row.untoldNs > 0 ? count(session::kNotRecorded) : count(row.executeNs);
    case Failed:
        return count(row.failedNs);
    case Longest:
        return count(row.longestNs);
    case Share:
        return share(row.totalNs());
    default:
        return {};
    }
}

QVariant RangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Longest)
        return tr("Of the calls that begin in the range, in full");
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const std::array<QString, ColumnCount> titles{tr("Function"),     tr("Calls"),
                                                  tr("Hits"),         tr("Traces"),
                                                  tr("Tracing"),      tr("Calls without tracing"),
                                                  tr("Failed calls"), tr("Outside"),
                                                  tr("Longest call"), tr("Share of range")};
    return titles[static_cast<std::size_t>(section)];
}

std::vector<QVariant> RangeModel::totals() const {
    if (!m_model)
        return {};
    RangeRow sum;
    for (const RangeRow& row : m_sums.rows) {
        sum.calls += row.calls;
        sum.hits += row.hits;
        sum.traces += row.traces;
        sum.tracingNs += row.tracingNs;
        sum.executeNs += row.executeNs;
        sum.failedNs += row.failedNs;
    }
    return {tr("Range"),
            count(sum.calls),
            count(sum.hits),
            count(sum.traces),
            count(sum.tracingNs),
            count(sum.executeNs),
            count(sum.failedNs),
            count(m_sums.outsideNs),
            {},
            {}};
}

NamesModel::NamesModel(QObject* parent) : QAbstractTableModel(parent) {}

void NamesModel::setRows(TimelineModelPtr model, std::vector<NameRow> rows) {
    beginResetModel();
    m_model = std::move(model);
    m_rows = std::move(rows);
    m_selfNs = 0;
    for (const NameRow& row : m_rows)
        m_selfNs += row.selfNs;
    endResetModel();
}

int NamesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int NamesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant NamesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || role != Qt::DisplayRole)
        return {};
    const NameRow& shown = row(index.row());
    switch (index.column()) {
    case Name: {
        const QString name = toQString(m_model->session().text(shown.name));
        return name.isEmpty() ? tr("unnamed") : name;
    }
    case Events:
        return count(shown.events);
    case Self:
        return count(shown.selfNs);
    case Total:
        return count(shown.totalNs);
    case Longest:
        return count(shown.longestNs);
    case Share:
        return m_selfNs > 0 ? static_cast<double>(shown.selfNs) / static_cast<double>(m_selfNs) : -1.0;
    default:
        return {};
    }
}

QVariant NamesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Longest)
        return tr("Of the events that begin in the range, in full");
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const std::array<QString, ColumnCount> titles{tr("Name"),  tr("Events"),  tr("Own time"),
                                                  tr("Total"), tr("Longest"), tr("Share of own time")};
    return titles[static_cast<std::size_t>(section)];
}

RangePanel::RangePanel(ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_sums(new RangeModel(this)),
      m_table(new DataTable(state, m_sums,
                            {CellFormat::Code, CellFormat::Count, CellFormat::Count, CellFormat::Count,
                             CellFormat::ColumnTime, CellFormat::ColumnTime, CellFormat::ColumnTime,
                             CellFormat::ColumnTime, CellFormat::ColumnTime, CellFormat::Part})),
      m_names(new NamesModel(this)),
      m_namesTable(new DataTable(state, m_names,
                                 {CellFormat::Code, CellFormat::Count, CellFormat::ColumnTime,
                                  CellFormat::ColumnTime, CellFormat::ColumnTime, CellFormat::Part})),
      m_by(new QComboBox), m_tables(new QStackedWidget), m_caption(makeLabel({}, "caption")),
      m_zoom(makeButton(tr("Zoom to the range"), QStringLiteral("fit"))), m_job(state.jobs()) {
    setObjectName(QStringLiteral("rangePanel"));
    m_table->table()->setAccessibleName(tr("Range statistics"));
    m_table->setColumnWidths({220, 66, 66, 66, 110, 186, 120, 110, 130, 150}, RangeModel::Name);
    m_table->table()->horizontalHeader()->setMinimumSectionSize(52);
    m_table->table()->sortByColumn(-1, Qt::AscendingOrder);
    m_namesTable->table()->setAccessibleName(tr("Events of the range by name"));
    m_namesTable->setColumnWidths({360, 90, 120, 120, 110, 170}, NamesModel::Name);
    m_namesTable->table()->sortByColumn(NamesModel::Self, Qt::DescendingOrder);
    m_tables->addWidget(m_table);
    m_tables->addWidget(m_namesTable);
    m_by->addItems({tr("By function"), tr("By name of event")});
    m_by->setAccessibleName(tr("Group the range by"));
    m_caption->setWordWrap(true);
    auto* top = new QHBoxLayout;
    top->addWidget(m_by);
    top->addSpacing(4);
    top->addWidget(m_caption, 1);
    top->addWidget(m_zoom);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 10);
    layout->setSpacing(6);
    layout->addLayout(top);
    layout->addWidget(m_tables, 1);
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &RangePanel::update);
    connect(&state, &ViewState::selectionChanged, this, [this] { m_delay.start(); });
    connect(m_zoom, &QPushButton::clicked, this, [this] {
        if (m_state.selection().range)
            Q_EMIT zoomWanted(*m_state.selection().range);
    });
    connectFunctionRows(*m_table, state, [model = m_sums](int row) { return model->function(row); });
    connect(m_namesTable, &DataTable::rowChosen, this,
            [this](int row) { m_state.selectEvent(m_names->row(row).longest); });
    connect(m_by, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_tables->setCurrentIndex(index);
        m_shown.reset();
        update();
    });
}

void RangePanel::setModel(TimelineModelPtr model) {
    m_model = std::move(model);
    m_shown.reset();
    const bool hasCalls = m_model && m_model->session().calls.size() > 0;
    if (m_model)
        m_by->setCurrentIndex(hasCalls ? 0 : 1);
    m_by->setEnabled(hasCalls);
    update();
}

void RangePanel::update() {
    m_zoom->setEnabled(m_state.selection().range.has_value());
    m_job.drop();
    if (!m_model) {
        m_sums->setSums(nullptr, {});
        m_names->setRows(nullptr, {});
        m_table->setTotals({});
        m_caption->clear();
        return;
    }
    const session::Session& session = m_model->session();
    const TimeRange range = m_state.selection().range.value_or(TimeRange{session.originNs, session.endNs});
    if (m_shown == range)
        return; // another part of the selection changed
    m_job.run(
        tr("Summing up the range"),
        [model = m_model, range, byName = isByName()](const Job& job) {
            return byName ? Sums{{range, {}, 0, 0}, sumNames(*model, range, job)}
                          : Sums{sumRange(*model, range, job), {}};
        },
        [this](Sums sums) { show(std::move(sums)); });
}

void RangePanel::show(Sums all) {
    RangeSums& sums = all.functions;
    m_shown = sums.range;
    const session::Session& session = m_model->session();
    const std::int64_t length = sums.range.endNs - sums.range.beginNs;
    const TimeUnit unit = timeUnitFor(session.endNs - session.originNs);
    QString text =
        m_state.selection().range
            ? tr("%1 selected, %2 to %3.")
                  .arg(durationText(length), unit.number(sums.range.beginNs - session.originNs),
                       unit.text(sums.range.endNs - session.originNs))
            : tr("The whole session, %1. Drag on the ruler to select a range.").arg(durationText(length));
    if (isByName()) {
        m_caption->setText(
            text + tr(" Own time leaves out what lies inside an event; a click goes to the longest."));
        m_names->setRows(m_model, std::move(all.names));
        return;
    }
    text +=
        sums.overlapNs > 0
            ? tr(" Several threads were in traced functions at the same time: the rows add up to %1 more.")
                  .arg(durationText(sums.overlapNs))
            : tr(" The rows add up to it.");
    m_caption->setText(text);
    m_sums->setSums(m_model, std::move(sums));
    m_table->setTotals(m_sums->totals());
}

} // namespace retracescope::views
