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

EntriesModel::Content EntriesModel::read(diagnose::DiagnosisPtr diagnosis, session::FunctionId function,
                                         const Job& job) {
    const session::Session& session = *diagnosis->session;
    const auto& entries = diagnosis->index.entriesOfFunction[function.value];
    const ShortKeys keys(session, entries);
    Content content;
    content.arguments = keys.arguments();
    for (const session::EntryId entry : entries) {
        if (job.cancel.requested())
            break;
        Row row{entry, keys.of(session[entry].signature), 0, session::kNotRecorded};
        std::vector<std::int64_t> durations;
        for (const session::CallId call : diagnosis->index.callsOfEntry[entry.value])
            durations.push_back(session.calls.durationNs[call.value] -
                                std::max<std::int64_t>(session.calls.traceNs[call.value], 0));
        row.calls = static_cast<std::int64_t>(durations.size());
        row.medianNs = session::medianOf(std::move(durations));
        content.rows.push_back(std::move(row));
    }
    content.diagnosis = std::move(diagnosis);
    return content;
}

void EntriesModel::setContent(Content content) {
    beginResetModel();
    m_content = std::move(content);
    endResetModel();
}

session::EntryId EntriesModel::entry(int row) const {
    return m_content.rows[static_cast<std::size_t>(row)].entry;
}

int EntriesModel::row(session::EntryId entry) const {
    const auto it = std::ranges::find(m_content.rows, entry, &Row::entry);
    return it == m_content.rows.end() ? -1 : static_cast<int>(it - m_content.rows.begin());
}

int EntriesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_content.rows.size());
}

int EntriesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant EntriesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid())
        return {};
    const Row& row = m_content.rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::ToolTipRole && index.column() == Key) {
        const session::Session& session = *m_content.diagnosis->session;
        const session::SignatureId signature = session[row.entry].signature;
        return signature.isValid() ? fromUtf8(session.text(session[signature].text)) : QString();
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case Number:
        return (*m_content.diagnosis->session)[row.entry].number;
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
        return m_content.arguments.isEmpty() ? tr("The key of the entry")
                                             : tr("What differs between the entries: %1")
                                                   .arg(m_content.arguments.join(QStringLiteral(", ")));
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Number:
        return tr("Entry");
    case Key:
        return m_content.arguments.isEmpty() ? tr("Key") : m_content.arguments.join(QStringLiteral(", "));
    case Calls:
        return tr("Calls");
    case Median:
        return tr("Median");
    default:
        return {};
    }
}

} // namespace retracescope::views
