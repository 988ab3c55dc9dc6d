#include <retracescope/session/sqlite.h>

#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

namespace retracescope::session::sqlite {

namespace {

/// A percent-encoded file: URI, since only a URI can ask for an immutable database.
std::string toUri(const std::filesystem::path& path, Access access) {
    if (access == Access::Memory)
        return "file::memory:";
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        if (c == '%' || c == '?' || c == '#')
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        else
            uri += c;
    }
    return uri + (access == Access::ReadImmutable ? "?immutable=1" : "");
}

/// A file is input from anybody: its schema may hold views, triggers and functions that we do not want to
/// run.
void distrust(sqlite3* handle) {
    constexpr int kLongestValue = 256 * 1024 * 1024;
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValue);
}

/// What came and what to do.
std::string describe(sqlite3* handle, int code) {
    const char* text = sqlite3_errmsg(handle);
    switch (code & 0xff) {
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return "it, or a file beside it, cannot be opened; check that you may read it and write to its "
               "folder";
    case SQLITE_READONLY:
        return "it cannot be written; check that you may write it and its folder";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return "another program keeps it locked; try again when that has ended";
    case SQLITE_IOERR:
        return fmt::format("the disk did not do as asked ({}: {}); check it, or use another one", text,
                           std::strerror(sqlite3_system_errno(handle)));
    case SQLITE_FULL:
        return "the disk is full";
    case SQLITE_NOMEM:
        return "there is not enough memory";
    case SQLITE_INTERRUPT:
        return "reading it takes more steps than a sound file of its size can ask for";
    default:
        return text;
    }
}

} // namespace

bool DatabaseError::saysDamage() const {
    const int code = m_code & 0xff;
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_FORMAT ||
           code == SQLITE_INTERRUPT || code == SQLITE_TOOBIG || m_code == SQLITE_IOERR_SHORT_READ;
}

Database::Database(const std::filesystem::path& path, Access access) {
    const bool writes = access == Access::Create || access == Access::Change || access == Access::Memory;
    const int flags = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    const std::string uri = toUri(path, access);
    const int code =
        sqlite3_open_v2(uri.c_str(), &m_handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
    if (m_handle != nullptr)
        sqlite3_extended_result_codes(m_handle, 1);
    if (code != SQLITE_OK) {
        const DatabaseError why = failure();
        sqlite3_close(m_handle);
        throw why;
    }
    constexpr int kWaitForLockMs = 2000;
    sqlite3_busy_timeout(m_handle, kWaitForLockMs);
    if (!writes)
        distrust(m_handle);
}

Database::~Database() {
    sqlite3_close(m_handle);
}

void Database::execute(const char* sql) {
    if (sqlite3_exec(m_handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
        throw failure();
}

void Database::watch(std::function<bool()> keepGoing) {
    m_keepGoing = std::move(keepGoing);
    constexpr int kStepsBetweenCalls = 10'000;
    const auto call = [](void* self) { return static_cast<Database*>(self)->m_keepGoing() ? 0 : 1; };
    sqlite3_progress_handler(m_handle, kStepsBetweenCalls, call, this);
}

DatabaseError Database::failure() const {
    if (m_handle == nullptr)
        return DatabaseError("there is not enough memory", SQLITE_NOMEM);
    const int code = sqlite3_extended_errcode(m_handle);
    return {describe(m_handle, code), code};
}

Statement::Statement(Database& database, std::string_view sql) : m_database(&database) {
    const int length = static_cast<int>(sql.size());
    if (sqlite3_prepare_v3(database.handle(), sql.data(), length, SQLITE_PREPARE_PERSISTENT, &m_statement,
                           nullptr) != SQLITE_OK)
        fail();
}

Statement::Statement(Statement&& other) noexcept
    : m_database(other.m_database), m_statement(std::exchange(other.m_statement, nullptr)) {}

Statement::~Statement() {
    sqlite3_finalize(m_statement);
}

void Statement::bind(int index, std::int64_t value) {
    sqlite3_bind_int64(m_statement, index, value);
}

void Statement::bind(int index, std::string_view text) {
    // A null pointer would bind NULL, which reads as "not recorded".
    const char* start = text.data() ? text.data() : "";
    sqlite3_bind_text64(m_statement, index, start, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind(int index, std::span<const std::byte> blob) {
    if (blob.empty())
        sqlite3_bind_zeroblob(m_statement, index, 0);
    else
        sqlite3_bind_blob64(m_statement, index, blob.data(), blob.size(), SQLITE_STATIC);
}

void Statement::bind(int index, std::nullptr_t) {
    sqlite3_bind_null(m_statement, index);
}

void Statement::runBound() {
    const int code = sqlite3_step(m_statement);
    const std::optional<DatabaseError> why =
        code == SQLITE_DONE ? std::nullopt : std::optional(m_database->failure());
    sqlite3_reset(m_statement);
    if (why)
        throw *why;
}

bool Statement::step() {
    const int code = sqlite3_step(m_statement);
    if (code == SQLITE_ROW)
        return true;
    if (code != SQLITE_DONE)
        fail();
    return false;
}

bool Statement::isNull(int column) const {
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    if (sqlite3_column_type(m_statement, column) != SQLITE_INTEGER)
        wrongType(column, "an integer");
    return sqlite3_column_int64(m_statement, column);
}

std::string_view Statement::text(int column) const {
    if (sqlite3_column_type(m_statement, column) != SQLITE_TEXT)
        wrongType(column, "a text");
    const auto* start = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    if (!start)
        throw DatabaseError("out of memory");
    return {start, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))};
}

std::span<const std::byte> Statement::blob(int column) const {
    if (sqlite3_column_type(m_statement, column) != SQLITE_BLOB)
        wrongType(column, "a blob");
    const auto* start = static_cast<const std::byte*>(sqlite3_column_blob(m_statement, column));
    return {start, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))};
}

void Statement::fail() const {
    throw m_database->failure();
}

void Statement::wrongType(int column, const char* expected) const {
    const char* name = sqlite3_column_name(m_statement, column);
    throw DatabaseError(fmt::format("column {} should hold {}", name ? name : "?", expected));
}

} // namespace retracescope::session::sqlite
