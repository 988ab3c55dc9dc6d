#include <retracescope/diagnose/nearest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <retracescope/session/compared.h>

namespace retracescope::diagnose {

using namespace session;

namespace {

/// Sums of the same weights in another order may differ in the last bits.
bool isEqual(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(a));
}

/// True for a difference below which nothing was compared.
bool hidesOthers(const types::Difference& difference) {
    return difference.kind == types::MissKind::Rank || difference.kind == types::MissKind::Type ||
           difference.kind == types::MissKind::Structure;
}

} // namespace

bool saysGone(types::MissKind kind) {
    return kind == types::MissKind::Dead || kind == types::MissKind::Cleared ||
           kind == types::MissKind::Evicted;
}

NearestEntry::NearestEntry(const Session& session, const Index& index)
    : m_session(session), m_index(index), m_distance(session), m_services(session.entries.size()) {}

NearestEntry::Ranking NearestEntry::rank(const Miss& miss, const History& history) {
    useWeightsFor(miss.function);
    const std::vector<EntryId> entries = comparedWith(m_session, m_index, miss);
    std::vector<Weighed> weighed;
    std::size_t best = 0;
    for (std::size_t row = 0; row < entries.size(); ++row) {
        const Competing* listed = miss.competing.empty() ? nullptr : &miss.competing[row];
        weighed.push_back(weigh(miss, entries[row], listed, history));
        if (isNearer(entries[row], weighed[row], entries[best], weighed[best], miss.timeNs))
            best = row;
    }
    std::vector<std::size_t> order(entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t row) { return std::tuple(row != best, weighed[row].distance, row); };
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(kMostRanked, order.size()));
    std::ranges::partial_sort(order, end, {}, key);
    Ranking ranking{{}, entries.size()};
    for (auto row = order.begin(); row != end; ++row)
        ranking.nearest.push_back(entries[*row]);
    return ranking;
}

bool NearestEntry::isNearer(EntryId a, const Weighed& ofA, EntryId b, const Weighed& ofB, std::int64_t time) {
    if (a == b)
        return false;
    if (!isEqual(ofA.distance, ofB.distance))
        return ofA.distance < ofB.distance;
    if (ofA.gone != ofB.gone)
        return ofB.gone;
    return servedLater(a, b, time);
}

double NearestEntry::distance(const Miss& miss, SignatureId other, const History& history) {
    useWeightsFor(miss.function);
    return m_distance.between(miss.request, other, history);
}

void NearestEntry::useWeightsFor(FunctionId function) {
    if (std::exchange(m_function, function) != function)
        m_distance.forgetWeights();
}

NearestEntry::Weighed NearestEntry::weigh(const Miss& miss, EntryId entry, const Competing* listed,
                                          const History& history) {
    const SignatureId stored = m_session[entry].signature;
    const bool hasKeys = miss.request.isValid() && stored.isValid();
    if (listed == nullptr)
        return {hasKeys ? m_distance.between(miss.request, stored, history) : 0, false};
    Weighed result;
    bool hides = false;
    for (const types::Difference& difference : listed->differences) {
        if (saysGone(difference.kind)) {
            result.gone = true;
            continue;
        }
        hides |= hidesOthers(difference);
        result.distance += history.weight(difference.path);
    }
    if (hides && hasKeys)
        result.distance = m_distance.between(miss.request, stored, history);
    return result;
}

const NearestEntry::Service& NearestEntry::serviceBefore(EntryId entry, std::int64_t time) {
    static constexpr Service kNever{};
    if (!entry.isValid())
        return kNever;
    Service& service = m_services[entry.value];
    const auto& served = m_index.callsOfEntry[entry.value];
    const bool isFresh = service.nextNs == kNotRecorded;
    if (!isFresh && service.lastNs < time && time <= service.nextNs)
        return service;
    if (isFresh || time <= service.lastNs)
        service = {}; // an earlier moment than the last one: count again
    const auto endOf = [&](std::size_t i) {
        return m_session.calls.startNs[served[i].value] + m_session.calls.durationNs[served[i].value];
    };
    while (service.calls < served.size() && endOf(service.calls) < time)
        service.lastNs = endOf(service.calls++);
    service.nextNs =
        service.calls < served.size() ? endOf(service.calls) : std::numeric_limits<std::int64_t>::max();
    return service;
}

bool NearestEntry::servedLater(EntryId a, EntryId b, std::int64_t time) {
    const Service& one = serviceBefore(a, time);
    const Service& other = serviceBefore(b, time);
    return std::tie(one.lastNs, one.calls) > std::tie(other.lastNs, other.calls);
}

} // namespace retracescope::diagnose
