#include "app/cli/session_argument.h"

#include <fmt/format.h>

#include <retracescope/open/open_any.h>

#include "app/cli/nearest_word.h"

namespace retracescope::cli {

using namespace session;

namespace {

std::vector<std::string> filesBeside(const std::filesystem::path& path) {
    std::vector<std::string> names;
    std::error_code error;
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        names.push_back(entry.path().filename().string());
    return names;
}

} // namespace

Result<SessionPtr> openFile(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        throw UsageError(
            fmt::format("no file {}{}", path,
                        didYouMean(std::filesystem::path(path).filename().string(), filesBeside(path))));
    if (std::filesystem::is_directory(path, error))
        throw UsageError(fmt::format("{} is a folder; name a file in it", path));
    return retracescope::openAny(path);
}

Result<diagnose::DiagnosisPtr> diagnoseFile(const std::string& path) {
    auto session = openFile(path);
    if (!session)
        return session.error();
    return diagnose::diagnose(*session);
}

std::size_t limitOf(std::int64_t typed) {
    if (typed < 0)
        throw UsageError(fmt::format("--limit should be 0 (all) or more, not {}", typed));
    return static_cast<std::size_t>(typed);
}

bool isNamed(const Session& session, FunctionId function, const std::string& name) {
    return function.isValid() && (session.text(session[function].name) == name ||
                                  session.text(session[function].qualifiedName) == name);
}

FunctionId functionNamed(const Session& session, const std::string& name) {
    if (name.empty())
        return {};
    std::vector<std::string> names;
    for (std::size_t row = 0; row < session.functions.size(); ++row) {
        if (isNamed(session, FunctionId(row), name))
            return FunctionId(row);
        names.emplace_back(session.text(session.functions[row].name));
    }
    if (names.empty())
        throw UsageError(fmt::format("no function {}: the file holds no traced functions", name));
    throw UsageError(fmt::format("no function {}{} 'rscope functions FILE' lists them", name,
                                 nearestWord(name, names).empty() ? ";" : didYouMean(name, names)));
}

} // namespace retracescope::cli
