#include <retracescope/base/check.h>

#include <cstdio>
#include <cstdlib>

namespace retracescope {

void checkFailed(const char* condition, const char* file, int line) noexcept {
    std::fprintf(stderr, "retracescope: internal error, `%s` does not hold (%s:%d)\n", condition, file, line);
    std::abort();
}

} // namespace retracescope
