#pragma once

#include <string>
#include <string_view>

#include <retracescope/session/session.h>

/// How paths, values and counts read in a sentence. Names stay as in the user's code.
namespace retracescope::diagnose {

/// A path cut at its last part: "xs[1].shape[0]" is owner "xs[1]", part "shape", axis 0.
struct PathParts {
    std::string_view owner;
    std::string_view part;
    int axis = -1; ///< of "shape[k]"; -1 for every other part
};

PathParts splitPath(std::string_view path);

/// Whether a ".type" is that of a host number, whether a ".dtype" can be cast into other numbers.
bool isNumberType(std::string_view type);
bool isNumericDtype(std::string_view dtype);
bool isFloatDtype(std::string_view dtype);

/// "x axis 0", "step", "x dtype", "the length of xs", "the keys of d", "the graph it is called in".
std::string pathInWords(std::string_view path);

/// The same for the start of a sentence: our own words get a capital letter, the user's names stay.
std::string pathAtStart(std::string_view path);

/// True if what stands at the path is many things: keys.
bool isPlural(std::string_view path);

/// A component's value as it reads in a sentence: keys in braces.
std::string valueInWords(std::string_view path, std::string_view value);

/// "x axis 0 was 2, is 3", "The keys of d were {'a'}, are {'a', 'b'}", as the start of a sentence; for a
/// component that one side lacks "x axis 1 was none, is 4".
std::string differenceInWords(const types::Difference& difference);

/// Counts up to ten as words, then as digits: "two", "ten", "21".
std::string countInWords(std::int64_t count);

/// "Two" for the start of a sentence.
std::string capitalized(std::string text);

/// The function's name as the user wrote it.
std::string nameOf(const session::Session& session, session::FunctionId function);

/// True if the function relaxes shapes by itself.
bool relaxes(const session::Session& session, session::FunctionId function);

/// "train.py, line 31"; empty if the place is not known. The folder is left out.
std::string placeInWords(const session::Session& session, session::FunctionId function);

/// A line of the program; empty if it was not recorded.
struct Place {
    std::string file;
    std::uint32_t line = 0;
};

/// Where a function is defined; empty if that is inside the C++ standard library, which made it for the
/// program (std::optional::emplace and the like).
Place definitionPlace(const session::Session& session, session::FunctionId function);

/// Where the call of a miss stands; empty as above.
Place callPlace(const session::Session& session, const session::Miss& miss);

/// "train.cpp:12", without the folder; empty if the file is.
std::string shortPlace(std::string_view file, std::uint32_t line);

/// The first line of a text that may have many.
std::string_view firstLine(std::string_view text);

} // namespace retracescope::diagnose
