#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <retracescope/session/query.h>

namespace retracescope::diagnose {

/// One value that a component took, and how often.
struct ColumnValue {
    std::string text;
    std::int64_t misses = 0; ///< lookups without an entry that asked with it
    std::int64_t calls = 0;  ///< calls among those, and the hits of entries that store exactly it
};

/// One component of a function's requests over the whole session.
struct Column {
    std::string path;
    types::ComponentKind kind = types::ComponentKind::Type;
    std::vector<ColumnValue> values; ///< in order of first appearance
    std::int64_t requests = 0;       ///< distinct requests that have this component
    std::int64_t openHits = 0;       ///< hits of entries that leave it open: their values are not known
    double weight = 0;               ///< what a difference here counts in the distance to an entry
};

/// What functions, one or all of one line, were asked for, column by column. A column's weight is -log of the
/// smoothed frequency with which it changes between successive distinct requests, so a column that never
/// moved costs more than one that moves all day. Hits are known by their entry only: an open axis tells
/// nothing about their lengths.
class History {
public:
    History(const session::Session& session, const session::Index& index,
            std::span<const session::FunctionId> functions);
    History(const session::Session& session, const session::Index& index, session::FunctionId function)
        : History(session, index, std::span(&function, 1)) {}

    /// In order of first appearance, which is argument order.
    const std::vector<Column>& columns() const { return m_columns; }
    const Column* column(std::string_view path) const;
    double weight(std::string_view path) const;
    std::int64_t distinctRequests() const { return m_distinct; }
    std::int64_t calls() const { return m_calls; }

private:
    void addRequest(const session::Session& session, session::SignatureId signature, bool isNew, bool isCall);
    void addHits(const session::Session& session, session::EntryId entry, std::int64_t hits);
    void weigh();
    std::uint32_t columnOf(const types::Component& component);
    std::uint32_t valueOf(std::uint32_t column, const std::string& text);

    /// How a column moved from one distinct request to the next.
    struct Motion {
        std::int64_t lastRequest = -1; ///< the newest distinct request that had the column
        std::uint32_t lastValue = 0;
        std::int64_t changes = 0;
        std::unordered_map<std::string, std::uint32_t> valueRows;
    };

    std::vector<Column> m_columns;
    std::vector<Motion> m_motions; ///< by column
    std::unordered_map<std::string_view, std::uint32_t> m_columnRows;
    std::int64_t m_distinct = 0;
    std::int64_t m_calls = 0;
};

} // namespace retracescope::diagnose
