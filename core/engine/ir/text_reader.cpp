#include <retracescope/engine/ir/text_reader.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

namespace retracescope::ir {

namespace {

bool isSpace(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool isWordLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

void TextReader::skipSpace() {
    while (m_at < m_text.size() && isSpace(m_text[m_at]))
        ++m_at;
}

bool TextReader::at(std::string_view token) {
    skipSpace();
    if (!rest().starts_with(token))
        return false;
    const bool goesOn =
        isWordLetter(token.back()) && rest().size() > token.size() && isWordLetter(rest()[token.size()]);
    return !goesOn;
}

bool TextReader::accept(std::string_view token) {
    if (!at(token))
        return false;
    m_at += token.size();
    return true;
}

void TextReader::expect(std::string_view token) {
    if (!accept(token))
        fail(fmt::format("expected '{}', got '{}'", token,
                         rest().substr(0, std::min<std::size_t>(20, rest().find('\n')))));
}

void TextReader::expectEnd() {
    skipSpace();
    if (m_at != m_text.size())
        fail("expected the end of the text");
}

std::string TextReader::word() {
    skipSpace();
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && isWordLetter(m_text[m_at]))
        ++m_at;
    if (m_at == begin)
        fail("expected a word");
    return std::string(m_text.substr(begin, m_at - begin));
}

std::string TextReader::quoted() {
    while (accept("[") || accept(",") || accept("]"))
        ;
    expect("\"");
    std::string result;
    while (m_at < m_text.size() && m_text[m_at] != '"') {
        if (m_text[m_at] == '\\' && ++m_at < m_text.size() && m_text[m_at] == 'n')
            result += '\n';
        else if (m_at < m_text.size())
            result += m_text[m_at];
        ++m_at;
    }
    if (m_at >= m_text.size())
        fail("a quote does not end");
    ++m_at;
    return result;
}

std::string_view TextReader::typeText() {
    skipSpace();
    const std::size_t begin = m_at;
    while (m_at < m_text.size() && isWordLetter(m_text[m_at]))
        ++m_at;
    const std::size_t end = m_text.find_first_of("]>", m_at);
    m_at = end == std::string_view::npos ? m_text.size() : end + 1;
    return m_text.substr(begin, m_at - begin);
}

template <class T>
T TextReader::number() {
    skipSpace();
    while (m_at < m_text.size() &&
           (m_text[m_at] == '[' || m_text[m_at] == ',' || m_text[m_at] == ']' || isSpace(m_text[m_at])))
        ++m_at;
    if constexpr (std::is_same_v<T, bool>) {
        if (accept("true"))
            return true;
        if (accept("false"))
            return false;
        fail("expected true or false");
    } else {
        T value{};
        const char* begin = m_text.data() + m_at;
        const auto [end, failure] = std::from_chars(begin, m_text.data() + m_text.size(), value);
        if (failure != std::errc())
            fail("expected a number");
        m_at += static_cast<std::size_t>(end - begin);
        return value;
    }
}

template bool TextReader::number<bool>();
template std::int8_t TextReader::number<std::int8_t>();
template std::int16_t TextReader::number<std::int16_t>();
template std::int32_t TextReader::number<std::int32_t>();
template std::int64_t TextReader::number<std::int64_t>();
template std::uint8_t TextReader::number<std::uint8_t>();
template std::uint16_t TextReader::number<std::uint16_t>();
template std::uint32_t TextReader::number<std::uint32_t>();
template std::uint64_t TextReader::number<std::uint64_t>();
template float TextReader::number<float>();
template double TextReader::number<double>();

void TextReader::skipValue() {
    int depth = 0;
    do {
        skipSpace();
        if (m_at >= m_text.size())
            fail("a value does not end");
        const char c = m_text[m_at];
        if (c == '[' || c == ']') {
            depth += c == '[' ? 1 : -1;
            ++m_at;
        } else if (c == '"') {
            quoted();
        } else if (c == ',' && depth > 0) {
            ++m_at;
        } else {
            const std::size_t end = m_text.find_first_of(" ,]\n", m_at);
            if (end == m_at || end == std::string_view::npos)
                fail("expected a value");
            m_at = end;
        }
    } while (depth > 0);
}

void TextReader::beginStatement() {
    skipSpace();
    m_statement = m_at;
}

int TextReader::line() const {
    return 1 + static_cast<int>(std::ranges::count(m_text.substr(0, m_statement), '\n'));
}

} // namespace retracescope::ir
