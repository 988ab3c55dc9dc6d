#include <retracescope/record/source_files.h>

#include <system_error>

namespace retracescope::record {

namespace {

namespace fs = std::filesystem;

/// Empty if there is no such file.
fs::path existing(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error))
        return {};
    fs::path plain = fs::canonical(path, error);
    return error ? path : plain;
}

fs::path find(const std::string& named, const fs::path& program) {
    if (fs::path found = existing(named); !found.empty() || fs::path(named).is_absolute())
        return found;
    for (fs::path folder = program.parent_path(); !folder.empty(); folder = folder.parent_path()) {
        if (fs::path found = existing(folder / named); !found.empty())
            return found;
        if (folder == folder.root_path())
            break;
    }
    return {};
}

} // namespace

SourceFiles::SourceFiles(fs::path program) {
    std::error_code error;
    m_program = fs::canonical(program, error);
}

const std::string& SourceFiles::locate(const std::string& named) {
    const auto [it, isNew] = m_located.try_emplace(named, named);
    if (isNew && !named.empty()) {
        if (const fs::path found = find(named, m_program); !found.empty())
            it->second = found.string();
    }
    return it->second;
}

} // namespace retracescope::record
