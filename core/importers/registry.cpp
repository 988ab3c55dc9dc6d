#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <retracescope/importers/chrome_importer.h>
#include <retracescope/importers/graphdef_importer.h>
#include <retracescope/importers/identify.h>
#include <retracescope/importers/importer.h>
#include <retracescope/importers/unpack.h>

namespace retracescope::importers {

namespace {

constexpr std::array kImporters = {
    Importer{"chrome trace", acceptsJson, readChrome},
    Importer{"graphdef", acceptsGraphDef, readGraphDef},
};

constexpr std::size_t kHeadBytes = 64 * 1024;

} // namespace

Result<session::SessionPtr> importFile(const std::filesystem::path& path, const Job& job) {
    auto content = unpack(path, job);
    if (!content)
        return content.error();
    if (content->text.empty())
        return Error{fmt::format("{}: the file is empty{}; record or export it again",
                                 path.filename().string(),
                                 content->wrappers.empty() ? "" : " once unpacked")};
    auto session = importContent(Peek{path, content->text.substr(0, kHeadBytes), content->text}, job);
    if (!session && content->warnings.empty())
        return session.error();
    if (!session)
        return Error{fmt::format("{} ({})", session.error().message, fmt::join(content->warnings, "; "))};
    auto& warnings = session->imported.warnings;
    warnings.insert(warnings.begin(), content->warnings.begin(), content->warnings.end());
    return session::SessionPtr(std::make_shared<session::Session>(std::move(*session)));
}

Result<session::Session> importContent(const Peek& peek, const Job& job) {
    for (const Importer& importer : kImporters) {
        if (!importer.accepts(peek))
            continue;
        auto session = importer.read(peek, job);
        if (session)
            session->imported.source = peek.path.filename().string();
        return session;
    }
    return describeUnknown(peek);
}

} // namespace retracescope::importers
