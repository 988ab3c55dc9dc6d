#pragma once

#include <cstdint>
#include <vector>

#include <retracescope/session/graph_columns.h>
#include <retracescope/session/session.h>
#include <retracescope/session/sqlite.h>
#include <retracescope/session/writer.h>

namespace retracescope::session {

/// Gives texts their number in the file's table `strings`, writing each when it is first asked for.
class StringWriter {
public:
    explicit StringWriter(sqlite::Database& database);
    StringId write(const StringPool& pool, StringId text);

private:
    sqlite::Statement m_insert;
    std::vector<StringId> m_inFile; ///< by StringId of the pool
    std::uint32_t m_count = 0;
};

/// Writes the rows that the tables of low volume gained since the last time. Throws sqlite::DatabaseError.
class TableWriter {
public:
    TableWriter(sqlite::Database& database, StringWriter& strings)
        : m_database(database), m_strings(strings) {}

    /// Before writeNewRows(), which writes what its rows know now.
    void writeChanges(const Session& session, const ChangedRows& changed);
    /// What lies in streams of new graphs is appended to `graphs`.
    void writeNewRows(const Session& session, GraphTables& graphs);

private:
    void writeFunctions(const Session& session);
    void writeSignatures(const Session& session);
    void writeEntries(const Session& session);
    void writeMisses(const Session& session);
    void writeGraphs(const Session& session, GraphTables& parts);
    void writeLanesAndStacks(const Session& session);
    void writeTexts(const Session& session);
    void writeImported(const ImportFacts& facts);

    sqlite::Database& m_database; // owned by SessionWriter, as is the next
    StringWriter& m_strings;

    /// Rows written so far.
    struct Written {
        std::size_t functions = 0, signatures = 0, entries = 0, misses = 0, graphs = 0, lanes = 0, stacks = 0,
                    sources = 0, marks = 0, logs = 0, facts = 0;
        bool imported = false;
    } m_written;
};

} // namespace retracescope::session
