#include "views/models/entries_model.h"

#include <algorithm>

#include "views/models/short_key.h"

namespace retracescope::views {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

EntriesModel::EntriesModel(QObject* parent) : QAbstractTableModel(parent) {}

void EntriesModel::setFunction(diagnose::DiagnosisPtr diagnosis, session::FunctionId function) {
    if (diagnosis == m_diagnosis && function == m_function)
        return;
    beginResetModel();
    m_diagnosis = std::move(diagnosis);
    m_function = function;
    m_rows.clear();
    m_arguments.clear();
    if (m_diagnosis && function.isValid()) {
        const session::Session& session = *m_diagnosis->session;
        const auto& entries = m_diagnosis->index.entriesOfFunction[function.value];
        const ShortKeys keys(session, entries);
        m_arguments = keys.arguments();
        for (const session::EntryId entry : entries) {
            Row row{entry, keys.of(session[entry].signature), 0, session::kNotRecorded};
            std::vector<std::int64_t> durations;
            for (const session::CallId call : m_diagnosis->index.callsOfEntry[entry.value])
                durations.push_back(session.calls.durationNs[call.value] - session.calls.traceNs[call.value]);
            row.calls = static_cast<std::int64_t>(durations.size());
            if (!durations.empty()) {
                const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
                std::nth_element(durations.begin(), middle, durations.end());
                row.medianNs = *middle;
            }
            m_rows.push_back(std::move(row));
        }
    }
    endResetModel();
}

session::EntryId EntriesModel::entry(int row) const {
    return m_rows[static_cast<std::size_t>(row)].entry;
}

int EntriesModel::row(session::EntryId entry) const {
    const auto it = std::ranges::find(m_rows, entry, &Row::entry);
    return it == m_rows.end() ? -1 : static_cast<int>(it - m_rows.begin());
}

int EntriesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int EntriesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EntriesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::ToolTipRole && index.column() == Key) {
        const session::Session& session = *m_diagnosis->session;
        const session::SignatureId signature = session[row.entry].signature;
        return signature.isValid() ? fromUtf8(session.text(session[signature].text)) : QString();
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Number:
        return (*m_diagnosis->session)[row.entry].number;
    case Key:
        return row.key;
    case Calls:
        return QVariant::fromValue<qlonglong>(row.calls);
    case Median:
        return QVariant::fromValue<qlonglong>(row.medianNs);
    default:
        return {};
    }
}

QVariant EntriesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && role == Qt::ToolTipRole && section == Key)
        return m_arguments.isEmpty()
                   ? tr("The key of the entry")
                   : tr("What differs between the entries: %1").arg(m_arguments.join(QStringLiteral(", ")));
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Number:
        return tr("Entry");
    case Key:
        return m_arguments.isEmpty() ? tr("Key") : m_arguments.join(QStringLiteral(", "));
    case Calls:
        return tr("Calls");
    case Median:
        return tr("Median");
    default:
        return {};
    }
}

} // namespace retracescope::views
