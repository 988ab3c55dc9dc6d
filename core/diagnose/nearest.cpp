#include <retracescope/diagnose/nearest.h>

#include <algorithm>
#include <cmath>

namespace retracescope::diagnose {

using namespace session;

namespace {

/// How an entry had served until the miss.
struct Service {
    std::int64_t lastNs = kNotRecorded;
    std::int64_t calls = 0;

    auto operator<=>(const Service&) const = default;
};

Service serviceBefore(const Session& session, const Index& index, const Miss& miss, EntryId entry) {
    if (!entry.isValid())
        return {};
    const auto& served = index.callsOfEntry[entry.value];
    const auto end = std::ranges::lower_bound(served, miss.timeNs, {},
                                              [&](CallId call) { return session.calls.startNs[call.value]; });
    auto count = end - served.begin();
    if (count > 0 && *(end - 1) == miss.call)
        --count;
    if (count == 0)
        return {};
    return {session.calls.startNs[served[static_cast<std::size_t>(count - 1)].value], count};
}

struct Weighed {
    double distance = 0;
    bool gone = false;
};

Weighed weigh(const Competing& competing, const History& history) {
    Weighed result;
    for (const types::Difference& difference : competing.differences) {
        if (saysGone(difference.kind))
            result.gone = true;
        else
            result.distance += history.weight(difference.path);
    }
    return result;
}

/// Sums of the same weights in another order may differ in the last bits.
bool isEqual(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a));
}

} // namespace

bool saysGone(types::MissKind kind) {
    return kind == types::MissKind::Dead || kind == types::MissKind::Cleared ||
           kind == types::MissKind::Evicted;
}

Nearest nearestEntry(const Session& session, const Index& index, const Miss& miss, const History& history) {
    Nearest best;
    bool bestGone = false;
    for (std::uint32_t row = 0; row < miss.competing.size(); ++row) {
        const Weighed weighed = weigh(miss.competing[row], history);
        bool closer = best.competing == EntryId::kNone;
        if (!closer && !isEqual(weighed.distance, best.distance))
            closer = weighed.distance < best.distance;
        else if (!closer && weighed.gone != bestGone)
            closer = bestGone;
        else if (!closer)
            closer = serviceBefore(session, index, miss, miss.competing[row].entry) >
                     serviceBefore(session, index, miss, miss.competing[best.competing].entry);
        if (closer) {
            best = {row, weighed.distance};
            bestGone = weighed.gone;
        }
    }
    return best;
}

} // namespace retracescope::diagnose
