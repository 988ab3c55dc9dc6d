#include <retracescope/base/files.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace retracescope {

namespace {

Error systemError(std::string_view what, const std::filesystem::path& path) {
    return {fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno))};
}

} // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return systemError("open", path);
    struct stat info {};
    if (fstat(fd, &info) != 0) {
        const Error error = systemError("read", path);
        ::close(fd);
        return error;
    }
    if (!S_ISREG(info.st_mode)) {
        ::close(fd);
        return Error{fmt::format("cannot read {}: it is not a regular file", path.string())};
    }
    MappedFile file;
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size > 0) {
        void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (start == MAP_FAILED) {
            const Error error = systemError("map", path);
            ::close(fd);
            return error;
        }
        file.m_bytes = {static_cast<const std::byte*>(start), size};
    }
    ::close(fd);
    return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

MappedFile::~MappedFile() {
    if (!m_bytes.empty())
        munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

Result<std::string> readTextFile(const std::filesystem::path& path) {
    auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    return std::string(file->text());
}

Status writeTextFile(const std::filesystem::path& path, std::string_view text) {
    std::filesystem::path temporary = path;
    temporary += ".part";
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return systemError("write", path);
    std::string_view rest = text;
    while (!rest.empty()) {
        const ssize_t written = ::write(fd, rest.data(), rest.size());
        if (written < 0) {
            const Error error = systemError("write", path);
            ::close(fd);
            ::unlink(temporary.c_str());
            return error;
        }
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    ::close(fd);
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const Error error = systemError("write", path);
        ::unlink(temporary.c_str());
        return error;
    }
    return Done{};
}

} // namespace retracescope
