#include <retracescope/base/source_code.h>

#include <algorithm>
#include <cctype>

namespace retracescope {

namespace {

bool isNamePart(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool opens(char c) {
    return c == '(' || c == '[' || c == '{';
}

bool closes(char c) {
    return c == ')' || c == ']' || c == '}';
}

/// A definition has no more lines than this, and its name stands at most so many lines behind its bracket.
constexpr std::uint32_t kMostLines = 2000;
constexpr std::uint32_t kLinesToName = 3;

} // namespace

SourceCode::SourceCode(std::string_view text) : m_text(text), m_lines{0} {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n')
            m_lines.push_back(i + 1);
    }
}

std::string_view SourceCode::line(std::uint32_t number) const {
    if (number == 0 || number > m_lines.size())
        return {};
    const std::size_t begin = m_lines[number - 1];
    std::string_view line = m_text.substr(begin, m_text.find('\n', begin) - begin);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

std::uint32_t SourceCode::lineOf(std::size_t offset) const {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(m_lines, offset) - m_lines.begin());
}

std::size_t SourceCode::beginOf(std::uint32_t line) const {
    return line == 0 || line > m_lines.size() ? m_text.size() : m_lines[line - 1];
}

/// The end of the text or comment that begins at `at`, or `at` if none does.
std::size_t SourceCode::skipped(std::size_t at) const {
    const auto after = [&](std::string_view end, std::size_t from) {
        const std::size_t found = m_text.find(end, from);
        return found == std::string_view::npos ? m_text.size() : found + end.size();
    };
    const std::string_view rest = m_text.substr(at);
    if (rest.starts_with("//"))
        return std::min(m_text.find('\n', at), m_text.size());
    if (rest.starts_with("/*"))
        return after("*/", at + 2);
    if (rest.starts_with("R\"") && (at == 0 || !isNamePart(m_text[at - 1]))) {
        const std::size_t bracket = m_text.find('(', at);
        if (bracket != std::string_view::npos)
            return after(")" + std::string(m_text.substr(at + 2, bracket - at - 2)) + "\"", bracket);
    }
    const bool isSeparator = rest.starts_with('\'') && at > 0 && isNamePart(m_text[at - 1]); // 1'000
    if (!rest.starts_with('"') && (!rest.starts_with('\'') || isSeparator))
        return at;
    for (std::size_t i = at + 1; i < m_text.size(); ++i) {
        if (m_text[i] == '\\')
            ++i;
        else if (m_text[i] == m_text[at])
            return i + 1;
    }
    return m_text.size();
}

std::optional<SourceCall> SourceCode::callAt(std::size_t open) const {
    SourceCall call;
    call.open = open;
    std::size_t begin = open + 1;
    const auto endArgument = [&](std::size_t end) {
        SourceCall::Piece piece{begin, end};
        while (piece.begin < piece.end && isBlank(m_text[piece.begin]))
            ++piece.begin;
        while (piece.begin < piece.end && isBlank(m_text[piece.end - 1]))
            --piece.end;
        if (piece.begin < piece.end || m_text[end] == ',')
            call.arguments.push_back(piece);
        begin = end + 1;
    };
    int depth = 0;
    for (std::size_t at = open; at < m_text.size();) {
        if (const std::size_t next = skipped(at); next > at) {
            at = next;
            continue;
        }
        const char c = m_text[at];
        depth += opens(c) ? 1 : closes(c) ? -1 : 0;
        if (depth == 0) {
            endArgument(at);
            call.close = at;
            return call;
        }
        if (c == ',' && depth == 1)
            endArgument(at);
        ++at;
    }
    return std::nullopt;
}

std::unordered_map<std::size_t, std::size_t> SourceCode::brackets() const {
    std::unordered_map<std::size_t, std::size_t> openOf;
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < m_text.size();) {
        if (const std::size_t next = skipped(at); next > at) {
            at = next;
            continue;
        }
        if (opens(m_text[at])) {
            open.push_back(at);
        } else if (closes(m_text[at]) && !open.empty()) {
            openOf.emplace(at, open.back());
            open.pop_back();
        }
        ++at;
    }
    return openOf;
}

std::string_view SourceCode::nameBefore(std::size_t offset) const {
    std::size_t end = std::min(offset, m_text.size());
    while (end > 0 && isBlank(m_text[end - 1]))
        --end;
    std::size_t begin = end;
    while (begin > 0 && isNamePart(m_text[begin - 1]))
        --begin;
    return m_text.substr(begin, end - begin);
}

namespace {

/// The initialisation whose first argument begins at `at`.
std::optional<SourceCall> callWithFirst(const SourceCode& code, std::size_t at) {
    while (at > 0 && isBlank(code.text()[at - 1]))
        --at;
    const bool isFirst = at > 0 && (code.text()[at - 1] == '(' || code.text()[at - 1] == '{');
    return isFirst ? code.callAt(at - 1) : std::nullopt;
}

std::string quoted(std::string_view name) {
    return "\"" + std::string(name) + "\"";
}

/// The only initialisation from `line` on whose first argument is the text `name` and that has others behind
/// it.
std::optional<SourceCall> findOnlyNamed(const SourceCode& code, std::string_view name, std::uint32_t line) {
    std::optional<SourceCall> found;
    const std::string literal = quoted(name);
    for (std::size_t at = code.text().find(literal, code.beginOf(line)); at != std::string_view::npos;
         at = code.text().find(literal, at + 1)) {
        const auto call = callWithFirst(code, at);
        if (!call || call->arguments.size() < 2)
            continue;
        if (found)
            return std::nullopt;
        found = call;
    }
    return found;
}

} // namespace

std::optional<SourceCall> findNamed(const SourceCode& code, std::string_view name, std::uint32_t line) {
    const std::string literal = quoted(name);
    std::size_t at = code.beginOf(line + 1 + kLinesToName);
    const std::size_t least = code.beginOf(line > kMostLines ? line - kMostLines : 1);
    while (at > least) {
        at = code.text().rfind(literal, at - 1);
        if (at == std::string_view::npos || at < least)
            break;
        const auto call = callWithFirst(code, at);
        if (call && code.lineOf(call->close) >= line && code.lineOf(call->open) <= line)
            return call;
    }
    return std::nullopt;
}

FirstLines::FirstLines(std::string_view text) : m_code(text), m_brackets(m_code.brackets()) {}

std::uint32_t FirstLines::of(std::string_view name, std::uint32_t line, std::uint32_t column) const {
    if (line == 0 || column == 0)
        return line;
    if (const auto bracket = m_brackets.find(m_code.beginOf(line) + column - 1); bracket != m_brackets.end())
        return m_code.lineOf(bracket->second);
    if (findNamed(m_code, name, line))
        return line;
    const auto member = findOnlyNamed(m_code, name, line);
    return member ? m_code.lineOf(member->open) : line;
}

} // namespace retracescope
