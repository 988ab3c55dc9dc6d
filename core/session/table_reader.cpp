#include <retracescope/session/table_reader.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/session/schema.h>

namespace retracescope::session {

using sqlite::Database;
using sqlite::DatabaseError;
using sqlite::Statement;

namespace {

/// Columns that hold values of their own; a generated column would run an expression of the file's author.
std::vector<std::string> storedColumns(Database& database, std::string_view table) {
    Statement statement(database, "SELECT name, hidden FROM pragma_table_xinfo(?)");
    statement.bind(1, table);
    std::vector<std::string> names;
    while (statement.step()) {
        if (statement.integer(1) == 0)
            names.emplace_back(statement.text(0));
    }
    return names;
}

std::string selection(Database& database, std::string_view table,
                      const std::vector<std::string_view>& columns, std::size_t keyColumns,
                      std::string_view where = {}) {
    const std::vector<std::string> stored = storedColumns(database, table);
    const auto has = [&](std::string_view name) { return std::ranges::find(stored, name) != stored.end(); };
    std::string selected;
    std::string order;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i < keyColumns && !has(columns[i]))
            throw DatabaseError(fmt::format("table {} lacks its key column {}", table, columns[i]));
        selected += fmt::format("{}{}", i == 0 ? "" : ", ", has(columns[i]) ? columns[i] : "NULL");
        if (i < keyColumns)
            order += fmt::format("{}{}", i == 0 ? "" : ", ", columns[i]);
    }
    return fmt::format("SELECT {} FROM main.{} {}{} ORDER BY {}", selected, table,
                       where.empty() ? "" : "WHERE ", where, order);
}

std::size_t columnsOf(TableReader::Key key) {
    return key == TableReader::Key::Triple ? 3 : key == TableReader::Key::Pair ? 2 : 1;
}

} // namespace

std::vector<std::string> tableNames(Database& database) {
    Statement statement(database,
                        "SELECT name FROM main.sqlite_master WHERE type='table' AND rootpage > 0 AND "
                        "name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
    std::vector<std::string> names;
    while (statement.step())
        names.emplace_back(statement.text(0));
    return names;
}

std::vector<std::string> unknownParts(Database& database) {
    Database ours("", sqlite::Access::Memory);
    ours.execute(kCreateTables);
    ours.execute(kCreateOtherTables);
    const std::vector<std::string> known = tableNames(ours);
    std::vector<std::string> notes;
    for (const std::string& table : tableNames(database)) {
        if (isReservedTable(table))
            continue;
        if (std::ranges::find(known, table) == known.end()) {
            notes.push_back(fmt::format("table {} is not known here and was left out", table));
            continue;
        }
        const std::vector<std::string> ourColumns = storedColumns(ours, table);
        for (const std::string& column : storedColumns(database, table)) {
            if (std::ranges::find(ourColumns, column) == ourColumns.end())
                notes.push_back(
                    fmt::format("column {} of {} is not known here and was left out", column, table));
        }
    }
    return notes;
}

std::map<std::string, std::string> readMeta(Database& database) {
    std::map<std::string, std::string> meta;
    const std::vector<std::string> names = tableNames(database);
    if (std::ranges::find(names, "meta") == names.end())
        return meta;
    Statement statement(database, selection(database, "meta", {"key", "value"}, 1));
    while (statement.step())
        meta.emplace(statement.text(0), statement.isNull(1) ? std::string_view() : statement.text(1));
    return meta;
}

TableReader::TableReader(Database& database, std::string_view table, std::vector<std::string_view> columns,
                         Key key, std::string_view where)
    : m_table(table), m_keyKind(key) {
    const std::vector<std::string> names = tableNames(database);
    if (std::ranges::find(names, table) != names.end())
        m_statement =
            std::make_unique<Statement>(database, selection(database, table, columns, columnsOf(key), where));
}

bool TableReader::next() {
    if (!m_statement || !m_statement->step())
        return false;
    checkKey();
    ++m_rows;
    return true;
}

void TableReader::checkKey() {
    std::vector<std::int64_t> key(columnsOf(m_keyKind));
    for (std::size_t i = 0; i < key.size(); ++i)
        key[i] = m_statement->integer(static_cast<int>(i));
    if (m_keyKind == Key::Rows && key[0] != static_cast<std::int64_t>(m_rows))
        throw DatabaseError(fmt::format("table {} should count its rows 0, 1, 2, ...: {} expected, {} found",
                                        m_table, m_rows, key[0]));
    if (m_rows > 0 && !std::ranges::lexicographical_compare(m_key, key))
        throw DatabaseError(fmt::format("the rows of table {} are not in order", m_table));
    m_key = std::move(key);
}

std::int64_t TableReader::integer(int column, std::int64_t ifNull) const {
    return isNull(column) ? ifNull : m_statement->integer(column);
}

std::uint32_t TableReader::number(int column, std::uint32_t ifNull) const {
    const std::int64_t value = integer(column, ifNull);
    if (value < 0 || value > Id<void>::kNone)
        refuse(fmt::format("{} is no 32-bit number", value));
    return static_cast<std::uint32_t>(value);
}

std::string TableReader::text(int column) const {
    return isNull(column) ? std::string() : std::string(m_statement->text(column));
}

StringId TableReader::text(int column, StringPool& pool) const {
    return isNull(column) ? StringId() : pool.intern(m_statement->text(column));
}

void TableReader::refuse(std::string_view what) const {
    std::string key;
    for (const std::int64_t part : m_key)
        key += fmt::format("{}{}", key.empty() ? "" : ".", part);
    throw DatabaseError(fmt::format("{} row {}: {}", m_table, key, what));
}

} // namespace retracescope::session
