#include <retracescope/record/ring_file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

namespace retracescope::record {

std::filesystem::path ringFileOf(const std::filesystem::path& session) {
    return session.string() + "-rings";
}

Result<std::shared_ptr<RingFile>> RingFile::create(const std::filesystem::path& path,
                                                   std::uint64_t recording) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return Error{fmt::format("cannot make {}: {}", path.string(), std::strerror(errno))};
    std::shared_ptr<RingFile> made(new RingFile(path, file));
    std::byte* first = made->grow(kRegionAlignment);
    if (first == nullptr) {
        made->remove();
        return Error{
            fmt::format("cannot map {}: no room, or the file system has no shared mappings", path.string())};
    }
    made->m_header = new (first) RingFileHeader;
    made->m_header->process = getpid();
    made->m_header->recording = recording;
    return made;
}

RingFile::~RingFile() {
    for (const std::span<std::byte> mapping : m_mappings)
        munmap(mapping.data(), mapping.size());
    ::close(m_file);
}

std::byte* RingFile::grow(std::size_t bytes) {
    // Blocks are given out now: a full disk found while storing would end the program with SIGBUS.
    const auto offset = static_cast<off_t>(m_size);
    if (posix_fallocate(m_file, offset, static_cast<off_t>(bytes)) != 0)
        return nullptr;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, m_file, offset);
    if (memory == MAP_FAILED)
        return nullptr;
    m_size += bytes;
    auto* first = static_cast<std::byte*>(memory);
    m_mappings.emplace_back(first, bytes);
    return first;
}

Region RingFile::add(RegionKind kind, std::size_t bytes) {
    const std::size_t whole =
        kRegionAlignment + (bytes + kRegionAlignment - 1) / kRegionAlignment * kRegionAlignment;
    const std::lock_guard lock(m_mutex);
    const auto used = std::ranges::find_if(m_free, [&](const Region& region) {
        return region.header->kind == kind && region.header->bytes == whole;
    });
    if (used != m_free.end()) {
        const Region region = *used;
        m_free.erase(used);
        return region;
    }
    std::byte* first = grow(whole);
    if (first == nullptr)
        return {};
    auto* header = new (first) RegionHeader;
    header->kind = kind;
    header->bytes = whole; // last: a region without a size ends the file for a reader
    return {header, {first + kRegionAlignment, whole - kRegionAlignment}};
}

void RingFile::giveBack(const Region& region) {
    // In this order: at no time does a reader see something between tail and head.
    region.header->head.store(0, std::memory_order_release);
    region.header->tail.store(0, std::memory_order_release);
    const std::lock_guard lock(m_mutex);
    m_free.push_back(region);
}

void RingFile::notePoint(const ClockPoint& point) {
    const std::uint32_t other = 1 - m_header->newestPoint.load(std::memory_order_relaxed);
    m_header->points[other] = point;
    m_header->newestPoint.store(other, std::memory_order_release);
}

void RingFile::remove() {
    std::error_code error;
    std::filesystem::remove(m_path, error);
}

} // namespace retracescope::record
