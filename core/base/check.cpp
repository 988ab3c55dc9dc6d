#include <retracescope/base/check.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace retracescope {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
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
        if (open != message.npos && open + 1 < colon &&
            std::ranges::none_of(message.substr(open, colon - open), [](char c) { return c == ' '; }))
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
