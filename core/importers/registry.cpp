#include <array>

#include <fmt/format.h>

#include <retracescope/importers/chrome_importer.h>
#include <retracescope/importers/graphdef_importer.h>
#include <retracescope/importers/identify.h>
#include <retracescope/importers/importer.h>
#include <retracescope/importers/unpack.h>
#include <retracescope/session/file.h>

namespace retracescope::importers {

namespace {

constexpr std::array kImporters = {
    Importer{"chrome trace", acceptsJson, readChrome},
    Importer{"graphdef", acceptsGraphDef, readGraphDef},
};

constexpr std::size_t kHeadBytes = 64 * 1024;

Result<session::SessionPtr> import(const Importer& importer, const Peek& peek, const Unpacked& content,
                                   const Job& job) {
    auto session = importer.read(peek, job);
    if (!session)
        return session.error();
    auto& facts = session->imported;
    facts.source = peek.path.filename().string();
    facts.warnings.insert(facts.warnings.begin(), content.warnings.begin(), content.warnings.end());
    return session::SessionPtr(std::make_shared<session::Session>(std::move(*session)));
}

} // namespace

Result<session::SessionPtr> openAny(const std::filesystem::path& path, const Job& job) {
#ifdef RETRACESCOPE_SESSION_FILE
    if (session::isSessionFile(path))
        return session::readSession(path, job);
#endif
    auto content = unpack(path, job);
    if (!content)
        return content.error();
    if (content->text.empty())
        return Error{fmt::format("{}: the file is empty{}; record or export it again",
                                 path.filename().string(),
                                 content->wrappers.empty() ? "" : " once unpacked")};
    const Peek peek{path, content->text.substr(0, kHeadBytes), content->text};
    for (const Importer& importer : kImporters) {
        if (importer.accepts(peek))
            return import(importer, peek, *content, job);
    }
    return describeUnknown(peek);
}

} // namespace retracescope::importers
