#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace retracescope::ir {

/// Reads the tokens of a graph's text; white space between them does not count. Every mistake throws Failure.
class TextReader {
public:
    struct Failure {
        std::string message;
    };

    explicit TextReader(std::string_view text) : m_text(text) {}

    /// True if the text goes on with `token`, which is then skipped (accept) or not (at). A word must end
    /// there.
    bool at(std::string_view token);
    bool accept(std::string_view token);
    void expect(std::string_view token);
    void expectEnd();

    std::string word();   ///< letters, digits and _
    std::string quoted(); ///< as tensor::quoted() writes it
    std::string_view typeText();

    /// A number of type T; brackets and commas before it, of nested lists, are skipped with it. A bool reads
    /// true or false.
    template <class T>
    T number();

    /// A number, a word, a quoted text or a nested list of them.
    void skipValue();

    /// Failures from now on belong to the line of the next token.
    void beginStatement();
    int line() const;
    std::int64_t size() const { return static_cast<std::int64_t>(m_text.size()); }
    [[noreturn]] void fail(std::string message) const { throw Failure{std::move(message)}; }

private:
    void skipSpace();
    std::string_view rest() const { return m_text.substr(m_at); }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::size_t m_statement = 0;
};

} // namespace retracescope::ir
