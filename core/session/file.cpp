#include <retracescope/session/file.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <retracescope/base/files.h>
#include <retracescope/base/units.h>
#include <retracescope/session/check.h>
#include <retracescope/session/chunk_reader.h>
#include <retracescope/session/schema.h>
#include <retracescope/session/table_reader.h>
#include <retracescope/session/writer.h>
#include <retracescope/session/writer_state.h>

namespace retracescope::session {

using sqlite::Access;
using sqlite::Database;
using sqlite::DatabaseError;
using sqlite::Statement;

namespace {

/// The start of an SQLite file, as far as we look at it (SQLite file format 1.3).
struct Header {
    bool isSqlite = false;
    std::int32_t applicationId = 0;
    std::uint64_t bytes = 0; ///< that the file should have; 0: not known
};

Header readHeader(const std::filesystem::path& path) {
    constexpr std::string_view kMagic("SQLite format 3\0", 16);
    std::array<char, 100> bytes{};
    const auto numberAt = [&](std::size_t at, std::size_t width) {
        std::uint32_t number = 0;
        for (std::size_t i = 0; i < width; ++i)
            number = number << 8 | static_cast<std::uint8_t>(bytes[at + i]);
        return number;
    };
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        return {};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(bytes.data(), bytes.size()))
        return {};
    Header header;
    header.isSqlite = std::string_view(bytes.data(), kMagic.size()) == kMagic;
    header.applicationId = static_cast<std::int32_t>(numberAt(68, 4));
    const std::uint32_t pageBytes = numberAt(16, 2) == 1 ? 65536 : numberAt(16, 2);
    const bool countsPages = numberAt(24, 4) == numberAt(92, 4); // else an old SQLite wrote last
    header.bytes = countsPages ? std::uint64_t{pageBytes} * numberAt(28, 4) : 0;
    return header;
}

/// Refuses a newer major version; returns what has to be said of a newer minor.
std::string checkVersion(Database& database) {
    Statement statement(database, "PRAGMA user_version");
    statement.step();
    const std::int64_t version = statement.integer(0);
    const std::int64_t major = version / kVersionFactor;
    const std::int64_t minor = version % kVersionFactor;
    if (version < kVersionFactor)
        throw DatabaseError(fmt::format("its version number {} is not one of a session", version));
    if (major > kMajorVersion)
        throw DatabaseError(
            fmt::format("it is a session of version {}.{}, this program reads up to version {}.{}; "
                        "open it with a newer Retracescope",
                        major, minor, kMajorVersion, kMinorVersion));
    if (minor > kMinorVersion)
        return fmt::format(
            "the session is of version {}.{}, newer than this program's {}.{}: what is new in it was "
            "left out",
            major, minor, kMajorVersion, kMinorVersion);
    return {};
}

/// Ends statements that take more steps than a sound file of this size can ask for: pages of a damaged file
/// may form trees without end.
void limitWork(Database& database, const std::filesystem::path& path, const Job& job) {
    std::error_code error;
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
    constexpr std::int64_t kBytesPerCall = 100; // one call is 10 000 steps of SQLite: 100 steps a byte
    constexpr std::int64_t kLeastCalls = 2'000;
    const std::int64_t most = (error ? 0 : bytes / kBytesPerCall) + kLeastCalls;
    database.watch([calls = std::int64_t{0}, most, cancel = job.cancel]() mutable {
        return ++calls <= most && !cancel.requested();
    });
}

bool isClosed(const std::map<std::string, std::string>& meta) {
    const auto closed = meta.find("closed");
    return closed != meta.end() && closed->second == "1";
}

std::optional<std::int64_t> numberOf(const std::map<std::string, std::string>& meta, const std::string& key) {
    const auto it = meta.find(key);
    if (it == meta.end())
        return std::nullopt;
    std::int64_t value = 0;
    const char* end = it->second.data() + it->second.size();
    const auto [stop, error] = std::from_chars(it->second.data(), end, value);
    if (error != std::errc() || stop != end || value < -kLargestTimeNs || value > kLargestTimeNs)
        return std::nullopt;
    return value;
}

void readExtent(Session& session, const std::map<std::string, std::string>& meta) {
    updateExtent(session);
    const auto origin = numberOf(meta, "origin_ns");
    const auto end = numberOf(meta, "end_ns");
    if (origin && end && *origin <= *end) {
        session.originNs = *origin;
        session.endNs = *end;
    }
}

/// What a program wrote last before it was killed lies in other files.
void adviseOnLog(const std::filesystem::path& path, Session& session) {
    const std::string name = path.filename().string();
    std::error_code error;
    if (std::filesystem::file_size(path.string() + "-wal", error) > 0 && !error)
        session.warnings.push_back(fmt::format("what was recorded last lies in {}-wal and {}-rings: keep "
                                               "them beside {}, copy and move all together",
                                               name, name, name));
}

SessionPtr readDatabase(const std::filesystem::path& path, Access access, const Job& job) {
    Database database(path, access);
    limitWork(database, path, job);
    auto session = std::make_shared<Session>();
    // First: if the writer lived now and the file turns out not to be closed, it was still being written.
    const WriterState writer = stateOfWriter(readMeta(database));
    // One transaction sees one state, however much is written meanwhile.
    database.execute("BEGIN");
    if (const std::string note = checkVersion(database); !note.empty())
        session->warnings.push_back(note);
    std::ranges::move(unknownParts(database), std::back_inserter(session->warnings));
    job.report(0, "reading tables");
    readChunks(database, *session, readTables(database, *session), job);
    tieMissesToCalls(*session);
    if (const Status tables = checkTables(*session); !tables)
        throw DatabaseError(tables.error().message);
    const auto meta = readMeta(database);
    session->closedProperly = isClosed(meta);
    readExtent(*session, meta);
    if (const auto note = meta.find("recorder"); note != meta.end() && !session->closedProperly)
        session->recorderNote = note->second;
    if (!session->closedProperly)
        session->writer = writer;
    if (!session->closedProperly && writer != WriterState::Running)
        adviseOnLog(path, *session);
    return session;
}

/// What a file should be that SQLite calls no database or a damaged one, what it is, and what to do.
std::string describeDamage(const std::filesystem::path& path, const DatabaseError& failure) {
    std::error_code error;
    const std::uintmax_t there = std::filesystem::file_size(path, error);
    const std::uint64_t expected = readHeader(path).bytes;
    if (!error && there < expected && !std::filesystem::exists(path.string() + "-wal", error))
        return fmt::format("it is cut off: of {} only {} are there; copy it again, whole",
                           formatBytes(static_cast<std::int64_t>(expected)),
                           formatBytes(static_cast<std::int64_t>(there)));
    return fmt::format(
        "it is damaged: what should be a session's tables is something else ({}); copy it again "
        "from where it was recorded, or record again",
        failure.what());
}

Result<SessionPtr> tryRead(const std::filesystem::path& path, Access access, const Job& job) {
    try {
        return readDatabase(path, access, job);
    } catch (const DatabaseError& failure) {
        if (job.cancel.requested())
            return Error{std::string(kCancelled)};
        return Error{fmt::format("cannot open {}: {}", path.string(),
                                 failure.saysDamage() ? describeDamage(path, failure) : failure.what())};
    } catch (const std::bad_alloc&) {
        return Error{fmt::format("cannot open {}: it needs more memory than there is", path.string())};
    }
}

} // namespace

bool isSessionFile(const std::filesystem::path& path) {
    const Header header = readHeader(path);
    return header.isSqlite && header.applicationId == kApplicationId;
}

bool isBeingRecorded(const std::filesystem::path& path) {
    try {
        Database database(path, Access::Read);
        const auto meta = readMeta(database);
        return !isClosed(meta) && stateOfWriter(meta) == WriterState::Running;
    } catch (const DatabaseError&) {
        return false; // nothing that anybody could go on with
    }
}

Result<SessionPtr> readSession(const std::filesystem::path& path, const Job& job) {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return Error{fmt::format("cannot open {}: there is no such file", path.string())};
    const Header header = readHeader(path);
    if (!header.isSqlite)
        return Error{fmt::format("cannot open {}: it is not a Retracescope session", path.string())};
    if (header.applicationId != kApplicationId)
        return Error{fmt::format("cannot open {}: it is an SQLite database, but not a Retracescope session",
                                 path.string())};
    Result<SessionPtr> session = tryRead(path, Access::Read, job);
    // Beside a killed program's file lies its log; where that was lost and the folder cannot be written,
    // SQLite refuses unless told that nobody writes.
    std::filesystem::path log = path;
    log += "-wal";
    if (!session && !job.cancel.requested() && !std::filesystem::exists(log, error)) {
        if (Result<SessionPtr> again = tryRead(path, Access::ReadImmutable, job); again)
            return again;
    }
    return session;
}

Status writeSession(const Session& session, const std::filesystem::path& path, const Job& job) {
    if (const Status sound = checkSession(session); !sound)
        return Error{fmt::format("cannot write {}: {}", path.string(), sound.error().message)};
    auto replacement = FileReplacement::begin(path);
    if (!replacement)
        return replacement.error();
    const auto discard = [&](const Error& why) {
        if (job.cancel.requested())
            return Error{std::string(kCancelled)};
        return Error{fmt::format("cannot write {}: {}", path.string(), why.message)};
    };
    {
        auto writer = SessionWriter::create(replacement->temporary(), SessionWriter::Use::Whole);
        if (!writer)
            return writer.error();
        if (const Status status = (*writer)->append(session, {}, job); !status)
            return discard(status.error());
        if (job.cancel.requested())
            return discard(Error{std::string(kCancelled)});
        if (const Status status = (*writer)->close(); !status)
            return discard(status.error());
    }
    return replacement->commit();
}

} // namespace retracescope::session
