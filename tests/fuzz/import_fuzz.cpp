#include <cstddef>
#include <cstdint>
#include <string_view>

#include <retracescope/importers/import_answer.h>
#include <retracescope/importers/importer.h>
#include <retracescope/importers/unpack.h>

/// Any bytes as importFile would take them from a file, unpacking included: an answer or an error, nothing
/// else.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace retracescope::importers;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto content = unpackBytes(bytes, "fuzz", {});
    if (!content || content->text.empty())
        return 0;
    constexpr std::size_t kHeadBytes = 64 * 1024;
    const auto session = importContent({"fuzz", content->text.substr(0, kHeadBytes), content->text});
    if (session)
        importAnswer(*session);
    return 0;
}
