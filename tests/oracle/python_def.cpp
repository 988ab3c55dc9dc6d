#include "tests/oracle/python_def.h"

#include <cctype>
#include <charconv>
#include <complex>
#include <stdexcept>

#include <fmt/format.h>

namespace retracescope::oracle {

namespace {

using trace::Value;
using types::Literal;
using types::ParameterKind;

/// Reads Python tokens from the front of a text.
class Reader {
public:
    explicit Reader(std::string_view text) : m_rest(text) {}

    bool take(std::string_view token) {
        skipBlanks();
        if (!m_rest.starts_with(token))
            return false;
        m_rest.remove_prefix(token.size());
        return true;
    }
    bool isAtEnd() {
        skipBlanks();
        return m_rest.empty();
    }
    std::string name() {
        skipBlanks();
        std::size_t length = 0;
        while (length < m_rest.size() &&
               (std::isalnum(static_cast<unsigned char>(m_rest[length])) != 0 || m_rest[length] == '_'))
            ++length;
        return cut(length);
    }
    /// An annotation: all up to a comma, an equals sign or a closing parenthesis that is not inside brackets.
    void skipAnnotation() {
        int depth = 0;
        while (!m_rest.empty()) {
            const char c = m_rest[0];
            if (depth == 0 && (c == ',' || c == '=' || c == ')'))
                return;
            depth += c == '(' || c == '[' || c == '{';
            depth -= c == ')' || c == ']' || c == '}';
            m_rest.remove_prefix(1);
        }
    }

    Value literal() {
        if (take("("))
            return sequence(")", true);
        if (take("["))
            return sequence("]", false);
        if (take("{"))
            return dict();
        skipBlanks();
        if (!m_rest.empty() && (std::isdigit(static_cast<unsigned char>(m_rest[0])) != 0 ||
                                m_rest[0] == '-' || m_rest[0] == '+' || m_rest[0] == '.'))
            return number();
        return textOrName();
    }

private:
    [[noreturn]] void fail() const {
        throw std::runtime_error(fmt::format("no Python literal: {}", m_rest.substr(0, 20)));
    }

    void skipBlanks() {
        while (!m_rest.empty() && std::isspace(static_cast<unsigned char>(m_rest[0])) != 0)
            m_rest.remove_prefix(1);
    }

    std::string cut(std::size_t length) {
        const std::string result(m_rest.substr(0, length));
        m_rest.remove_prefix(length);
        return result;
    }

    Value sequence(std::string_view end, bool isTuple) {
        Value::Sequence result{isTuple, {}};
        bool hasComma = false;
        while (!take(end)) {
            result.items.push_back(literal());
            hasComma = take(",") || hasComma;
        }
        if (isTuple && !hasComma && result.items.size() == 1)
            return result.items[0]; // parentheses only
        return result;
    }

    Value dict() {
        Value::Dict result;
        while (!take("}")) {
            const Value key = literal();
            const auto* keyLiteral = key.as<Literal>();
            if (keyLiteral == nullptr || !take(":"))
                fail();
            result.items.emplace_back(*keyLiteral, literal());
            take(",");
        }
        return result;
    }

    Value number() {
        const bool isNegative = m_rest[0] == '-';
        if (m_rest[0] == '-' || m_rest[0] == '+')
            m_rest.remove_prefix(1);
        std::size_t length = 0;
        while (length < m_rest.size() &&
               (std::isalnum(static_cast<unsigned char>(m_rest[length])) != 0 || m_rest[length] == '.' ||
                m_rest[length] == '_' ||
                ((m_rest[length] == '-' || m_rest[length] == '+') && m_rest[length - 1] == 'e')))
            ++length;
        std::string digits = cut(length);
        std::erase(digits, '_');
        const bool isImaginary = digits.ends_with('j');
        if (isImaginary)
            digits.pop_back();
        std::int64_t integer = 0;
        const char* end = digits.data() + digits.size();
        if (!isImaginary && std::from_chars(digits.data(), end, integer).ptr == end)
            return isNegative ? -integer : integer;
        double value = 0;
        if (digits.empty() || std::from_chars(digits.data(), end, value).ptr != end)
            fail();
        value = isNegative ? -value : value;
        return isImaginary ? Value(Literal(std::complex(0.0, value))) : Value(value);
    }

    Value textOrName() {
        const std::string word = name();
        if (!m_rest.empty() && (m_rest[0] == '\'' || m_rest[0] == '"')) {
            if (word == "b")
                return Literal(Literal::Bytes{quoted()});
            if (word.empty() || word == "u")
                return Literal(quoted());
            fail();
        }
        if (word == "None")
            return {};
        if (word == "True" || word == "False")
            return word == "True";
        throw std::runtime_error(fmt::format("no Python literal: {}", word));
    }

    std::string quoted() {
        const char quote = m_rest[0];
        std::string result;
        std::size_t at = 1;
        for (; at < m_rest.size() && m_rest[at] != quote; ++at) {
            if (m_rest[at] == '\\' && at + 1 < m_rest.size()) {
                ++at;
                result += m_rest[at] == 'n' ? '\n' : m_rest[at] == 't' ? '\t' : m_rest[at];
            } else {
                result += m_rest[at];
            }
        }
        if (at >= m_rest.size())
            fail();
        m_rest.remove_prefix(at + 1);
        return result;
    }

    std::string_view m_rest;
};

std::vector<trace::ParameterName> parameters(Reader& reader) {
    std::vector<trace::ParameterName> result;
    bool isNamedOnly = false;
    while (!reader.take(")")) {
        if (reader.isAtEnd())
            throw std::runtime_error("a def statement without its closing parenthesis");
        if (reader.take("/")) {
            for (trace::ParameterName& before : result)
                before.kind = ParameterKind::PositionalOnly;
        } else if (reader.take("**")) {
            result.push_back(trace::ParameterName(reader.name()).as(ParameterKind::VarKeyword));
            if (reader.take(":"))
                reader.skipAnnotation();
        } else if (reader.take("*")) {
            if (std::string name = reader.name(); !name.empty())
                result.push_back(trace::ParameterName(std::move(name)).as(ParameterKind::VarPositional));
            if (reader.take(":"))
                reader.skipAnnotation();
            isNamedOnly = true;
        } else {
            trace::ParameterName parameter(reader.name());
            if (parameter.name.empty())
                throw std::runtime_error("a def statement with something else than parameters");
            if (isNamedOnly)
                parameter.kind = ParameterKind::KeywordOnly;
            if (reader.take(":"))
                reader.skipAnnotation();
            if (reader.take("="))
                parameter.defaultValue = reader.literal();
            result.push_back(std::move(parameter));
        }
        reader.take(",");
    }
    return result;
}

} // namespace

std::vector<trace::ParameterName> parametersOf(const std::vector<std::string>& source,
                                               std::string_view label) {
    const std::string name(label.substr(0, label.find('#')));
    const std::size_t wanted = label.find('#') == std::string_view::npos
                                   ? 1
                                   : std::stoul(std::string(label.substr(name.size() + 1)));
    std::string text;
    for (const std::string& lines : source)
        text += lines + "\n";
    std::size_t found = 0;
    std::size_t last = std::string::npos;
    const std::string start = "def " + name + "(";
    for (std::size_t at = text.find(start); at != std::string::npos && found < wanted;
         at = text.find(start, at + 1))
        if (at == 0 || text[at - 1] == '\n' || text[at - 1] == ' ') {
            last = at;
            ++found;
        }
    if (last == std::string::npos)
        throw std::runtime_error(fmt::format("no def line for '{}'", label));
    Reader reader(std::string_view(text).substr(last + start.size()));
    return parameters(reader);
}

Value pythonLiteral(std::string_view text) {
    Reader reader(text);
    Value result = reader.literal();
    if (!reader.isAtEnd())
        throw std::runtime_error(fmt::format("no Python literal: {}", text));
    return result;
}

} // namespace retracescope::oracle
