#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// What is written for people: text tables, Markdown, HTML. Every number is formatted once, by base/units.
namespace retracescope::report {

/// What cannot be told, beside numbers.
inline constexpr const char* kDash = "–";

enum class Align { Left, Right };

struct TableColumn {
    std::string title;
    Align align = Align::Left;
    int moreDecimals = 0; ///< of its times, beyond those that a column of times has
};

/// A time in a table.
struct TimeCell {
    std::int64_t ns = 0; ///< session::kNotRecorded: a dash
};

using Cell = std::variant<std::string, TimeCell>;

/// Rows of cells that print in three ways with the same words and numbers. The times of a column have one
/// unit, which its title names. A column without any cell is left out of all of them.
class Table {
public:
    explicit Table(std::vector<TableColumn> columns) : m_columns(std::move(columns)) {}

    /// As many cells as columns; missing ones are empty.
    void addRow(std::vector<Cell> cells);

    std::size_t rowCount() const { return m_rows.size(); }

    /// Columns aligned by width in characters, two blanks between them, no blank at the end of a line.
    std::string text() const;

    std::string markdown() const;

    /// A <table> with class "num" on right-aligned cells.
    std::string html() const;

private:
    /// All as texts.
    struct Texts {
        std::vector<std::string> titles;
        std::vector<std::vector<std::string>> rows;
        std::vector<std::size_t> widths; ///< of the widest cell or title; 0 for a column to leave out
    };

    Texts texts() const;
    void writeColumn(std::size_t column, Texts& texts) const;

    std::vector<TableColumn> m_columns;
    std::vector<std::vector<Cell>> m_rows;
};

/// A recorded text as valid UTF-8: what is not, and control characters other than \n and \t, become U+FFFD.
std::string cleanText(std::string_view text);

/// Clean, for text between tags and for quoted attributes.
std::string escapeHtml(std::string_view text);

/// Clean, for a Markdown table cell or running text: no character starts markup, no line breaks.
std::string escapeMarkdown(std::string_view text);

/// Clean, on one line, for a terminal.
std::string printable(std::string_view text);

} // namespace retracescope::report
