#include <retracescope/importers/json_scan.h>

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstring>

namespace retracescope::importers {

namespace {

static_assert(std::endian::native == std::endian::little,
              "the eight-byte steps below read little-endian words");

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

/// The high bit of each zero byte; exact up to the lowest one.
std::uint64_t zeroBytes(std::uint64_t word) {
    return (word - kOnes) & ~word & kHighs;
}

bool isBlank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

int hexDigit(char c) {
    if (isDigit(c))
        return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool isSurrogate(unsigned unit) {
    return unit >= 0xD800 && unit <= 0xDFFF;
}

class Scanner {
public:
    Scanner(std::string_view text, std::size_t position)
        : m_begin(text.data()), m_at(text.data() + position), m_end(text.data() + text.size()) {}

    JsonValueScan run() {
        while (value() && !m_done) {
        }
        m_result.end = static_cast<std::size_t>(m_at - m_begin);
        m_result.nonAscii = m_highBits != 0;
        return m_result;
    }

private:
    bool fail(std::string_view problem) {
        m_result.problem = problem;
        m_result.cut = m_at >= m_end;
        return false;
    }

    bool cut() {
        m_at = m_end;
        return fail("the text ends here");
    }

    bool blanks() {
        while (m_at < m_end && isBlank(*m_at))
            ++m_at;
        return m_at < m_end || cut();
    }

    /// One value, and the closing brackets and the comma (with the next key) behind it.
    bool value() {
        if (!blanks())
            return false;
        switch (*m_at) {
        case '{':
            return open('}');
        case '[':
            return open(']');
        case '"':
            return string() && after();
        case 't':
            return word("true") && after();
        case 'f':
            return word("false") && after();
        case 'n':
            return word("null") && after();
        case 'N':
            m_result.needsRepair = true;
            return word("NaN") && after();
        case 'I':
            m_result.needsRepair = true;
            return word("Infinity") && after();
        default:
            return number() && after();
        }
    }

    bool open(char closer) {
        if (m_depth == kDeepestJson)
            return fail("it is nested too deep");
        m_isObject[m_depth++] = closer == '}';
        ++m_at;
        if (!blanks())
            return false;
        if (*m_at == closer) {
            ++m_at;
            --m_depth;
            return after();
        }
        return closer == ']' || key();
    }

    bool key() {
        if (*m_at != '"')
            return fail("a key in quotes is expected");
        if (!string() || !blanks())
            return false;
        if (*m_at != ':')
            return fail("':' is expected");
        ++m_at;
        return true;
    }

    bool after() {
        while (m_depth > 0) {
            if (!blanks())
                return false;
            const bool isObject = m_isObject[m_depth - 1];
            if (*m_at == ',') {
                ++m_at;
                return !isObject || (blanks() && key());
            }
            if (*m_at != (isObject ? '}' : ']'))
                return fail(isObject ? "',' or '}' is expected" : "',' or ']' is expected");
            ++m_at;
            --m_depth;
        }
        m_done = true;
        return true;
    }

    bool string() {
        ++m_at;
        for (;;) {
            if (m_end - m_at >= 8) {
                std::uint64_t word = 0;
                std::memcpy(&word, m_at, 8);
                const std::uint64_t stops = zeroBytes(word ^ (kOnes * '"')) |
                                            zeroBytes(word ^ (kOnes * '\\')) |
                                            ((word - kOnes * 0x20) & ~word & kHighs);
                m_highBits |= word & kHighs;
                if (stops == 0) {
                    m_at += 8;
                    continue;
                }
                m_at += std::countr_zero(stops) / 8;
            } else if (m_at == m_end) {
                return cut();
            }
            const char c = *m_at;
            if (c == '"') {
                ++m_at;
                return true;
            }
            if (c == '\\') {
                if (!escape())
                    return false;
                continue;
            }
            if (static_cast<unsigned char>(c) < 0x20)
                m_result.needsRepair = true;
            m_highBits |= static_cast<unsigned char>(c) & 0x80u;
            ++m_at;
        }
    }

    bool escape() {
        if (m_end - m_at < 2)
            return cut();
        if (m_at[1] != 'u') {
            if (std::strchr("\"\\/bfnrt", m_at[1]) == nullptr || m_at[1] == '\0')
                return fail("an unknown escape in a string");
            m_at += 2;
            return true;
        }
        unsigned unit = 0;
        for (int i = 2; i < 6; ++i) {
            if (m_at + i >= m_end)
                return cut();
            const int digit = hexDigit(m_at[i]);
            if (digit < 0)
                return fail("four hexadecimal digits are expected behind \\u");
            unit = unit * 16 + static_cast<unsigned>(digit);
        }
        m_result.needsRepair = m_result.needsRepair || isSurrogate(unit);
        m_at += 6;
        return true;
    }

    bool word(std::string_view expected) {
        const auto left = static_cast<std::size_t>(m_end - m_at);
        if (std::memcmp(m_at, expected.data(), std::min(left, expected.size())) != 0)
            return fail("an unknown word");
        if (left < expected.size())
            return cut();
        m_at += expected.size();
        return true;
    }

    bool digits() {
        const char* first = m_at;
        while (m_at < m_end && isDigit(*m_at))
            ++m_at;
        if (m_at == first)
            return m_at == m_end ? cut() : fail("a digit is expected");
        return true;
    }

    bool number() {
        const char first = *m_at;
        if (first == '-')
            ++m_at;
        else if (!isDigit(first))
            return fail("a value is expected");
        if (m_at < m_end && *m_at == 'I') {
            m_result.needsRepair = true;
            return word("Infinity");
        }
        if (m_at < m_end && *m_at == '0')
            ++m_at;
        else if (!digits())
            return false;
        if (m_at < m_end && *m_at == '.') {
            ++m_at;
            if (!digits())
                return false;
        }
        if (m_at < m_end && (*m_at == 'e' || *m_at == 'E')) {
            ++m_at;
            if (m_at < m_end && (*m_at == '+' || *m_at == '-'))
                ++m_at;
            return digits();
        }
        return true;
    }

    const char* m_begin;
    const char* m_at;
    const char* m_end;
    std::size_t m_depth = 0;
    std::bitset<kDeepestJson> m_isObject;
    std::uint64_t m_highBits = 0; ///< some string may hold a byte above 127
    bool m_done = false;
    JsonValueScan m_result;
};

/// Length of the valid UTF-8 sequence at `at`, or 0.
std::size_t utf8Length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(at);
    if (lead < 0x80)
        return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80)
            return 0;
    }
    const unsigned char second = byte(at + 1);
    const bool wrong = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                       (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
    return wrong ? 0 : length;
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The UTF-16 unit of a "\uXXXX" at `at`, or 0 if there is none.
unsigned escapedUnit(std::string_view text, std::size_t at) {
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u')
        return 0;
    unsigned unit = 0;
    for (std::size_t i = at + 2; i < at + 6; ++i)
        unit = unit * 16 + static_cast<unsigned>(hexDigit(text[i]));
    return unit;
}

/// Copies one escape of a string; returns its length in `text`.
std::size_t copyEscape(std::string_view text, std::size_t at, std::string& out) {
    const unsigned unit = escapedUnit(text, at);
    if (!isSurrogate(unit)) {
        const std::size_t length = text[at + 1] == 'u' ? 6 : 2;
        out += text.substr(at, length);
        return length;
    }
    const unsigned next = escapedUnit(text, at + 6);
    if (unit <= 0xDBFF && next >= 0xDC00 && next <= 0xDFFF) {
        out += text.substr(at, 12);
        return 12;
    }
    out += "\\ufffd";
    return 6;
}

} // namespace

JsonValueScan scanJsonValue(std::string_view text, std::size_t position) {
    return Scanner(text, position).run();
}

std::size_t skipBlanks(std::string_view text, std::size_t position) {
    while (position < text.size() && isBlank(text[position]))
        ++position;
    return position;
}

std::string repairUtf8(std::string_view text, std::int64_t& invalidBytes) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8Length(text, at);
        if (length == 0) {
            out += kReplacement;
            ++invalidBytes;
        }
        out += text.substr(at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::string repairJson(std::string_view value, std::int64_t& invalidBytes) {
    const std::string text = repairUtf8(value, invalidBytes);
    std::string out;
    out.reserve(text.size());
    bool inString = false;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (inString && c == '\\') {
            at += copyEscape(text, at, out);
            continue;
        }
        if (inString && static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view kHex = "0123456789abcdef";
            out += "\\u00";
            out += kHex[static_cast<unsigned char>(c) >> 4];
            out += kHex[c & 15];
            ++at;
            continue;
        }
        if (!inString && (c == 'N' || c == 'I')) {
            const std::string_view word = c == 'N' ? "NaN" : "Infinity";
            const bool negative = !out.empty() && out.back() == '-';
            if (negative)
                out.pop_back();
            out += negative ? "\"-" : "\"";
            out += word;
            out += '"';
            at += word.size();
            continue;
        }
        inString ^= c == '"';
        out += c;
        ++at;
    }
    return out;
}

} // namespace retracescope::importers
