#include "views/models/entries_model.h"

#include <algorithm>
#include <map>

namespace retracescope::views {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// What the components of one argument say, collected under the path before its last part.
struct ShortArgument {
    QString dtype;
    QStringList axes;
    QString value;
    bool openRank = false;
};

std::string argumentOf(const std::string& path) {
    return path.substr(0, path.find_last_of('.'));
}

} // namespace

std::set<std::string> tellingArguments(const session::Session& session,
                                       const std::vector<session::EntryId>& entries) {
    std::map<std::string, std::set<std::string>> values; // by path
    std::map<std::string, std::size_t> seen;
    for (const session::EntryId entry : entries) {
        for (const types::Component& component : session[session[entry].signature].components) {
            values[component.path].insert(component.value);
            ++seen[component.path];
        }
    }
    std::set<std::string> telling;
    std::set<std::string> all;
    for (const auto& [path, texts] : values) {
        all.insert(argumentOf(path));
        if (texts.size() > 1 || seen[path] != entries.size())
            telling.insert(argumentOf(path));
    }
    return telling.empty() ? all : telling;
}

QString shortKey(const session::Session& session, session::SignatureId signature,
                 const std::set<std::string>& named) {
    std::vector<std::pair<std::string, ShortArgument>> arguments;
    const auto argument = [&arguments](const std::string& path) -> ShortArgument& {
        const std::string name = argumentOf(path);
        const auto it = std::ranges::find(arguments, name, &std::pair<std::string, ShortArgument>::first);
        if (it != arguments.end())
            return it->second;
        return arguments.emplace_back(name, ShortArgument()).second;
    };
    for (const types::Component& component : session[signature].components) {
        if (!named.contains(argumentOf(component.path)))
            continue;
        ShortArgument& short_ = argument(component.path);
        const QString value = component.open ? QStringLiteral("?") : fromUtf8(component.value);
        switch (component.kind) {
        case types::ComponentKind::Dtype:
            short_.dtype = value;
            break;
        case types::ComponentKind::Dimension:
            short_.axes.push_back(value);
            break;
        case types::ComponentKind::Rank:
            short_.openRank = component.open;
            break;
        case types::ComponentKind::Value:
        case types::ComponentKind::Length:
        case types::ComponentKind::Keys:
        case types::ComponentKind::Identity:
            short_.value = value;
            break;
        default:
            break;
        }
    }
    QStringList parts;
    for (const auto& [name, short_] : arguments) {
        if (!short_.dtype.isEmpty())
            parts.push_back(short_.openRank ? QStringLiteral("%1[…]").arg(short_.dtype)
                                            : QStringLiteral("%1[%2]").arg(
                                                  short_.dtype, short_.axes.join(QLatin1Char(','))));
        else if (!short_.value.isEmpty())
            parts.push_back(short_.value);
    }
    return parts.join(QStringLiteral(", "));
}

EntriesModel::EntriesModel(QObject* parent) : QAbstractTableModel(parent) {}

void EntriesModel::setFunction(diagnose::DiagnosisPtr diagnosis, session::FunctionId function) {
    if (diagnosis == m_diagnosis && function == m_function)
        return;
    beginResetModel();
    m_diagnosis = std::move(diagnosis);
    m_function = function;
    m_rows.clear();
    if (m_diagnosis && function.isValid()) {
        const session::Session& session = *m_diagnosis->session;
        const auto& entries = m_diagnosis->index.entriesOfFunction[function.value];
        const std::set<std::string> telling = tellingArguments(session, entries);
        for (const session::EntryId entry : entries) {
            Row row{entry, shortKey(session, session[entry].signature, telling), 0, session::kNotRecorded};
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
    if (role != Qt::DisplayRole || !index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
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
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Number:
        return tr("Entry");
    case Key:
        return tr("Key");
    case Calls:
        return tr("Calls");
    case Median:
        return tr("Median");
    default:
        return {};
    }
}

} // namespace retracescope::views
