#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <unistd.h>

#include <retracescope/base/files.h>
#include <retracescope/session/file.h>

#include "tests/support/use_session.h"

/// Any bytes as a session file: an error, or a session that bears to be looked at. The file lies in memory.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace retracescope;
    static const std::filesystem::path path =
        "/dev/shm/session_fuzz." + std::to_string(getpid()) + ".retrace";
    if (!writeTextFile(path, std::string_view(reinterpret_cast<const char*>(data), size)))
        std::abort();
    if (const auto session = session::readSession(path))
        test::useSession(**session);
    std::filesystem::remove(path);
    return 0;
}
