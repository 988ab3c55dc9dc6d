#include <retracescope/base/files.h>

#include <atomic>
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

/// False with errno set on failure.
bool writeAll(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0)
            text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// Closes in any case, for a full disk may be told only then; errno stays that of the first failure.
bool closeAfter(bool isDone, int fd) {
    const int earlier = errno;
    const bool isClosed = ::close(fd) == 0;
    if (!isDone)
        errno = earlier;
    return isDone && isClosed;
}

/// False for what has no name any more, such as a deleted file behind /dev/stdout.
bool isAt(const std::filesystem::path& path, const struct stat& file) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && info.st_dev == file.st_dev && info.st_ino == file.st_ino;
}

/// A new file in the folder of `target`. Not mkstemp: its mode would leave out the umask.
int createBeside(const std::filesystem::path& target, std::filesystem::path& temporary) {
    static std::atomic<unsigned> next{0};
    for (;;) {
        temporary = target.parent_path() / fmt::format(".{}-{}.part", ::getpid(), next++);
        const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
}

/// For devices and pipes, which a rename would put a file in place of.
Status writeInPlace(const std::filesystem::path& path, std::string_view text) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0 || !closeAfter(writeAll(fd, text), fd))
        return systemError("write", path);
    return Done{};
}

/// False for devices and pipes, and for files without a name.
bool canBeReplaced(const std::filesystem::path& path, const struct stat& info) {
    return S_ISREG(info.st_mode) && isAt(withoutLinks(path), info);
}

} // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    // A pipe without a writer would let the opening wait for one.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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
        return Error{
            fmt::format("cannot read {}: it is not a regular file; write its content to one", path.string())};
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

std::filesystem::path withoutLinks(std::filesystem::path path) {
    constexpr int kMostLinks = 40; // as the kernel
    std::error_code error;
    for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, error); ++i)
        path = path.parent_path() / std::filesystem::read_symlink(path, error);
    return path;
}

Result<FileReplacement> FileReplacement::begin(const std::filesystem::path& path) {
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (!exists && errno != ENOENT)
        return systemError("write", path);
    if (exists && !canBeReplaced(path, info))
        return Error{fmt::format("cannot write {}: it is not a regular file; name another", path.string())};
    const std::filesystem::path target = withoutLinks(path);
    std::filesystem::path temporary;
    const int fd = createBeside(target, temporary);
    if (fd < 0)
        return systemError("write", path);
    FileReplacement replacement(target, temporary);
    if (exists)
        replacement.m_mode = info.st_mode & 0777;
    // Not readable by more people than the old one while it is written, but writable.
    if (!closeAfter(!exists || ::fchmod(fd, *replacement.m_mode | S_IRUSR | S_IWUSR) == 0, fd))
        return systemError("write", path);
    return replacement;
}

FileReplacement::FileReplacement(FileReplacement&& other) noexcept
    : m_target(std::move(other.m_target)), m_temporary(std::exchange(other.m_temporary, {})),
      m_mode(other.m_mode) {}

FileReplacement::~FileReplacement() {
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

Status FileReplacement::commit() {
    const bool hasMode = !m_mode || ::chmod(m_temporary.c_str(), *m_mode) == 0;
    if (!hasMode || ::rename(m_temporary.c_str(), m_target.c_str()) != 0)
        return systemError("write", m_target);
    m_temporary.clear();
    return Done{};
}

Result<std::string> readTextFile(const std::filesystem::path& path) {
    auto file = MappedFile::open(path);
    if (!file)
        return file.error();
    return std::string(file->text());
}

Status writeTextFile(const std::filesystem::path& path, std::string_view text) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && !canBeReplaced(path, info))
        return writeInPlace(path, text);
    auto replacement = FileReplacement::begin(path);
    if (!replacement)
        return replacement.error();
    const int fd = ::open(replacement->temporary().c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0 || !closeAfter(writeAll(fd, text), fd))
        return systemError("write", path);
    return replacement->commit();
}

} // namespace retracescope
