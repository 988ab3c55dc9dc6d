#include "views/models/signature_rows.h"

#include <algorithm>
#include <unordered_map>

#include <QCoreApplication>
#include <QStringList>

#include "views/models/comparison.h"

namespace retracescope::views {

namespace {

/// Rows between two looks at Cancel.
constexpr std::size_t kStride = 4096;

QVariant number(std::int64_t value) {
    return QVariant::fromValue<qlonglong>(value);
}

QString tr(const char* text) {
    return QCoreApplication::translate("SignaturesModel", text);
}

/// What a cell sorts by: numbers before texts.
struct SortKey {
    bool isText = false;
    double number = 0;
    QString text;

    explicit SortKey(const QVariant& value) {
        bool isNumber = false;
        number = value.toDouble(&isNumber);
        isText = !isNumber;
        if (isText)
            text = value.toString();
    }

    bool operator<(const SortKey& other) const {
        if (isText != other.isText)
            return !isText;
        return isText ? text < other.text : number < other.number;
    }
};

} // namespace

SignatureRows::SignatureRows(diagnose::DiagnosisPtr diagnosis, const SignatureRequest& request,
                             const Job& job)
    : m_diagnosis(std::move(diagnosis)), m_request(request) {
    if (!m_diagnosis || !request.function.isValid())
        return;
    m_retraces = retracesOf(*m_diagnosis, request.function);
    if (request.grouping == SignatureGrouping::Calls)
        addCalls(job);
    else
        addEntries();
    m_components = keyComponents(*m_diagnosis, request.function, job);
    measure();
    if (request.sortColumn >= 0 && request.sortColumn < columnCount())
        sort(job);
}

void SignatureRows::measure() {
    const session::Session& session = *m_diagnosis->session;
    const session::Index& index = m_diagnosis->index;
    for (const session::CallId call : index.callsOfFunction[m_request.function.value]) {
        m_latestNs = std::max(m_latestNs, session.calls.startNs[call.value] - session.originNs);
        m_longestCallNs = std::max(m_longestCallNs, session.calls.durationNs[call.value]);
        m_longestTraceNs = std::max(m_longestTraceNs, session.calls.traceNs[call.value]);
    }
    for (const session::MissId miss : index.missesOfFunction[m_request.function.value])
        m_longestTraceNs = std::max(m_longestTraceNs, session[miss].traceNs);
    for (const session::EntryId entry : index.entriesOfFunction[m_request.function.value])
        m_longestTraceNs = std::max(m_longestTraceNs, session[entry].traceNs);
}

std::int64_t SignatureRows::largestNs(int column) const {
    if (column == traceColumn())
        return m_longestTraceNs;
    return column == Second ? m_latestNs : column == Fourth ? m_longestCallNs : 0;
}

void SignatureRows::addCalls(const Job& job) {
    for (const session::CallId call : m_diagnosis->index.callsOfFunction[m_request.function.value]) {
        const Row row = callRow(call);
        if (m_request.onlyMisses && !row.miss.isValid())
            continue;
        if (passes(m_request.outcome, *m_diagnosis, call))
            m_rows.push_back(row);
        else
            ++m_hidden;
        if (m_rows.size() % kStride == 0 && job.cancel.requested())
            return;
    }
}

void SignatureRows::addEntries() {
    const session::Session& session = *m_diagnosis->session;
    const session::Index& index = m_diagnosis->index;
    const auto& misses = index.missesOfFunction[m_request.function.value];
    std::unordered_map<std::uint32_t, session::MissId> missOfEntry; // whose trace made it
    for (const session::MissId miss : misses) {
        if (session[miss].entry.isValid())
            missOfEntry.emplace(session[miss].entry.value, miss);
    }
    for (const session::EntryId entry : index.entriesOfFunction[m_request.function.value]) {
        Row row;
        row.entry = entry;
        if (const auto it = missOfEntry.find(entry.value); it != missOfEntry.end()) {
            row.miss = it->second;
            row.call = session[it->second].call;
        }
        row.hits = std::ranges::count_if(index.callsOfEntry[entry.value], [&](session::CallId call) {
            return session.calls.outcome[call.value] == session::Outcome::Hit;
        });
        const bool isShown = (row.miss.isValid() && passes(m_request.outcome, *m_diagnosis, row.miss)) ||
                             std::ranges::any_of(index.callsOfEntry[entry.value], [&](session::CallId call) {
                                 return passes(m_request.outcome, *m_diagnosis, call);
                             });
        if (isShown || m_request.outcome == diagnose::FilterOutcome::Any)
            m_rows.push_back(row);
        else
            ++m_hidden;
    }
    for (const session::MissId miss : misses) {
        if (session[miss].entry.isValid())
            continue;
        if (passes(m_request.outcome, *m_diagnosis, miss))
            m_rows.push_back({{}, session[miss].call, miss, false, 0});
        else
            ++m_hidden;
    }
}

void SignatureRows::sort(const Job& job) {
    std::vector<std::pair<SortKey, Row>> keyed;
    keyed.reserve(m_rows.size());
    for (const Row& row : m_rows) {
        keyed.emplace_back(SortKey(value(row, m_request.sortColumn)), row);
        if (keyed.size() % kStride == 0 && job.cancel.requested())
            return;
    }
    const bool ascending = m_request.sortOrder == Qt::AscendingOrder;
    std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
        return ascending ? a.first < b.first : b.first < a.first;
    });
    std::ranges::transform(keyed, m_rows.begin(), [](const auto& pair) { return pair.second; });
}

std::size_t SignatureRows::callCount(const Row& row) const {
    return row.isCall || !row.entry.isValid() ? 0 : m_diagnosis->index.callsOfEntry[row.entry.value].size();
}

SignatureRows::Row SignatureRows::callRow(session::CallId call) const {
    return {entryOf(call), call, m_diagnosis->index.missOfCall[call.value], true, 0};
}

SignatureRows::Row SignatureRows::callBelow(const Row& row, std::size_t position) const {
    return callRow(m_diagnosis->index.callsOfEntry[row.entry.value][position]);
}

std::optional<std::size_t> SignatureRows::positionBelow(const Row& row, session::CallId call) const {
    const auto& calls = m_diagnosis->index.callsOfEntry[row.entry.value];
    const auto it = std::ranges::find(calls, call);
    return it == calls.end() ? std::nullopt : std::optional(static_cast<std::size_t>(it - calls.begin()));
}

session::EntryId SignatureRows::entryOf(session::CallId call) const {
    return m_diagnosis->session->calls.entry[call.value];
}

const KeyComponent* SignatureRows::component(int column) const {
    const int position = column - FixedColumnCount;
    return position >= 0 && position < static_cast<int>(m_components.size())
               ? &m_components[static_cast<std::size_t>(position)]
               : nullptr;
}

/// A miss is shown as it was asked for, a hit as the key that served it: recordings do not keep the request
/// of a hit.
session::SignatureId SignatureRows::key(const Row& row) const {
    const session::Session& session = *m_diagnosis->session;
    if (row.miss.isValid() && (row.isCall || !row.entry.isValid()))
        return session[row.miss].request;
    return row.entry.isValid() ? session[row.entry].signature : session::SignatureId();
}

int SignatureRows::nextDiffering(int row, int by, int column) const {
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

QVariant SignatureRows::value(const Row& row, int column) const {
    if (const KeyComponent* shown = component(column))
        return componentValue(row, *shown);
    if (column == whyColumn())
        return row.miss.isValid() ? QString::fromStdString(m_diagnosis->explanations[row.miss.value].sentence)
                                  : QString();
    return column == traceColumn() ? traceValue(row) : fixedValue(row, column);
}

QVariant SignatureRows::fixedValue(const Row& row, int column) const {
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
    switch (column) {
    case First:
        return row.entry.isValid() ? number(session[row.entry].number) : QVariant();
    case Second:
        return row.call.isValid() ? number(session.calls.number[row.call.value]) : QVariant();
    case Third:
        return number(row.entry.isValid() ? static_cast<std::int64_t>(callCount(row)) : 1);
    case Fourth:
        return number(row.hits);
    default:
        return {};
    }
}

QVariant SignatureRows::traceValue(const Row& row) const {
    const session::Session& session = *m_diagnosis->session;
    if (row.isCall)
        return number(session.calls.traceNs[row.call.value]);
    if (row.entry.isValid())
        return number(session[row.entry].traceNs);
    return number(session[row.miss].traceNs);
}

QVariant SignatureRows::componentValue(const Row& row, const KeyComponent& column) const {
    const session::SignatureId signature = key(row);
    if (!signature.isValid())
        return {};
    const types::Component* component = findComponent((*m_diagnosis->session)[signature], column.path);
    return component != nullptr ? componentText(*component) : tr("none");
}

std::optional<QString> SignatureRows::was(const Row& row, const KeyComponent& column) const {
    if (!row.miss.isValid())
        return std::nullopt;
    const auto& differences = m_diagnosis->explanations[row.miss.value].differences;
    const auto it = std::ranges::find(differences, column.path, &types::Difference::path);
    if (it == differences.end())
        return std::nullopt;
    return QString::fromStdString(it->before);
}

QString SignatureRows::title(int column) const {
    if (const KeyComponent* shown = component(column))
        return shown->label;
    if (column == traceColumn())
        return tr("Trace");
    if (column == whyColumn())
        return tr("Why it traced");
    const bool calls = m_request.grouping == SignatureGrouping::Calls;
    switch (column) {
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

bool SignatureRows::isTime(int column) const {
    return column == traceColumn() ||
           (m_request.grouping == SignatureGrouping::Calls && (column == Second || column == Fourth));
}

QString SignatureRows::tabSeparated(const std::vector<Row>& rows, const Job& job) const {
    QStringList titles;
    for (int column = 0; column < columnCount(); ++column)
        titles += isTime(column) ? tr("%1, ns").arg(title(column)) : title(column);
    QString text = titles.join(QLatin1Char('\t')) + QLatin1Char('\n');
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (int column = 0; column < columnCount(); ++column)
            text += (column > 0 ? QStringLiteral("\t") : QString()) + value(rows[row], column).toString();
        text += QLatin1Char('\n');
        if (row % kStride == 0 && job.cancel.requested())
            break;
    }
    return text;
}

} // namespace retracescope::views
