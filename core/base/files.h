#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
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

/// The whole file as text.
Result<std::string> readTextFile(const std::filesystem::path& path);

/// Writes to a temporary file beside `path` and renames it, so that readers see the old or the new file,
/// whose mode stays. Follows links; writes into what is no regular file, such as a device.
Status writeTextFile(const std::filesystem::path& path, std::string_view text);

} // namespace retracescope
