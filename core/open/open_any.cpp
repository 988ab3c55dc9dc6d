#include <retracescope/open/open_any.h>

#include <retracescope/importers/importer.h>
#include <retracescope/record/recovery.h>
#include <retracescope/session/file.h>

namespace retracescope {

Result<session::SessionPtr> openAny(const std::filesystem::path& path, const Job& job) {
    return session::isSessionFile(path) ? record::openRecording(path, job) : importers::importFile(path, job);
}

} // namespace retracescope
