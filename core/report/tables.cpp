#include <retracescope/report/tables.h>

#include <algorithm>
#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/base/text.h>

namespace retracescope::report {

namespace {

std::string padded(const std::string& cell, std::size_t width, Align align) {
    const std::string blanks(width - std::min(width, letterCount(cell)), ' ');
    return align == Align::Right ? blanks + cell : cell + blanks;
}

std::string joinLine(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                     const std::vector<TableColumn>& columns) {
    std::string line;
    bool isFirst = true;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        if (widths[column] == 0)
            continue;
        line += (isFirst ? "" : "  ") + padded(cells[column], widths[column], columns[column].align);
        isFirst = false;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

/// Bytes of the UTF-8 character at the start; 0 if there is none.
std::size_t utf8Length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80)
        return 1;
    const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC2 ? 2 : 0;
    if (length == 0 || byte(0) > 0xF4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U)
            return 0;
    }
    const bool isOverlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
    const bool isSurrogate = byte(0) == 0xED && byte(1) >= 0xA0;
    const bool isTooLarge = byte(0) == 0xF4 && byte(1) >= 0x90;
    return isOverlong || isSurrogate || isTooLarge ? 0 : length;
}

} // namespace

void Table::addRow(std::vector<std::string> cells) {
    CHECK(cells.size() <= m_columns.size());
    cells.resize(m_columns.size());
    m_rows.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths(m_columns.size(), 0);
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        for (const auto& row : m_rows)
            widths[column] = std::max(widths[column], letterCount(row[column]));
        if (widths[column] > 0)
            widths[column] = std::max(widths[column], letterCount(m_columns[column].title));
    }
    return widths;
}

std::string Table::text() const {
    const std::vector<std::size_t> width = widths();
    std::vector<std::string> titles;
    for (const TableColumn& column : m_columns)
        titles.push_back(column.title);
    std::string text = joinLine(titles, width, m_columns);
    for (const auto& row : m_rows)
        text += joinLine(row, width, m_columns);
    return text;
}

std::string Table::markdown() const {
    const std::vector<std::size_t> width = widths();
    std::string text = "|";
    std::string rule = "|";
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        if (width[column] == 0)
            continue;
        text += " " + escapeMarkdown(m_columns[column].title) + " |";
        rule += m_columns[column].align == Align::Right ? " ---: |" : " --- |";
    }
    text += "\n" + rule + "\n";
    for (const auto& row : m_rows) {
        text += "|";
        for (std::size_t column = 0; column < m_columns.size(); ++column)
            text += width[column] == 0 ? "" : " " + escapeMarkdown(row[column]) + " |";
        text += "\n";
    }
    return text;
}

std::string Table::html() const {
    const std::vector<std::size_t> width = widths();
    const auto cellText = [&](std::string_view tag, std::size_t column, const std::string& cell) {
        if (width[column] == 0)
            return std::string();
        const std::string_view kind = m_columns[column].align == Align::Right ? " class=\"num\"" : "";
        return fmt::format("<{}{}>{}</{}>", tag, kind, escapeHtml(cell), tag);
    };
    std::string text = "<table>\n<thead><tr>";
    for (std::size_t column = 0; column < m_columns.size(); ++column)
        text += cellText("th", column, m_columns[column].title);
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& row : m_rows) {
        text += "<tr>";
        for (std::size_t column = 0; column < m_columns.size(); ++column)
            text += cellText("td", column, row[column]);
        text += "</tr>\n";
    }
    return text + "</tbody>\n</table>\n";
}

std::string cleanText(std::string_view text) {
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8Length(text.substr(i));
        const auto first = static_cast<unsigned char>(text[i]);
        const bool isControl =
            length == 1 && (first < 0x20 || first == 0x7F) && first != '\n' && first != '\t';
        result += length == 0 || isControl ? kReplacement : text.substr(i, length);
        i += std::max<std::size_t>(length, 1);
    }
    return result;
}

std::string escapeHtml(std::string_view text) {
    std::string result;
    for (const char c : cleanText(text)) {
        switch (c) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        case '\'':
            result += "&#39;";
            break;
        default:
            result += c;
        }
    }
    return result;
}

std::string escapeMarkdown(std::string_view text) {
    constexpr std::string_view kMarkup = "\\`*{}[]<>|"; // an underscore inside a word starts nothing
    std::string result;
    for (const char c : cleanText(text)) {
        if (kMarkup.find(c) != std::string_view::npos)
            result += '\\';
        result += c == '\n' || c == '\t' ? ' ' : c;
    }
    return result;
}

std::string printable(std::string_view text) {
    std::string result;
    for (const char c : cleanText(text))
        result += c == '\n' || c == '\t' ? ' ' : c;
    return result;
}

} // namespace retracescope::report
