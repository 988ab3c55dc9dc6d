#include <retracescope/session/chunk_reader.h>

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include <retracescope/session/check.h>
#include <retracescope/session/codec.h>
#include <retracescope/session/columns.h>
#include <retracescope/session/schema.h>
#include <retracescope/session/table_reader.h>

namespace retracescope::session {

using sqlite::Database;
using sqlite::DatabaseError;
using sqlite::Statement;

namespace {

struct StreamColumn {
    std::string name;
    std::string type;
};

/// A row of table `streams`: which table its chunks belong to and how their columns lie.
struct Stream {
    std::string name;
    std::vector<StreamColumn> columns;
};

std::vector<StreamColumn> splitColumns(std::string_view text) {
    std::vector<StreamColumn> columns;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const std::size_t colon = std::min(word.find(':'), word.size());
        columns.push_back(
            {std::string(word.substr(0, colon)), std::string(word.substr(std::min(colon + 1, word.size())))});
    }
    return columns;
}

/// Calls `visit` with the name and the table of every stream that is known here.
template <class Visit>
void visitStreams(Session& session, GraphTables& graphs, Visit&& visit) {
    visitTables(graphs, visit);
    visitTables(session, visit);
}

template <class Table>
void warnOfUnknownColumns(const Stream& stream, const Table& table, std::vector<std::string>& warnings) {
    for (const StreamColumn& column : stream.columns) {
        bool known = false;
        visitColumns(table, [&](std::string_view name, const auto&, Role) { known |= name == column.name; });
        if (!known)
            warnings.push_back(
                fmt::format("column {} of {} is not known here and was left out", column.name, stream.name));
    }
}

std::vector<Stream> readStreams(Database& database, Session& session, GraphTables& graphs) {
    std::vector<Stream> streams;
    TableReader reader(database, "streams", {"id", "name", "columns"});
    while (reader.next()) {
        Stream stream{reader.text(1), splitColumns(reader.text(2))};
        bool isKnown = false;
        visitStreams(session, graphs, [&](std::string_view name, const auto& table) {
            if (name != stream.name)
                return;
            isKnown = true;
            warnOfUnknownColumns(stream, table, session.warnings);
        });
        if (!isKnown)
            session.warnings.push_back(
                fmt::format("events \"{}\" are not known here and were left out", stream.name));
        streams.push_back(std::move(stream));
    }
    return streams;
}

/// Streams of graphs and all others, as conditions on table `chunks`; what the streams hold may refer to
/// graphs, which are read first.
std::string graphStreams(const std::vector<Stream>& streams, std::string_view in) {
    std::string ids;
    for (std::size_t id = 0; id < streams.size(); ++id) {
        visitTables(GraphTables(), [&](std::string_view name, const auto&) {
            if (name == streams[id].name)
                ids += fmt::format("{}{}", ids.empty() ? "" : ", ", id);
        });
    }
    return fmt::format("stream {} ({})", in, ids);
}

/// What a value reads as if the file has no such column.
template <class Value>
Value notRecorded(Role role) {
    if constexpr (std::is_same_v<Value, Outcome>)
        return Outcome::Unknown;
    else if constexpr (std::is_same_v<Value, std::uint32_t>)
        return role == Role::Node ? Id<void>::kNone : 0;
    else if constexpr (std::is_same_v<Value, std::int64_t>)
        return role == Role::DurationOrNone ? kNotRecorded : 0;
    else
        return Value{};
}

class ChunkReader {
public:
    ChunkReader(Session& session, GraphTables& graphs, const std::vector<StringId>& fileStrings)
        : m_session(session), m_graphs(graphs), m_fileStrings(fileStrings) {}

    void read(std::int64_t chunk, const Stream& stream, std::size_t rows, std::span<const std::byte> data) {
        visitTables(m_session, [&](std::string_view name, auto& table) {
            if (name != stream.name)
                return;
            const std::size_t before = table.size();
            Status status = append(stream, rows, data, table);
            if (status)
                status = checkRows(m_session, table, before);
            if (!status) {
                visitColumns(table, [&](std::string_view, auto& values, Role) { values.resize(before); });
                m_session.warnings.push_back(
                    fmt::format("{} {} were left out, counts are lower bounds: chunk {} is damaged ({})",
                                rows, stream.name, chunk, status.error().message));
            }
            if (name == "calls")
                noteCalls(rows, status.ok());
        });
        visitTables(m_graphs, [&](std::string_view name, auto& table) {
            if (name != stream.name)
                return;
            const std::size_t before = table.size();
            if (const Status status = append(stream, rows, data, table); !status) {
                leaveBlank(table, before, rows); // so that the rows behind keep their graphs
                m_session.warnings.push_back(fmt::format("{} {} are blank: chunk {} is damaged ({})", rows,
                                                         stream.name, chunk, status.error().message));
            }
        });
    }

    /// Miss::call counts the calls of the file; those of damaged chunks are not there.
    void followCalls() {
        for (Miss& miss : m_session.misses) {
            if (miss.call.isValid())
                miss.call = callAfterLosses(miss.call);
        }
    }

private:
    struct CallRange {
        std::size_t end = 0;  ///< first row of the file behind it
        std::size_t lost = 0; ///< rows lost up to its end
        bool kept = true;
    };

    void noteCalls(std::size_t rows, bool kept) {
        const CallRange last = m_calls.empty() ? CallRange() : m_calls.back();
        m_calls.push_back({last.end + rows, last.lost + (kept ? 0 : rows), kept});
    }

    CallId callAfterLosses(CallId call) const {
        const auto range = std::ranges::upper_bound(m_calls, call.value, {}, &CallRange::end);
        if (range == m_calls.end())
            return call; // beyond the table: checkTables says so
        return range->kept ? CallId(call.value - range->lost) : CallId();
    }

    template <class Table>
    static void leaveBlank(Table& table, std::size_t from, std::size_t rows) {
        visitColumns(table, [&](std::string_view, auto& values, Role role) {
            using Value = typename std::remove_cvref_t<decltype(values)>::value_type;
            values.resize(from);
            values.resize(from + rows, notRecorded<Value>(role));
        });
    }

    template <class Table>
    Status append(const Stream& stream, std::size_t rows, std::span<const std::byte> data, Table& table) {
        const auto payloads = splitPayloads(data, stream.columns.size());
        if (!payloads)
            return payloads.error();
        Status status = Done{};
        visitColumns(table, [&](std::string_view name, auto& values, Role role) {
            if (!status)
                return;
            const auto column = std::ranges::find(stream.columns, name, &StreamColumn::name);
            const std::size_t before = values.size();
            using Value = typename std::remove_cvref_t<decltype(values)>::value_type;
            values.resize(before + rows, notRecorded<Value>(role));
            if (column == stream.columns.end())
                return;
            const Payload& payload = (*payloads)[static_cast<std::size_t>(column - stream.columns.begin())];
            status = decode(*column, payload, std::span<Value>(values).subspan(before));
            if (!status)
                status = Error{fmt::format("column {}: {}", name, status.error().message)};
        });
        return status;
    }

    template <class Value>
    Status decode(const StreamColumn& column, const Payload& payload, std::span<Value> values) {
        if (column.type != columnType<Value>())
            return Error{fmt::format("type {} expected, {} found", columnType<Value>(), column.type)};
        Status status =
            m_decoder.decode(payload.codec, payload.bytes, sizeof(Value), std::as_writable_bytes(values));
        if constexpr (std::is_same_v<Value, StringId>) {
            if (status)
                return toPool(values);
        }
        return status;
    }

    Status toPool(std::span<StringId> texts) {
        for (StringId& text : texts) {
            if (!text.isValid())
                continue;
            if (text.value >= m_fileStrings.size())
                return Error{fmt::format("text {} is not in table strings", text.value)};
            text = m_fileStrings[text.value];
        }
        return Done{};
    }

    Session& m_session;
    GraphTables& m_graphs;
    const std::vector<StringId>& m_fileStrings;
    ColumnDecoder m_decoder;
    std::vector<CallRange> m_calls;
};

/// Makes room for all rows at once and returns how many there are; refuses what does not fit, since a small
/// damaged file may claim anything.
std::size_t reserveRows(Database& database, const std::vector<Stream>& streams, Session& session,
                        GraphTables& graphs) {
    std::vector<std::size_t> rowsOfStream(streams.size());
    TableReader chunks(database, "chunks", {"id", "stream", "rows"}, TableReader::Key::Rising);
    while (chunks.next()) {
        const std::uint32_t stream = chunks.number(1);
        if (stream < streams.size())
            rowsOfStream[stream] += std::min<std::size_t>(chunks.number(2), kChunkRows);
    }
    const auto memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    std::uint64_t needed = 0;
    std::size_t all = 0;
    visitStreams(session, graphs, [&](std::string_view name, auto& table) {
        std::size_t rows = 0;
        for (std::size_t i = 0; i < streams.size(); ++i)
            rows += streams[i].name == name ? rowsOfStream[i] : 0;
        visitColumns(table,
                     [&](std::string_view, auto& values, Role) { needed += rows * sizeof(values[0]); });
        if (rows >= Id<void>::kNone || needed > memory)
            throw DatabaseError(fmt::format("its {} {} need more memory than the {} MB of this machine", rows,
                                            name, memory / 1'000'000));
        visitColumns(table, [&](std::string_view, auto& values, Role) { values.reserve(rows); });
        all += rows;
    });
    return all;
}

/// Reads the chunks that meet a condition, after `done` of `total` rows; returns how many are done then.
std::size_t readThose(Database& database, const std::vector<Stream>& streams, const std::string& where,
                      ChunkReader& reader, const Job& job, std::size_t done, std::size_t total) {
    TableReader chunks(database, "chunks", {"id", "stream", "rows", "data"}, TableReader::Key::Rising, where);
    while (chunks.next()) {
        if (job.cancel.requested())
            throw DatabaseError(std::string(kCancelled));
        const std::uint32_t stream = chunks.number(1);
        const std::uint32_t rows = chunks.number(2);
        if (stream >= streams.size())
            chunks.refuse(fmt::format("stream {} is not in table streams", stream));
        if (rows > kChunkRows)
            chunks.refuse(fmt::format("{} rows, but a chunk holds at most {}", rows, kChunkRows));
        reader.read(chunks.integer(0, 0), streams[stream], rows, chunks.blob(3));
        done += rows;
        job.report(std::min(1.0, static_cast<double>(done) / static_cast<double>(total)), "reading events");
    }
    return done;
}

} // namespace

void readChunks(Database& database, Session& session, const TableRows& rows, const Job& job) {
    GraphTables graphs;
    const std::vector<Stream> streams = readStreams(database, session, graphs);
    const std::size_t total = std::max<std::size_t>(1, reserveRows(database, streams, session, graphs));
    ChunkReader reader(session, graphs, rows.strings);
    const std::size_t done = readThose(database, streams, graphStreams(streams, "IN"), reader, job, 0, total);
    if (const Status whole = assembleGraphs(graphs, rows.graphs, session); !whole)
        throw DatabaseError(whole.error().message);
    graphs = {};
    readThose(database, streams, graphStreams(streams, "NOT IN"), reader, job, done, total);
    reader.followCalls();
}

} // namespace retracescope::session
