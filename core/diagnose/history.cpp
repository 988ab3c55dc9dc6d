#include <retracescope/diagnose/history.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace retracescope::diagnose {

using namespace session;
using types::Component;

namespace {

/// In time order.
std::vector<MissId> missesOf(const Session& session, const Index& index,
                             std::span<const FunctionId> functions) {
    std::vector<MissId> rows;
    for (const FunctionId function : functions) {
        const auto& own = index.missesOfFunction[function.value];
        rows.insert(rows.end(), own.begin(), own.end());
    }
    if (functions.size() > 1)
        std::ranges::stable_sort(rows, {}, [&](MissId row) { return session[row].timeNs; });
    return rows;
}

} // namespace

History::History(const Session& session, const Index& index, std::span<const FunctionId> functions) {
    std::unordered_set<SignatureId> seen;
    std::unordered_set<std::uint64_t> counted; // a call that creates variables misses twice
    for (const MissId row : missesOf(session, index, functions)) {
        const Miss& miss = session[row];
        if (!miss.request.isValid())
            continue;
        const bool isCall =
            miss.callNumber > 0 &&
            counted.insert((std::uint64_t{miss.function.value} << 32) | miss.callNumber).second;
        addRequest(session, miss.request, seen.insert(miss.request).second, isCall);
    }
    for (const FunctionId function : functions) {
        m_calls += static_cast<std::int64_t>(index.callsOfFunction[function.value].size());
        for (const EntryId entry : index.entriesOfFunction[function.value]) {
            std::int64_t hits = 0;
            for (const CallId call : index.callsOfEntry[entry.value])
                hits += session.calls.outcome[call.value] == Outcome::Hit;
            if (hits > 0 && session[entry].signature.isValid())
                addHits(session, entry, hits);
        }
    }
    weigh();
}

const Column* History::column(std::string_view path) const {
    const auto it = m_columnRows.find(path);
    return it == m_columnRows.end() ? nullptr : &m_columns[it->second];
}

double History::weight(std::string_view path) const {
    if (const Column* found = column(path))
        return found->weight;
    return -std::log(0.5 /
                     static_cast<double>(std::max<std::int64_t>(m_distinct, 1))); // as one that never moved
}

void History::addRequest(const Session& session, SignatureId signature, bool isNew, bool isCall) {
    for (const Component& component : session[signature].components) {
        const std::uint32_t row = columnOf(component);
        const std::uint32_t value = valueOf(row, component.value);
        ++m_columns[row].values[value].misses;
        m_columns[row].values[value].calls += isCall;
        if (!isNew)
            continue;
        Motion& motion = m_motions[row];
        const bool wasThere = motion.lastRequest == m_distinct - 1;
        if (m_distinct > 0 && (!wasThere || motion.lastValue != value))
            ++motion.changes;
        motion.lastRequest = m_distinct;
        motion.lastValue = value;
        ++m_columns[row].requests;
    }
    if (!isNew)
        return;
    for (Motion& motion : m_motions) // columns that this request lacks and the one before had
        motion.changes += m_distinct > 0 && motion.lastRequest == m_distinct - 1;
    ++m_distinct;
}

void History::addHits(const Session& session, EntryId entry, std::int64_t hits) {
    for (const Component& component : session[session[entry].signature].components) {
        const std::uint32_t row = columnOf(component);
        if (component.open) {
            m_columns[row].openHits += hits;
            continue;
        }
        m_columns[row].values[valueOf(row, component.value)].calls += hits;
    }
}

void History::weigh() {
    const auto pairs = static_cast<double>(std::max<std::int64_t>(m_distinct - 1, 0));
    for (std::size_t row = 0; row < m_columns.size(); ++row)
        m_columns[row].weight = -std::log((static_cast<double>(m_motions[row].changes) + 0.5) / (pairs + 1));
    m_columnRows.clear(); // its keys pointed into columns that moved while the list grew
    for (std::size_t row = 0; row < m_columns.size(); ++row)
        m_columnRows.emplace(m_columns[row].path, static_cast<std::uint32_t>(row));
}

std::uint32_t History::columnOf(const Component& component) {
    const auto it = m_columnRows.find(component.path);
    if (it != m_columnRows.end())
        return it->second;
    const auto row = static_cast<std::uint32_t>(m_columns.size());
    Column column;
    column.path = component.path;
    column.kind = component.kind;
    m_columns.push_back(std::move(column));
    m_motions.emplace_back();
    m_columnRows.emplace(component.path, row); // the signature outlives the building
    return row;
}

std::uint32_t History::valueOf(std::uint32_t column, const std::string& text) {
    auto& rows = m_motions[column].valueRows;
    const auto [it, isNew] = rows.emplace(text, static_cast<std::uint32_t>(rows.size()));
    if (isNew)
        m_columns[column].values.push_back({text});
    return it->second;
}

} // namespace retracescope::diagnose
