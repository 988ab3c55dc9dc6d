#include <retracescope/session/writer.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include <retracescope/session/columns.h>
#include <retracescope/session/file.h>
#include <retracescope/session/schema.h>
#include <retracescope/session/table_writer.h>
#include <retracescope/session/writer_state.h>

namespace retracescope::session {

using sqlite::Access;
using sqlite::Database;
using sqlite::DatabaseError;
using sqlite::Statement;

namespace {

/// Times and ids that rise pay with differences, ids of few things do not (tests/bench/session_bench.cpp).
std::uint8_t transformsOf(Role role) {
    const bool rises = role == Role::Time || role == Role::Number;
    return rises ? kDelta | kShuffle : kShuffle;
}

template <class Table>
std::string describeColumns(const Table& table) {
    std::string text;
    visitColumns(table, [&](std::string_view name, const auto& values, Role) {
        using Value = typename std::remove_cvref_t<decltype(values)>::value_type;
        text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name, columnType<Value>());
    });
    return text;
}

} // namespace

struct SessionWriter::State {
    State(const std::filesystem::path& path, Use use, Codec wanted)
        : database(path, Access::Create), use(use), codec(wanted) {
        prepare();
        strings.emplace(database);
        tables.emplace(database, *strings);
        insertChunk.emplace(database, "INSERT INTO chunks(stream, rows, data) VALUES(?,?,?)");
    }

    void prepare() {
        // The header and the tables go into the main file first: what a killed program leaves is known as a
        // session.
        database.execute("PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF");
        database.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId,
                                     kMajorVersion * kVersionFactor + kMinorVersion)
                             .c_str());
        database.execute("BEGIN");
        database.execute(kCreateTables);
        database.execute("INSERT INTO meta VALUES('closed','0'),('writer','retracescope')");
        if (use == Use::Recorded)
            for (const auto& [key, value] : thisWriter())
                Statement(database, "INSERT INTO meta VALUES(?,?)").run(key, value);
        std::uint32_t stream = 0;
        Statement insertStream(database, "INSERT INTO streams VALUES(?,?,?)");
        const auto insert = [&](std::string_view name, const auto& table) {
            insertStream.run(stream++, name, describeColumns(table));
        };
        visitTables(Session(), insert);
        visitTables(GraphTables(), insert);
        database.execute("COMMIT");
        if (use == Use::Recorded)
            database.execute(
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=1000");
    }

    void writeStreams(const Session& session, const Job& job) {
        std::uint32_t stream = 0;
        const auto write = [&](std::string_view, const auto& table) {
            for (std::size_t from = 0; from < table.size(); from += kChunkRows) {
                writeChunk(session, stream, table, from, std::min(kChunkRows, table.size() - from));
                if (job.cancel.requested())
                    throw DatabaseError(std::string(kCancelled));
                job.report(static_cast<double>(from) / static_cast<double>(table.size()), "writing events");
            }
            ++stream;
        };
        visitTables(session, write);
        visitTables(graphs, write);
        const auto clear = [](std::string_view, auto& values, Role) { values.clear(); };
        visitTables(graphs, [&](std::string_view, auto& table) { visitColumns(table, clear); });
    }

    /// What the session calls its begin and end may be more than its events.
    void writeExtent(const Session& session) {
        Statement meta(database, "INSERT INTO meta VALUES(?,?)");
        meta.run("origin_ns", std::to_string(session.originNs));
        meta.run("end_ns", std::to_string(session.endNs));
    }

    template <class Table>
    void writeChunk(const Session& session, std::uint32_t stream, const Table& table, std::size_t from,
                    std::size_t rows) {
        payload.clear();
        visitColumns(table, [&](std::string_view, const auto& values, Role role) {
            using Value = typename std::remove_cvref_t<decltype(values)>::value_type;
            std::span<const Value> part(values.data() + from, rows);
            if constexpr (std::is_same_v<Value, StringId>) {
                texts.clear();
                for (const StringId text : part)
                    texts.push_back(strings->write(session.strings, text));
                part = texts;
            }
            encoder.append(std::as_bytes(part), sizeof(Value), codec, transformsOf(role), payload);
        });
        insertChunk->run(stream, rows, std::span<const std::byte>(payload));
    }

    Database database;
    Use use;
    Codec codec;
    std::optional<StringWriter> strings;
    std::optional<TableWriter> tables;
    std::optional<Statement> insertChunk;
    GraphTables graphs; ///< of this append
    ColumnEncoder encoder;
    std::vector<std::byte> payload;
    std::vector<StringId> texts;
};

SessionWriter::SessionWriter(std::unique_ptr<State> state) : m_state(std::move(state)) {}
SessionWriter::~SessionWriter() = default;

Result<std::unique_ptr<SessionWriter>> SessionWriter::create(const std::filesystem::path& path, Use use,
                                                             Codec codec) {
    std::error_code error;
    if (std::filesystem::exists(path, error) &&
        !(std::filesystem::is_regular_file(path, error) && std::filesystem::is_empty(path, error)))
        return Error{fmt::format("cannot write {}: it exists already", path.string())};
    try {
        return std::unique_ptr<SessionWriter>(new SessionWriter(std::make_unique<State>(path, use, codec)));
    } catch (const DatabaseError& failure) {
        return Error{fmt::format("cannot write {}: {}", path.string(), failure.what())};
    }
}

Status SessionWriter::append(const Session& session, const ChangedRows& changed, const Job& job) {
    try {
        m_state->database.execute("BEGIN");
        m_state->tables->writeChanges(session, changed);
        m_state->tables->writeNewRows(session, m_state->graphs);
        m_state->writeStreams(session, job);
        if (m_state->use == Use::Whole)
            m_state->writeExtent(session);
        else if (!session.recorderNote.empty())
            Statement(m_state->database, "INSERT OR REPLACE INTO meta VALUES('recorder',?)")
                .run(session.recorderNote);
        m_state->database.execute("COMMIT");
        return Done{};
    } catch (const DatabaseError& failure) {
        return Error{failure.what()};
    }
}

void SessionWriter::abandon() {
    try {
        m_state->database.execute("ROLLBACK");
    } catch (const DatabaseError&) { // it has rolled back by itself
    }
    try {
        m_state->database.execute("DELETE FROM meta WHERE key='writer_pid'");
    } catch (const DatabaseError&) { // the disk takes not even that
    }
}

Status SessionWriter::close() {
    try {
        m_state->database.execute("UPDATE meta SET value='1' WHERE key='closed';"
                                  "DELETE FROM meta WHERE key='recorder'");
        if (m_state->use == Use::Recorded) {
            m_state->insertChunk.reset(); // an open statement keeps the journal mode from changing
            m_state->tables.reset();
            m_state->strings.reset();
            m_state->database.execute("PRAGMA journal_mode=DELETE");
        }
        return Done{};
    } catch (const DatabaseError& failure) {
        return Error{failure.what()};
    }
}

} // namespace retracescope::session
