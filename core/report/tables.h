#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What is written for people: text tables, Markdown, HTML. Every number is formatted once, by base/units.
namespace retracescope::report {

enum class Align { Left, Right };

struct TableColumn {
    std::string title;
    Align align = Align::Left;
};

/// Rows of formatted cells that print in three ways with the same words and numbers. A column without any
/// cell is left out of all of them.
class Table {
public:
    explicit Table(std::vector<TableColumn> columns) : m_columns(std::move(columns)) {}

    /// As many cells as columns; missing ones are empty.
    void addRow(std::vector<std::string> cells);

    std::size_t rowCount() const { return m_rows.size(); }

    /// Columns aligned by width in characters, two blanks between them, no blank at the end of a line.
    std::string text() const;

    std::string markdown() const;

    /// A <table> with class "num" on right-aligned cells.
    std::string html() const;

private:
    /// Of the widest cell or title; 0 for a column to leave out.
    std::vector<std::size_t> widths() const;

    std::vector<TableColumn> m_columns;
    std::vector<std::vector<std::string>> m_rows;
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
