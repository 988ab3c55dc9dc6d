#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace retracescope {

/// A call or an initialisation in source text, by offsets into it.
struct SourceCall {
    /// Part of the text, blanks at its ends left out.
    struct Piece {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    std::size_t open = 0;  ///< of its bracket
    std::size_t close = 0; ///< of the bracket that ends it
    std::vector<Piece> arguments;
};

/// Source text of a C-like language, understood as far as brackets, texts and comments go. The text must
/// outlive it.
class SourceCode {
public:
    explicit SourceCode(std::string_view text);

    std::string_view text() const { return m_text; }
    std::string_view text(SourceCall::Piece piece) const {
        return m_text.substr(piece.begin, piece.end - piece.begin);
    }

    /// Line `number`, from 1 on, without its end; empty if there is none.
    std::string_view line(std::uint32_t number) const;
    std::uint32_t lineOf(std::size_t offset) const;
    std::size_t beginOf(std::uint32_t line) const; ///< offset of its first character

    /// The call whose bracket is at `open`, with its arguments cut at commas outside inner brackets; none if
    /// the bracket is never closed.
    std::optional<SourceCall> callAt(std::size_t open) const;

    /// By the offset of each closing bracket outside of texts and comments: that of the bracket it ends.
    std::unordered_map<std::size_t, std::size_t> brackets() const;

    /// The name before an offset, blanks skipped: "step" before the bracket of "step(x)"; empty if none is
    /// there.
    std::string_view nameBefore(std::size_t offset) const;

private:
    std::size_t skipped(std::size_t at) const;

    std::string_view m_text;
    std::vector<std::size_t> m_lines; ///< offset of each
};

/// The initialisation of an object whose first argument is the text `name`, the last that touches `line`; for
/// instance all lines of `Function step("step", {"x"}, [](Tensor x) {...});` from the name of any line of it.
std::optional<SourceCall> findNamed(const SourceCode& code, std::string_view name, std::uint32_t line);

/// The line where an object begins that is made of a name and other things, given what std::source_location
/// says of it: compilers name its last bracket, its first word, or for a member the class around it. `line`
/// itself if the text does not tell.
class FirstLines {
public:
    explicit FirstLines(std::string_view text); ///< which must outlive it

    std::uint32_t of(std::string_view name, std::uint32_t line, std::uint32_t column) const;

private:
    SourceCode m_code;
    std::unordered_map<std::size_t, std::size_t> m_brackets;
};

} // namespace retracescope
