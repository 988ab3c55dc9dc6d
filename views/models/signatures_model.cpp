#include "views/models/signatures_model.h"

#include <algorithm>
#include <tuple>

#include "views/models/comparison.h"

namespace retracescope::views {

namespace {

QVariant number(std::int64_t value) {
    return QVariant::fromValue<qlonglong>(value);
}

} // namespace

SignaturesModel::SignaturesModel(QObject* parent) : QAbstractItemModel(parent) {}

void SignaturesModel::setContent(diagnose::DiagnosisPtr diagnosis, session::FunctionId function,
                                 SignatureGrouping grouping, bool onlyMisses) {
    beginResetModel();
    m_diagnosis = std::move(diagnosis);
    m_function = m_diagnosis ? function : session::FunctionId();
    m_grouping = grouping;
    m_rows.clear();
    m_components.clear();
    m_missOfEntry.clear();
    m_retraces = 0;
    if (m_function.isValid()) {
        for (const session::MissId miss : m_diagnosis->index.missesOfFunction[m_function.value]) {
            const session::Miss& row = (*m_diagnosis->session)[miss];
            if (row.entry.isValid())
                m_missOfEntry.emplace(row.entry.value, miss);
        }
        m_retraces = retracesOf(*m_diagnosis, m_function);
        buildRows(onlyMisses);
        m_components = keyComponents(*m_diagnosis, m_function);
    }
    endResetModel();
}

void SignaturesModel::buildRows(bool onlyMisses) {
    const session::Session& session = *m_diagnosis->session;
    const session::Index& index = m_diagnosis->index;
    if (m_grouping == SignatureGrouping::Calls) {
        for (const session::CallId call : index.callsOfFunction[m_function.value]) {
            const Row row = callRow(call);
            if (!onlyMisses || row.miss.isValid())
                m_rows.push_back(row);
        }
        return;
    }
    for (const session::EntryId entry : index.entriesOfFunction[m_function.value]) {
        Row row;
        row.entry = entry;
        if (const auto it = m_missOfEntry.find(entry.value); it != m_missOfEntry.end()) {
            row.miss = it->second;
            row.call = session[it->second].call;
        }
        m_rows.push_back(row);
    }
    for (const session::MissId miss : index.missesOfFunction[m_function.value]) {
        if (!session[miss].entry.isValid())
            m_rows.push_back({{}, session[miss].call, miss, false});
    }
}

SignaturesModel::Row SignaturesModel::callRow(session::CallId call) const {
    return {m_diagnosis->session->calls.entry[call.value], call, m_diagnosis->index.missOfCall[call.value],
            true};
}

/// A miss is shown as it was asked for, a hit as the key that served it: recordings do not keep the request
/// of a hit.
session::SignatureId SignaturesModel::key(const Row& row) const {
    const session::Session& session = *m_diagnosis->session;
    if (row.miss.isValid() && (row.isCall || !row.entry.isValid()))
        return session[row.miss].request;
    return row.entry.isValid() ? session[row.entry].signature : session::SignatureId();
}

int SignaturesModel::nextDiffering(int row, int by, int column) const {
    const KeyComponent* wanted = component(column);
    for (int next = row + by; next >= 0 && next < static_cast<int>(m_rows.size()); next += by) {
        const session::MissId miss = m_rows[static_cast<std::size_t>(next)].miss;
        if (!miss.isValid())
            continue;
        const auto& differences = m_diagnosis->explanations[miss.value].differences;
        if (wanted == nullptr
                ? !differences.empty()
                : std::ranges::find(differences, wanted->path, &types::Difference::path) != differences.end())
            return next;
    }
    return -1;
}

void SignaturesModel::sort(int column, Qt::SortOrder order) {
    beginResetModel();
    const auto made = [](const Row& row) {
        return std::tuple(!row.entry.isValid() && !row.isCall, row.isCall ? row.call.value : row.entry.value,
                          row.miss.value);
    };
    std::ranges::sort(m_rows, {}, made);
    if (column >= 0 && column < columnCount()) {
        std::vector<std::pair<QVariant, Row>> keyed;
        for (const Row& row : m_rows)
            keyed.emplace_back(value(row, column), row);
        const auto less = [](const QVariant& a, const QVariant& b) {
            bool aIsNumber = false;
            bool bIsNumber = false;
            const double left = a.toDouble(&aIsNumber);
            const double right = b.toDouble(&bIsNumber);
            if (aIsNumber && bIsNumber)
                return left < right;
            return aIsNumber != bIsNumber ? aIsNumber : a.toString() < b.toString();
        };
        std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
            return order == Qt::AscendingOrder ? less(a.first, b.first) : less(b.first, a.first);
        });
        std::ranges::transform(keyed, m_rows.begin(), [](const auto& pair) { return pair.second; });
    }
    endResetModel();
}

const KeyComponent* SignaturesModel::component(int column) const {
    const int position = column - FixedColumnCount;
    return position >= 0 && position < static_cast<int>(m_components.size())
               ? &m_components[static_cast<std::size_t>(position)]
               : nullptr;
}

SignaturesModel::Row SignaturesModel::rowOf(const QModelIndex& index) const {
    if (index.internalId() == 0)
        return m_rows[static_cast<std::size_t>(index.row())];
    const Row& parent = m_rows[index.internalId() - 1];
    return callRow(
        m_diagnosis->index.callsOfEntry[parent.entry.value][static_cast<std::size_t>(index.row())]);
}

bool SignaturesModel::isCall(const QModelIndex& index) const {
    return rowOf(index).isCall;
}

session::EntryId SignaturesModel::entry(const QModelIndex& index) const {
    return rowOf(index).entry;
}

session::CallId SignaturesModel::call(const QModelIndex& index) const {
    return rowOf(index).call;
}

session::MissId SignaturesModel::miss(const QModelIndex& index) const {
    return rowOf(index).miss;
}

QModelIndex SignaturesModel::indexOfEntry(session::EntryId entry) const {
    if (!entry.isValid() || m_grouping == SignatureGrouping::Calls)
        return {};
    const auto it = std::ranges::find(m_rows, entry, &Row::entry);
    return it == m_rows.end() ? QModelIndex() : index(static_cast<int>(it - m_rows.begin()), 0);
}

QModelIndex SignaturesModel::indexOfCall(session::CallId call) const {
    if (!call.isValid() || !m_diagnosis)
        return {};
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        if (m_rows[row].call == call && (m_rows[row].isCall || !m_rows[row].entry.isValid()))
            return index(static_cast<int>(row), 0);
    }
    const QModelIndex parent = indexOfEntry(m_diagnosis->session->calls.entry[call.value]);
    if (!parent.isValid())
        return {};
    const auto& calls =
        m_diagnosis->index.callsOfEntry[m_rows[static_cast<std::size_t>(parent.row())].entry.value];
    const auto it = std::ranges::find(calls, call);
    return it == calls.end() ? QModelIndex() : index(static_cast<int>(it - calls.begin()), 0, parent);
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
        return static_cast<int>(m_rows.size());
    if (parent.internalId() != 0 || parent.column() != 0)
        return 0;
    const Row& row = m_rows[static_cast<std::size_t>(parent.row())];
    return row.isCall || !row.entry.isValid()
               ? 0
               : static_cast<int>(m_diagnosis->index.callsOfEntry[row.entry.value].size());
}

int SignaturesModel::columnCount(const QModelIndex&) const {
    return whyColumn() + 1;
}

QVariant SignaturesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Row row = rowOf(index);
    const KeyComponent* column = component(index.column());
    if (role == Qt::DisplayRole)
        return value(row, index.column());
    if (role == Qt::ToolTipRole && index.column() == whyColumn())
        return value(row, index.column());
    if (role == Qt::ToolTipRole && column != nullptr) {
        const std::optional<QString> before = was(row, *column);
        const QString text = tr("%1: %2").arg(column->label, value(row, index.column()).toString());
        return before ? tr("%1, was %2").arg(text, *before) : text;
    }
    if (column == nullptr || (role != DiffersRole && role != WasRole))
        return {};
    const std::optional<QString> before = was(row, *column);
    if (role == DiffersRole)
        return before.has_value();
    return before ? QVariant(*before) : QVariant();
}

QVariant SignaturesModel::value(const Row& row, int column) const {
    if (const KeyComponent* shown = component(column))
        return componentValue(row, *shown);
    if (column == whyColumn())
        return row.miss.isValid() ? QString::fromStdString(m_diagnosis->explanations[row.miss.value].sentence)
                                  : QString();
    return column == traceColumn() ? traceValue(row) : fixedValue(row, column);
}

QVariant SignaturesModel::fixedValue(const Row& row, int column) const {
    const session::Session& session = *m_diagnosis->session;
    if (row.isCall) {
        const auto call = row.call.value;
        switch (column) {
        case First:
            return number(session.calls.number[call]);
        case Second:
            return number(session.calls.startNs[call] - session.originNs);
        case Third:
            return row.entry.isValid() ? number(session[row.entry].number) : QVariant();
        case Fourth:
            return number(session.calls.durationNs[call]);
        default:
            return {};
        }
    }
    const std::int64_t calls =
        row.entry.isValid()
            ? static_cast<std::int64_t>(m_diagnosis->index.callsOfEntry[row.entry.value].size())
            : 0;
    switch (column) {
    case First:
        return row.entry.isValid() ? number(session[row.entry].number) : QVariant();
    case Second:
        return row.call.isValid() ? number(session.calls.number[row.call.value]) : QVariant();
    case Third:
        return row.entry.isValid() ? number(calls) : number(1);
    case Fourth: {
        if (!row.entry.isValid())
            return number(0);
        const auto& served = m_diagnosis->index.callsOfEntry[row.entry.value];
        return number(std::ranges::count_if(served, [&](session::CallId id) {
            return session.calls.outcome[id.value] == session::Outcome::Hit;
        }));
    }
    default:
        return {};
    }
}

QVariant SignaturesModel::traceValue(const Row& row) const {
    const session::Session& session = *m_diagnosis->session;
    if (row.isCall)
        return number(session.calls.traceNs[row.call.value]);
    if (row.entry.isValid())
        return number(session[row.entry].traceNs);
    return number(session[row.miss].traceNs);
}

QVariant SignaturesModel::componentValue(const Row& row, const KeyComponent& column) const {
    const session::SignatureId signature = key(row);
    if (!signature.isValid())
        return {};
    const types::Component* component = findComponent((*m_diagnosis->session)[signature], column.path);
    return component != nullptr ? componentText(*component) : tr("none");
}

std::optional<QString> SignaturesModel::was(const Row& row, const KeyComponent& column) const {
    if (!row.miss.isValid())
        return std::nullopt;
    const auto& differences = m_diagnosis->explanations[row.miss.value].differences;
    const auto it = std::ranges::find(differences, column.path, &types::Difference::path);
    if (it == differences.end())
        return std::nullopt;
    return QString::fromStdString(it->before);
}

QVariant SignaturesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    if (const KeyComponent* column = component(section))
        return column->label;
    if (section == traceColumn())
        return tr("Trace");
    if (section == whyColumn())
        return tr("Why it traced");
    const bool calls = m_grouping == SignatureGrouping::Calls;
    switch (section) {
    case First:
        return calls ? tr("Call") : tr("Entry");
    case Second:
        return calls ? tr("At") : tr("First call");
    case Third:
        return calls ? tr("Entry") : tr("Calls");
    case Fourth:
        return calls ? tr("Took") : tr("Hits");
    default:
        return {};
    }
}

} // namespace retracescope::views
