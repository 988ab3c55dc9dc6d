#include <retracescope/report/tables.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/base/text.h>
#include <retracescope/base/units.h>
#include <retracescope/session/session.h>

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

void Table::addRow(std::vector<Cell> cells) {
    RETRACESCOPE_CHECK(cells.size() <= m_columns.size());
    cells.resize(m_columns.size());
    m_rows.push_back(std::move(cells));
}

void Table::writeColumn(std::size_t column, Texts& texts) const {
    std::int64_t largest = -1;
    bool hasTimes = false;
    for (const auto& row : m_rows) {
        if (const auto* time = std::get_if<TimeCell>(&row[column])) {
            hasTimes = true;
            largest = std::max(largest, time->ns);
        }
    }
    TimeUnit unit = timeUnitFor(std::max<std::int64_t>(largest, 0));
    const int mostDecimals = static_cast<int>(std::lround(std::log10(unit.ns))); // then it is whole ns
    unit.decimals = std::min(unit.decimals + m_columns[column].moreDecimals, mostDecimals);
    if (hasTimes && largest > 0)
        texts.titles[column] += ", " + unit.name;
    std::size_t width = 0;
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        const Cell& cell = m_rows[row][column];
        std::string& text = texts.rows[row][column];
        if (const auto* time = std::get_if<TimeCell>(&cell))
            text = time->ns == session::kNotRecorded ? std::string(kDash) : unit.number(time->ns);
        else
            text = std::get<std::string>(cell);
        width = std::max(width, letterCount(text));
    }
    texts.widths[column] = width == 0 ? 0 : std::max(width, letterCount(texts.titles[column]));
}

Table::Texts Table::texts() const {
    Texts texts;
    for (const TableColumn& column : m_columns)
        texts.titles.push_back(column.title);
    texts.rows.assign(m_rows.size(), std::vector<std::string>(m_columns.size()));
    texts.widths.resize(m_columns.size());
    for (std::size_t column = 0; column < m_columns.size(); ++column)
        writeColumn(column, texts);
    return texts;
}

std::string Table::text() const {
    const Texts all = texts();
    std::string text = joinLine(all.titles, all.widths, m_columns);
    for (const auto& row : all.rows)
        text += joinLine(row, all.widths, m_columns);
    return text;
}

std::string Table::markdown() const {
    const Texts all = texts();
    std::string text = "|";
    std::string rule = "|";
    for (std::size_t column = 0; column < m_columns.size(); ++column) {
        if (all.widths[column] == 0)
            continue;
        text += " " + escapeMarkdown(all.titles[column]) + " |";
        rule += m_columns[column].align == Align::Right ? " ---: |" : " --- |";
    }
    text += "\n" + rule + "\n";
    for (const auto& row : all.rows) {
        text += "|";
        for (std::size_t column = 0; column < m_columns.size(); ++column)
            text += all.widths[column] == 0 ? "" : " " + escapeMarkdown(row[column]) + " |";
        text += "\n";
    }
    return text;
}

std::string Table::html() const {
    const Texts all = texts();
    const auto cellText = [&](std::string_view tag, std::size_t column, const std::string& cell) {
        if (all.widths[column] == 0)
            return std::string();
        const std::string_view kind = m_columns[column].align == Align::Right ? " class=\"num\"" : "";
        return fmt::format("<{}{}>{}</{}>", tag, kind, escapeHtml(cell), tag);
    };
    std::string text = "<table>\n<thead><tr>";
    for (std::size_t column = 0; column < m_columns.size(); ++column)
        text += cellText("th", column, all.titles[column]);
    text += "</tr></thead>\n<tbody>\n";
    for (const auto& row : all.rows) {
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
