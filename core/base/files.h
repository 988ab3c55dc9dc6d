#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <retracescope/base/result.h>

namespace retracescope {

/// A file's bytes, mapped read-only. Moves keep the address; the mapping ends with the object.
class MappedFile {
public:
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return m_bytes; }
    std::string_view text() const { return {reinterpret_cast<const char*>(m_bytes.data()), m_bytes.size()}; }

private:
    MappedFile() = default;
    std::span<const std::byte> m_bytes;
};

/// A file on its way to take the place of another, so that readers see the old or the new one. Follows links.
class FileReplacement {
public:
    /// Makes an empty file beside the one that `path` leads to, with the mode of that if it exists.
    static Result<FileReplacement> begin(const std::filesystem::path& path);

    FileReplacement(FileReplacement&& other) noexcept;
    FileReplacement& operator=(FileReplacement&&) = delete;
    ~FileReplacement(); ///< removes the new file unless it has taken its place

    const std::filesystem::path& temporary() const { return m_temporary; }
    Status commit();

private:
    FileReplacement(std::filesystem::path target, std::filesystem::path temporary)
        : m_target(std::move(target)), m_temporary(std::move(temporary)) {}

    std::filesystem::path m_target;
    std::filesystem::path m_temporary; ///< empty once there is nothing to remove
    std::optional<unsigned> m_mode;    ///< of the file that is replaced
};

/// What the last name of `path` leads to, which need not exist.
std::filesystem::path withoutLinks(std::filesystem::path path);

/// The whole file as text.
Result<std::string> readTextFile(const std::filesystem::path& path);

/// Replaces the file; writes into what is no regular file, such as a device.
Status writeTextFile(const std::filesystem::path& path, std::string_view text);

} // namespace retracescope
