#include <retracescope/session/pyramid_file.h>

#include <cmath>

#include <fmt/format.h>

#include <retracescope/session/table_reader.h>

namespace retracescope::session {

using sqlite::Database;
using sqlite::DatabaseError;
using sqlite::Statement;

namespace {

constexpr std::int64_t kWidestBits = 60; // a bin's end is still a time in 64 bits
constexpr std::size_t kColumns = 5;

/// The columns of a level in the order of the file. PyramidLevel::last follows from the counts.
template <class Level, class Visit>
void visitLevel(Level& level, Visit&& visit) {
    visit("number", level.number, kDelta | kShuffle);
    visit("busy_ns", level.busyNs, kShuffle);
    visit("count", level.count, kShuffle);
    visit("category", level.category, kShuffle);
    visit("category_ns", level.categoryNs, kShuffle);
}

/// True for a share of the bin's time, which rounding may have made a little longer.
bool isTimeWithin(float ns, double widthNs) {
    return ns >= 0 && ns <= widthNs * 1.001; // false for what is no number, too
}

class PyramidReader {
public:
    PyramidReader(const TableReader& reader, const Session& session)
        : m_reader(reader), m_lanes(session.lanes.size()), m_eventsLeft(session.eventCount()) {}

    StoredPyramid::Row read() {
        StoredPyramid::Row row{m_reader.id<LaneId>(0), m_reader.number(1), {}};
        if (!row.lane.isValid() || row.lane.value >= m_lanes)
            m_reader.refuse(fmt::format("there are {} lanes", m_lanes));
        const std::int64_t widthBits = m_reader.integer(2, -1);
        if (widthBits < 0 || widthBits > kWidestBits)
            m_reader.refuse(fmt::format("no bin is 2^{} ns wide", widthBits));
        row.finest.widthBits = static_cast<int>(widthBits);
        const std::uint32_t bins = m_reader.number(3);
        if (bins == 0 || bins > 2 * m_eventsLeft) // an event starts in one bin and ends in one
            m_reader.refuse(fmt::format("{} bins for {} events", bins, m_eventsLeft));
        decode(bins, row.finest);
        checkAndCount(row.finest);
        return row;
    }

private:
    void decode(std::uint32_t bins, PyramidLevel& level) {
        const auto payloads = splitPayloads(m_reader.blob(4), kColumns);
        if (!payloads)
            m_reader.refuse(payloads.error().message);
        auto payload = payloads->begin();
        visitLevel(level, [&](std::string_view name, auto& values, int) {
            values.resize(bins);
            const Status status = m_decoder.decode(payload->codec, payload->bytes, sizeof(values[0]),
                                                   std::as_writable_bytes(std::span(values)));
            if (!status)
                m_reader.refuse(fmt::format("column {}: {}", name, status.error().message));
            ++payload;
        });
    }

    void checkAndCount(PyramidLevel& level) {
        const double widthNs = std::ldexp(1.0, level.widthBits);
        std::uint64_t events = 0;
        for (std::size_t bin = 0; bin < level.size(); ++bin) {
            if (bin > 0 && level.number[bin] <= level.number[bin - 1])
                m_reader.refuse(fmt::format("bin {} is out of order", bin));
            if (!isTimeWithin(level.busyNs[bin], widthNs) || !isTimeWithin(level.categoryNs[bin], widthNs))
                m_reader.refuse(fmt::format("bin {} covers more time than it has", bin));
            events += level.count[bin];
            if (events == 0 || events > m_eventsLeft)
                m_reader.refuse(fmt::format("{} events up to bin {} of {} left", events, bin, m_eventsLeft));
            level.last.push_back(static_cast<std::uint32_t>(events - 1));
        }
        m_eventsLeft -= events;
    }

    const TableReader& m_reader;
    std::size_t m_lanes;
    std::uint64_t m_eventsLeft; ///< that no row has counted yet
    ColumnDecoder m_decoder;
};

} // namespace

void writePyramid(Database& database, const Session& session, Codec codec, const Job& job) {
    const Pyramid pyramid = buildPyramid(session, {job.cancel, {}});
    Statement(database, "INSERT INTO meta VALUES(?,?)")
        .run(kPyramidEvents, std::to_string(session.eventCount()));
    Statement insert(database, "INSERT INTO pyramid VALUES(?,?,?,?,?)");
    ColumnEncoder encoder;
    std::vector<std::byte> data;
    for (std::size_t lane = 0; lane < pyramid.rows.size(); ++lane) {
        for (std::size_t depth = 0; depth < pyramid.rows[lane].size(); ++depth) {
            if (pyramid.rows[lane][depth].levels.empty())
                continue;
            const PyramidLevel& finest = pyramid.rows[lane][depth].levels.front();
            data.clear();
            visitLevel(finest, [&](std::string_view, const auto& values, std::uint8_t transforms) {
                encoder.append(std::as_bytes(std::span(values)), sizeof(values[0]), codec, transforms, data);
            });
            insert.run(lane, depth, finest.widthBits, finest.size(), std::span<const std::byte>(data));
        }
    }
}

std::shared_ptr<const StoredPyramid> readPyramid(Database& database, std::int64_t builtFromEvents,
                                                 Session& session) {
    auto stored = std::make_shared<StoredPyramid>();
    try {
        TableReader reader(database, "pyramid", {"lane", "depth", "width_bits", "bins", "data"},
                           TableReader::Key::Pair);
        PyramidReader rows(reader, session);
        while (reader.next()) {
            if (builtFromEvents != static_cast<std::int64_t>(session.eventCount()))
                reader.refuse(fmt::format("built from {} events, now there are {}", builtFromEvents,
                                          session.eventCount()));
            stored->rows.push_back(rows.read());
        }
    } catch (const DatabaseError& failure) {
        session.warnings.push_back(
            fmt::format("the stored time pyramid does not serve and is built anew ({})", failure.what()));
        return nullptr;
    }
    return stored->rows.empty() ? nullptr : stored;
}

} // namespace retracescope::session
