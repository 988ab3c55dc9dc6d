#include <retracescope/base/check.h>

#include <cstdio>
#include <cstdlib>

namespace retracescope {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// "dense.cpp", "my layer.cpp", "Makefile"; not "a ratio of 3", which may stand before a colon, too.
bool isFileName(std::string_view name) {
    if (name.find(' ') == name.npos)
        return !name.empty();
    const std::size_t dot = name.rfind('.');
    const std::string_view ending = dot == name.npos ? std::string_view() : name.substr(dot + 1);
    return !ending.empty() && ending.size() <= 4 && ending.find(' ') == ending.npos;
}

/// Whether "(dense.cpp:12)" or the like is in it.
bool namesPlace(std::string_view message) {
    for (std::size_t end = message.find(')'); end != message.npos; end = message.find(')', end + 1)) {
        std::size_t colon = end;
        while (colon > 0 && isDigit(message[colon - 1]))
            --colon;
        if (colon == end || colon == 0 || message[--colon] != ':')
            continue;
        const std::size_t open = message.rfind('(', colon);
        if (open != message.npos && isFileName(message.substr(open + 1, colon - open - 1)))
            return true;
    }
    return false;
}

} // namespace

void UsageError::at(std::string_view place) {
    if (!place.empty() && !namesPlace(what()))
        m_placed = std::make_shared<const std::string>(what() + std::string(place));
}

void checkFailed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "retracescope: internal error, `%s` does not hold (%s:%d)\n", condition, file, line);
    std::abort();
}

std::string placeText(std::string_view file, std::uint32_t line) {
    if (line == 0)
        return {};
    return " (" + std::string(file.substr(file.rfind('/') + 1)) + ':' + std::to_string(line) + ')';
}

std::string placeText(std::source_location where) {
    return isOfStandardLibrary(where.file_name()) ? std::string()
                                                  : placeText(where.file_name(), where.line());
}

bool isOfStandardLibrary(std::string_view file) {
    return file.find("/include/c++/") != file.npos || file.find("/c++/v1/") != file.npos;
}

} // namespace retracescope
