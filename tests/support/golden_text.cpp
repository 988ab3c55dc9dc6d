#include "tests/support/golden_text.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace retracescope::test {

std::string goldenMismatch(const std::string& actual, const std::string& name) {
    const std::filesystem::path path = std::filesystem::path(RETRACESCOPE_SOURCE_DIR) / "tests/golden" / name;
    if (const char* write = std::getenv("RETRACESCOPE_WRITE_GOLDEN"); write != nullptr && *write == '1') {
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << actual;
        return {};
    }
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return "no golden file " + path.string() + "; set RETRACESCOPE_WRITE_GOLDEN=1 to write it";
    std::istringstream text(actual);
    std::string want;
    std::string have;
    for (int line = 1;; ++line) {
        const bool more = static_cast<bool>(std::getline(file, want));
        const bool moreActual = static_cast<bool>(std::getline(text, have));
        if (!more && !moreActual)
            return {};
        if (!more || !moreActual || want != have)
            return name + " line " + std::to_string(line) + ":\n  want: " + (more ? want : "(end)") +
                   "\n  have: " + (moreActual ? have : "(end)");
    }
}

} // namespace retracescope::test
