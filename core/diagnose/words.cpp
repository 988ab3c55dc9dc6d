#include <retracescope/diagnose/words.h>

#include <array>
#include <cctype>
#include <charconv>
#include <fmt/format.h>

#include <retracescope/base/units.h>

namespace retracescope::diagnose {

namespace {

Place placeUnlessLibrary(std::string_view file, std::uint32_t line) {
    if (file.find("/include/c++/") != std::string_view::npos)
        return {};
    return {std::string(file), line};
}

} // namespace

PathParts splitPath(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos || path.find('\'', dot) != std::string_view::npos) // inside a key
        return {path, {}, -1};
    PathParts parts{path.substr(0, dot), path.substr(dot + 1), -1};
    const std::size_t bracket = parts.part.find('[');
    if (bracket != std::string_view::npos) {
        const std::string_view digits = parts.part.substr(bracket + 1);
        std::from_chars(digits.data(), digits.data() + digits.size(), parts.axis);
        parts.part = parts.part.substr(0, bracket);
    }
    return parts;
}

bool isNumberType(std::string_view type) {
    return type == "int" || type == "float" || type == "double" || type == "complex";
}

bool isFloatDtype(std::string_view dtype) {
    return dtype.starts_with("float") || dtype.starts_with("bfloat");
}

bool isNumericDtype(std::string_view dtype) {
    return isFloatDtype(dtype) || dtype.starts_with("int") || dtype.starts_with("uint") ||
           dtype.starts_with("complex");
}

std::string pathInWords(std::string_view path) {
    struct Phrase {
        std::string_view part;
        std::string_view words;
    };
    static constexpr std::array<Phrase, 8> kPhrases{{{"len", "the length of "},
                                                     {"keys", "the keys of "},
                                                     {"rank", "the number of axes of "},
                                                     {"identity", "the object in "},
                                                     {"alias", "the alias number of "},
                                                     {"device", "the device of "},
                                                     {"name", "the name of "},
                                                     {"trainable", "the trainability of "}}};
    const PathParts parts = splitPath(path);
    const std::string owner(parts.owner);
    if (parts.owner == "ambient")
        return "the " + std::string(parts.part) + " it is called in";
    if (parts.part == "shape")
        return fmt::format("{} axis {}", owner, parts.axis);
    for (const Phrase& phrase : kPhrases) {
        if (parts.part == phrase.part)
            return std::string(phrase.words) + owner;
    }
    return parts.part.empty() || parts.part == "value" ? owner : owner + " " + std::string(parts.part);
}

std::string pathAtStart(std::string_view path) {
    std::string words = pathInWords(path);
    const bool isOurs = words.starts_with("the ") && !path.starts_with("the ");
    return isOurs ? capitalized(std::move(words)) : words;
}

bool isPlural(std::string_view path) {
    return splitPath(path).part == "keys";
}

std::string valueInWords(std::string_view path, std::string_view value) {
    const bool isBare = isPlural(path) && !value.starts_with('{') && value != "none";
    return isBare ? fmt::format("{{{}}}", value) : std::string(value);
}

std::string differenceInWords(const types::Difference& difference) {
    const bool plural = isPlural(difference.path);
    return fmt::format("{} {} {}, {} {}", pathAtStart(difference.path), plural ? "were" : "was",
                       valueInWords(difference.path, difference.before), plural ? "are" : "is",
                       valueInWords(difference.path, difference.after));
}

std::string countInWords(std::int64_t count) {
    constexpr std::array<std::string_view, 11> kWords{"no",  "one",   "two",   "three", "four", "five",
                                                      "six", "seven", "eight", "nine",  "ten"};
    if (count >= 0 && count < static_cast<std::int64_t>(kWords.size()))
        return std::string(kWords[static_cast<std::size_t>(count)]);
    return formatCount(count);
}

std::string capitalized(std::string text) {
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string nameOf(const session::Session& session, session::FunctionId function) {
    const session::Function& row = session[function];
    const std::string_view name = session.text(row.name);
    return std::string(name.empty() ? session.text(row.qualifiedName) : name);
}

bool relaxes(const session::Session& session, session::FunctionId function) {
    return session.text(session[function].options).find("reduce_retracing=True") != std::string_view::npos;
}

std::string placeInWords(const session::Session& session, session::FunctionId function) {
    const Place place = definitionPlace(session, function);
    const std::string file = place.file.substr(place.file.find_last_of("/\\") + 1);
    return place.line == 0 || file.empty() ? file : fmt::format("{}, line {}", file, place.line);
}

Place definitionPlace(const session::Session& session, session::FunctionId function) {
    const session::Function& row = session[function];
    return placeUnlessLibrary(session.text(row.file), row.line);
}

Place callPlace(const session::Session& session, const session::Miss& miss) {
    session::StackId stack = miss.stack;
    if (!stack.isValid() && miss.call.isValid())
        stack = session.calls.stack[miss.call.value];
    if (!stack.isValid() || session[stack].frames.empty())
        return {};
    const session::Frame& frame = session[stack].frames.front();
    return placeUnlessLibrary(session.text(frame.file), frame.line);
}

std::string shortPlace(std::string_view file, std::uint32_t line) {
    file = file.substr(file.find_last_of("/\\") + 1);
    return file.empty() || line == 0 ? std::string(file) : fmt::format("{}:{}", file, line);
}

std::string_view firstLine(std::string_view text) {
    return text.substr(0, text.find('\n'));
}

} // namespace retracescope::diagnose
