#include <retracescope/importers/unpack.h>

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <zlib.h>

#include <retracescope/base/units.h>

namespace retracescope::importers {

namespace {

constexpr std::size_t kMostUnpacked = std::size_t{4} << 30;
/// Traces shrink 5 to 60 times; only made-up files shrink more than this and are large as well.
constexpr std::size_t kHonestRatio = 300;
constexpr std::size_t kAlwaysFine = std::size_t{240} << 20;
constexpr int kMostWrappers = 3;

constexpr int kGzipWindow = 15 + 16;
constexpr int kRawWindow = -15;

class Inflater {
public:
    explicit Inflater(int windowBits) { m_ready = inflateInit2(&m_stream, windowBits) == Z_OK; }
    ~Inflater() {
        if (m_ready)
            inflateEnd(&m_stream);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    enum class End { Member, Cut, Damaged, TooLarge, Cancelled };

    /// Appends what one member of `packed` unpacks to; `used` becomes the bytes it took.
    End run(std::string_view packed, std::string& out, std::size_t limit, std::size_t& used, const Job& job) {
        std::size_t given = 0;
        int status = m_ready ? Z_OK : Z_MEM_ERROR;
        while (status == Z_OK || status == Z_BUF_ERROR) {
            if (job.cancel.requested())
                return End::Cancelled;
            if (m_stream.avail_in == 0) {
                const std::size_t piece = std::min(packed.size() - given, kPiece);
                m_stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + given));
                m_stream.avail_in = static_cast<uInt>(piece);
                given += piece;
            }
            const std::size_t before = out.size();
            out.resize(before + kPiece);
            m_stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
            m_stream.avail_out = static_cast<uInt>(kPiece);
            status = inflate(&m_stream, Z_NO_FLUSH);
            out.resize(out.size() - m_stream.avail_out);
            used = given - m_stream.avail_in;
            if (out.size() > limit)
                return End::TooLarge;
            if (status == Z_BUF_ERROR && m_stream.avail_in == 0 && given == packed.size())
                return End::Cut;
        }
        return status == Z_STREAM_END ? End::Member : End::Damaged;
    }

    std::string_view message() const { return m_stream.msg == nullptr ? "damaged" : m_stream.msg; }

private:
    static constexpr std::size_t kPiece = 1024 * 1024;
    z_stream m_stream{};
    bool m_ready = false;
};

std::size_t limitFor(std::size_t packedBytes) {
    return std::min(kMostUnpacked, std::max(kAlwaysFine, packedBytes * kHonestRatio));
}

Error tooLarge(std::string_view file, std::string_view wrapper, std::size_t packed, std::size_t limit) {
    return {fmt::format(
        "{}: {} of {} unpacks to more than {}, which no trace does; unpack it by hand if it is one", file,
        wrapper, formatBytes(static_cast<std::int64_t>(packed)),
        formatBytes(static_cast<std::int64_t>(limit)))};
}

struct Content {
    std::string text;
    std::vector<std::string> warnings;
};

/// Bytes behind the last member: zeros are padding, anything else is told.
void noteRest(std::string_view rest, std::vector<std::string>& warnings) {
    if (rest.find_first_not_of('\0') != std::string_view::npos)
        warnings.push_back(fmt::format("{} bytes behind the gzip data are ignored", rest.size()));
}

Result<Content> gunzip(std::string_view file, std::string_view packed, const Job& job) {
    Content content;
    const std::size_t limit = limitFor(packed.size());
    std::size_t at = 0;
    for (int member = 1; packed.substr(at).starts_with("\x1f\x8b"); ++member) {
        Inflater inflater(kGzipWindow);
        std::size_t used = 0;
        switch (inflater.run(packed.substr(at), content.text, limit, used, job)) {
        case Inflater::End::Member:
            at += used;
            continue;
        case Inflater::End::Cut:
            if (content.text.empty())
                return Error{fmt::format("{}: the gzip data ends after {}, before anything unpacks; copy it "
                                         "again, whole",
                                         file, formatBytes(static_cast<std::int64_t>(packed.size())))};
            content.warnings.push_back(
                fmt::format("the gzip data ends early; the {} that unpack are kept",
                            formatBytes(static_cast<std::int64_t>(content.text.size()))));
            break;
        case Inflater::End::Damaged:
            if (content.text.empty())
                return Error{fmt::format("{}: the gzip data is damaged ({})", file, inflater.message())};
            content.warnings.push_back(
                inflater.message() == "incorrect data check"
                    ? fmt::format("the checksum of gzip member {} is wrong", member)
                    : fmt::format("gzip member {} is damaged ({}); what unpacks is kept", member,
                                  inflater.message()));
            break;
        case Inflater::End::TooLarge:
            return tooLarge(file, "gzip data", packed.size(), limit);
        case Inflater::End::Cancelled:
            return Error{std::string(kCancelled)};
        }
        return content;
    }
    noteRest(packed.substr(at), content.warnings);
    return content;
}

std::uint32_t littleEndian(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = size; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

struct ZipEntry {
    std::string_view name;
    std::uint32_t method = 0;
    std::size_t packedBytes = 0;
    std::size_t offset = 0;
};

constexpr std::string_view kZipLocal = "PK\x03\x04";
constexpr std::string_view kZipCentral = "PK\x01\x02";
constexpr std::string_view kZipEnd = "PK\x05\x06";

/// The files (not folders) that the central directory lists; nothing if there is none that makes sense.
std::optional<std::vector<ZipEntry>> zipEntries(std::string_view zip) {
    const std::size_t end = zip.rfind(kZipEnd);
    if (end == std::string_view::npos || zip.size() - end < 22)
        return std::nullopt;
    std::size_t at = littleEndian(zip, end + 16, 4);
    const std::uint32_t count = littleEndian(zip, end + 10, 2);
    std::vector<ZipEntry> entries;
    for (std::uint32_t i = 0; i < count; ++i) {
        constexpr std::size_t kHead = 46;
        if (at > zip.size() || zip.size() - at < kHead || !zip.substr(at).starts_with(kZipCentral))
            return std::nullopt;
        const std::size_t nameBytes = littleEndian(zip, at + 28, 2);
        const std::size_t next =
            at + kHead + nameBytes + littleEndian(zip, at + 30, 2) + littleEndian(zip, at + 32, 2);
        if (next > zip.size())
            return std::nullopt;
        const ZipEntry entry{zip.substr(at + kHead, nameBytes), littleEndian(zip, at + 10, 2),
                             littleEndian(zip, at + 20, 4), littleEndian(zip, at + 42, 4)};
        if (!entry.name.ends_with('/'))
            entries.push_back(entry);
        at = next;
    }
    return entries;
}

std::string nameList(const std::vector<ZipEntry>& entries) {
    constexpr std::size_t kMostNames = 5;
    std::string list;
    for (std::size_t i = 0; i < std::min(entries.size(), kMostNames); ++i)
        list += fmt::format("{}{}", i == 0 ? "" : ", ", entries[i].name);
    return entries.size() > kMostNames ? list + ", ..." : list;
}

Result<Content> unzip(std::string_view file, std::string_view zip, const Job& job) {
    const auto entries = zipEntries(zip);
    if (!entries)
        return Error{fmt::format(
            "{}: a zip archive without a readable directory (is it cut?); unpack it by hand", file)};
    if (entries->size() != 1)
        return Error{fmt::format("{}: a zip archive of {} files ({}); unpack it and open one of them", file,
                                 entries->size(), nameList(*entries))};
    const ZipEntry& entry = entries->front();
    constexpr std::size_t kHead = 30;
    if (entry.offset > zip.size() || zip.size() - entry.offset < kHead ||
        !zip.substr(entry.offset).starts_with(kZipLocal))
        return Error{
            fmt::format("{}: a zip archive whose directory points nowhere; unpack it by hand", file)};
    const std::size_t start = entry.offset + kHead + littleEndian(zip, entry.offset + 26, 2) +
                              littleEndian(zip, entry.offset + 28, 2);
    if (start > zip.size() || entry.packedBytes > zip.size() - start)
        return Error{fmt::format("{}: a zip archive that is cut inside {}", file, entry.name)};
    const std::string_view packed = zip.substr(start, entry.packedBytes);
    Content content;
    constexpr std::uint32_t kStored = 0;
    constexpr std::uint32_t kDeflated = 8;
    if (entry.method == kStored) {
        content.text = packed;
        return content;
    }
    if (entry.method != kDeflated)
        return Error{
            fmt::format("{}: {} is packed with zip method {}, only 0 and 8 are read; unpack it by hand", file,
                        entry.name, entry.method)};
    const std::size_t limit = limitFor(packed.size());
    std::size_t used = 0;
    Inflater inflater(kRawWindow);
    switch (inflater.run(packed, content.text, limit, used, job)) {
    case Inflater::End::Member:
        return content;
    case Inflater::End::TooLarge:
        return tooLarge(file, "a zip archive", packed.size(), limit);
    case Inflater::End::Cancelled:
        return Error{std::string(kCancelled)};
    case Inflater::End::Cut:
    case Inflater::End::Damaged:
        break;
    }
    if (content.text.empty())
        return Error{
            fmt::format("{}: {} in the zip archive is damaged ({})", file, entry.name, inflater.message())};
    content.warnings.push_back(
        fmt::format("{} in the zip archive is damaged; what unpacks is kept", entry.name));
    return content;
}

} // namespace

Result<Unpacked> unpackBytes(std::string_view bytes, std::string_view file, const Job& job) {
    Unpacked result;
    result.text = bytes;
    for (;;) {
        const bool isGzip = result.text.starts_with("\x1f\x8b");
        if (!isGzip && !result.text.starts_with(kZipLocal))
            return result;
        if (result.wrappers.size() == kMostWrappers)
            return Error{
                fmt::format("{}: packed more than {} times over; unpack it by hand", file, kMostWrappers)};
        job.report(0.0, "unpacking");
        auto content = isGzip ? gunzip(file, result.text, job) : unzip(file, result.text, job);
        if (!content)
            return content.error();
        result.owned = std::make_unique<std::string>(std::move(content->text));
        result.text = *result.owned;
        result.wrappers.emplace_back(isGzip ? "gzip" : "zip");
        result.warnings.insert(result.warnings.end(), content->warnings.begin(), content->warnings.end());
    }
}

Result<Unpacked> unpack(const std::filesystem::path& path, const Job& job) {
    auto mapped = MappedFile::open(path);
    if (!mapped)
        return mapped.error();
    auto result = unpackBytes(mapped->text(), path.filename().string(), job);
    if (result)
        result->file = std::make_unique<MappedFile>(std::move(*mapped));
    return result;
}

} // namespace retracescope::importers
