#include <retracescope/record/recovery.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <retracescope/base/files.h>
#include <retracescope/base/units.h>
#include <retracescope/record/journal.h>
#include <retracescope/record/recorded_session.h>
#include <retracescope/record/recorder_note.h>
#include <retracescope/record/ring_file.h>
#include <retracescope/session/file.h>

namespace retracescope::record {

namespace {

using session::Session;
using session::SessionPtr;

/// A region as it lies in a file that nobody writes any more.
struct StoredRegion {
    RegionKind kind{};
    ThreadIdentity thread;
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::span<const std::byte> bytes;
};

struct StoredRings {
    std::uint64_t recording = 0;
    std::int32_t process = 0;
    ClockPoint clock;
    std::vector<StoredRegion> regions;
};

std::optional<StoredRings> readRings(std::span<const std::byte> file) {
    if (file.size() < kRegionAlignment)
        return std::nullopt;
    const auto* header = reinterpret_cast<const RingFileHeader*>(file.data());
    if (std::memcmp(header->magic, RingFileHeader().magic, sizeof(header->magic)) != 0 ||
        header->version != kRingFileVersion)
        return std::nullopt;
    StoredRings rings{header->recording,
                      header->process,
                      header->points[header->newestPoint.load(std::memory_order_acquire) % 2],
                      {}};
    for (std::size_t at = kRegionAlignment; file.size() - at >= kRegionAlignment;) {
        const auto* region = reinterpret_cast<const RegionHeader*>(file.data() + at);
        if (region->bytes < kRegionAlignment || region->bytes > file.size() - at ||
            region->bytes % kRegionAlignment != 0)
            break;
        const std::string name(region->name, strnlen(region->name, sizeof(region->name)));
        rings.regions.push_back({region->kind,
                                 {region->thread, region->systemId, name},
                                 region->head.load(std::memory_order_acquire),
                                 region->tail.load(std::memory_order_acquire),
                                 file.subspan(at + kRegionAlignment, region->bytes - kRegionAlignment)});
        at += region->bytes;
    }
    return rings;
}

std::vector<std::uint32_t> keysOf(const StoredRings& rings, RegionKind kind) {
    std::vector<std::uint32_t> keys;
    for (const StoredRegion& region : rings.regions) {
        if (region.kind != kind)
            continue;
        const std::size_t before = keys.size();
        keys.resize(before + region.bytes.size() / sizeof(std::uint32_t));
        std::memcpy(keys.data() + before, region.bytes.data(),
                    (keys.size() - before) * sizeof(std::uint32_t));
    }
    while (!keys.empty() && keys.back() == 0)
        keys.pop_back();
    return keys;
}

/// Takes the records of a ring from `from` on.
void takeRing(const StoredRegion& region, std::uint64_t from, RecordedSession& recorded) {
    const std::size_t slots = region.bytes.size() / sizeof(RingRecord);
    from = std::max(from, region.tail);
    if (slots == 0 || from > region.head || region.head - from > slots)
        return;
    const auto slot = [&](std::uint64_t at) {
        return reinterpret_cast<const RingRecord*>(region.bytes.data()) + at % slots;
    };
    while (from < region.head) {
        const RingRecord& record = *slot(from);
        const std::uint64_t following =
            kindOf(record) == RecordKind::Nodes
                ? (std::uint64_t{record.number} + Ring::kNodesPerRecord - 1) / Ring::kNodesPerRecord
                : 0;
        if (following >= region.head - from)
            return; // no sound record
        recorded.take(region.thread, record,
                      [&](std::size_t i) -> const RingRecord& { return *slot(from + 1 + i); });
        from += 1 + following;
    }
}

/// Rows that the session gains.
struct Gained {
    std::size_t functions = 0;
    std::size_t entries = 0;
    std::size_t misses = 0;
    std::size_t events = 0;
    explicit Gained(const Session& session)
        : functions(session.functions.size()), entries(session.entries.size()), misses(session.misses.size()),
          events(session.eventCount()) {}
};

std::string taken(const Gained& before, const Session& session) {
    const auto events = static_cast<std::int64_t>(session.eventCount() - before.events);
    std::string text = fmt::format("{} taken from the rings of the killed program",
                                   formatPlural(events, "event was", "events were"));
    const auto entries = static_cast<std::int64_t>(session.entries.size() - before.entries);
    if (entries > 0)
        text += fmt::format(", with {} without a graph",
                            formatPlural(entries, "concrete function", "concrete functions"));
    return text;
}

SessionPtr completed(Session session, const RecorderNote& note, const StoredRings& rings) {
    const Gained before(session);
    RecordedSession recorded({std::move(session), note, keysOf(rings, RegionKind::FunctionKeys),
                              keysOf(rings, RegionKind::EntryKeys), rings.clock, rings.process});
    for (const StoredRegion& region : rings.regions) {
        if (region.kind != RegionKind::Journal)
            continue;
        for (RareEvent& event :
             Journal::events(region.bytes, std::max(note.journal, region.tail), region.head))
            recorded.apply(std::move(event));
    }
    for (const StoredRegion& region : rings.regions) {
        if (region.kind != RegionKind::Ring)
            continue;
        const auto known = std::ranges::find(note.rings, region.thread.number, &RecorderNote::Ring::thread);
        takeRing(region, known == note.rings.end() ? 0 : known->position, recorded);
    }
    auto whole = std::make_shared<Session>(std::move(recorded.session()));
    session::tieMissesToCalls(*whole);
    session::updateExtent(*whole);
    whole->recorderNote.clear();
    if (whole->eventCount() > before.events || whole->misses.size() > before.misses)
        whole->warnings.push_back(taken(before, *whole));
    return whole;
}

} // namespace

Result<SessionPtr> openRecording(const std::filesystem::path& path, const Job& job) {
    const auto session = session::readSession(path, job);
    if (!session || (*session)->closedProperly || (*session)->writer == session::WriterState::Running)
        return session;
    const auto note = RecorderNote::from((*session)->recorderNote);
    const std::filesystem::path beside = ringFileOf(path);
    std::error_code error;
    if (!note || !std::filesystem::exists(beside, error))
        return session;
    const auto file = MappedFile::open(beside);
    const auto rings = file ? readRings(file->bytes()) : std::nullopt;
    const auto made = std::const_pointer_cast<Session>(*session); // nobody else has it yet
    if (!rings || rings->recording != note->recording) {
        made->warnings.push_back(fmt::format("{} is of another recording, or damaged, and was left out",
                                             beside.filename().string()));
        return session;
    }
    return completed(std::move(*made), *note, *rings);
}

} // namespace retracescope::record
