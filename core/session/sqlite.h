#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <retracescope/base/ids.h>

struct sqlite3;
struct sqlite3_stmt;

/// SQLite with owners and exceptions, for the .cpp files of this folder only: DatabaseError never leaves
/// them, the functions that others call turn it into a Result.
namespace retracescope::session::sqlite {

/// The message says what went wrong, without the file's name.
class DatabaseError : public std::runtime_error {
public:
    explicit DatabaseError(const std::string& message) : std::runtime_error(message) {}
    /// SQLite's own complaint, with its extended result code.
    DatabaseError(const std::string& message, int code) : std::runtime_error(message), m_code(code) {}

    /// The file is not as SQLite left it: cut off, overwritten, no database.
    bool saysDamage() const;

private:
    int m_code = 0;
};

enum class Access : std::uint8_t {
    Create,        ///< a new file
    Change,        ///< a file that is there
    Read,          ///< also while another process writes
    ReadImmutable, ///< nobody writes: needs no right to write beside the file
    Memory,        ///< no file at all
};

class Database {
public:
    Database(const std::filesystem::path& path, Access access);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    void execute(const char* sql);
    sqlite3* handle() const { return m_handle; }

    /// Calls `keepGoing` every 10 000 steps of SQLite's machine; false ends the running statement.
    void watch(std::function<bool()> keepGoing);

    /// The last failure, in words of ours where SQLite's say little.
    DatabaseError failure() const;

private:
    sqlite3* m_handle = nullptr;
    std::function<bool()> m_keepGoing;
};

/// One prepared statement. Parameters count from 1, columns from 0.
class Statement {
public:
    Statement(Database& database, std::string_view sql);
    ~Statement();
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;

    /// Binds the values in order and runs a statement that answers no rows. Texts and blobs are not copied.
    template <class... Values>
    void run(const Values&... values) {
        int index = 0;
        (bind(++index, values), ...);
        runBound();
    }

    void bind(int index, std::int64_t value);
    void bind(int index, std::uint32_t value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, int value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, bool value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, std::size_t value) { bind(index, static_cast<std::int64_t>(value)); }
    void bind(int index, std::string_view text);
    void bind(int index, const std::string& text) { bind(index, std::string_view(text)); }
    void bind(int index, const char* text) { bind(index, std::string_view(text)); }
    void bind(int index, std::span<const std::byte> blob);
    void bind(int index, std::nullptr_t);
    template <class Tag>
    void bind(int index, Id<Tag> id) {
        if (id.isValid())
            bind(index, static_cast<std::int64_t>(id.value));
        else
            bind(index, nullptr);
    }

    /// The next row; false at the end.
    bool step();

    bool isNull(int column) const;
    /// These throw if the value has another type.
    std::int64_t integer(int column) const;
    std::string_view text(int column) const; ///< valid until the next step
    std::span<const std::byte> blob(int column) const;

private:
    void runBound();
    [[noreturn]] void fail() const;
    [[noreturn]] void wrongType(int column, const char* expected) const;

    Database* m_database;
    sqlite3_stmt* m_statement = nullptr;
};

} // namespace retracescope::session::sqlite
