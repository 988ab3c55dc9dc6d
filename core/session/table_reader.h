#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/session/graph_columns.h>
#include <retracescope/session/session.h>
#include <retracescope/session/sqlite.h>

namespace retracescope::session {

/// The rows of one table, in the order of its key. A table or column that the file lacks reads as empty or
/// NULL; the schema comes from the file, so only real columns of real tables are read. Throws
/// sqlite::DatabaseError.
class TableReader {
public:
    /// How many of the first columns are the key. A damaged or hostile tree of pages shows up as a broken
    /// order.
    enum class Key : std::uint8_t {
        Rows,   ///< one column that counts 0, 1, 2, ...
        Rising, ///< one column that rises
        Pair,   ///< two that rise together
        Triple,
    };

    /// With `where`, a condition in SQL, only the rows that meet it.
    TableReader(sqlite::Database& database, std::string_view table, std::vector<std::string_view> columns,
                Key key = Key::Rows, std::string_view where = {});

    /// The next row; false at the end.
    bool next();

    bool isNull(int column) const { return m_statement->isNull(column); }
    std::int64_t integer(int column, std::int64_t ifNull) const;
    std::uint32_t number(int column, std::uint32_t ifNull = 0) const;
    bool flag(int column) const { return integer(column, 0) != 0; }
    std::string text(int column) const;                ///< "" if NULL
    StringId text(int column, StringPool& pool) const; ///< none if NULL
    std::span<const std::byte> blob(int column) const { return m_statement->blob(column); }
    template <class IdType>
    IdType id(int column) const {
        return IdType(number(column, IdType::kNone));
    }

    /// Stops reading with "<table> row <key>: <what>".
    [[noreturn]] void refuse(std::string_view what) const;

private:
    void checkKey();

    std::string m_table;
    Key m_keyKind;
    std::unique_ptr<sqlite::Statement> m_statement; ///< null if the file has no such table
    std::vector<std::int64_t> m_key;
    std::size_t m_rows = 0;
};

/// Names of the tables of the file, views and SQLite's own left out.
std::vector<std::string> tableNames(sqlite::Database& database);

/// A sentence for each table and column of the file that this program does not know.
std::vector<std::string> unknownParts(sqlite::Database& database);

/// Table `meta`: what is known of the file itself.
std::map<std::string, std::string> readMeta(sqlite::Database& database);

/// What streams refer to.
struct TableRows {
    std::vector<StringId> strings;   ///< the pool's id of each row of table `strings`
    std::vector<GraphExtent> graphs; ///< what each graph takes of the streams; nothing if it lies in tables
};

/// Fills everything that does not lie in streams.
TableRows readTables(sqlite::Database& database, Session& session);

} // namespace retracescope::session
