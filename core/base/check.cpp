#include <retracescope/base/check.h>

#include <cstdio>
#include <cstdlib>

namespace retracescope {

void checkFailed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "retracescope: internal error, `%s` does not hold (%s:%d)\n", condition, file, line);
    std::abort();
}

std::string placeText(std::string_view file, std::uint32_t line) {
    if (line == 0)
        return {};
    return " (" + std::string(file.substr(file.rfind('/') + 1)) + ':' + std::to_string(line) + ')';
}

} // namespace retracescope
