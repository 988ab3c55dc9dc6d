#include <retracescope/diagnose/nearest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

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

std::uint32_t NearestEntry::find(const Miss& miss, const History& history) {
    m_recentColumns.clear();
    useWeightsFor(miss.function);
    std::uint32_t best = 0;
    Weighed nearest = weigh(miss, miss.competing[0], history);
    for (std::uint32_t row = 1; row < miss.competing.size(); ++row) {
        const Weighed weighed = weigh(miss, miss.competing[row], history);
        bool closer = false;
        if (!isEqual(weighed.distance, nearest.distance))
            closer = weighed.distance < nearest.distance;
        else if (weighed.gone != nearest.gone)
            closer = nearest.gone;
        else
            closer = servedLater(miss.competing[row].entry, miss.competing[best].entry, miss.timeNs);
        if (closer) {
            best = row;
            nearest = weighed;
        }
    }
    return best;
}

double NearestEntry::distance(const Miss& miss, SignatureId other, const History& history) {
    useWeightsFor(miss.function);
    return m_distance.between(miss.request, other, history);
}

void NearestEntry::useWeightsFor(FunctionId function) {
    if (std::exchange(m_function, function) != function)
        m_distance.forgetWeights();
}

NearestEntry::Weighed NearestEntry::weigh(const Miss& miss, const Competing& competing,
                                          const History& history) {
    Weighed result;
    bool hides = false;
    m_recentColumns.resize(std::max(m_recentColumns.size(), competing.differences.size()));
    for (std::size_t i = 0; i < competing.differences.size(); ++i) {
        const types::Difference& difference = competing.differences[i];
        if (saysGone(difference.kind)) {
            result.gone = true;
            continue;
        }
        hides |= hidesOthers(difference);
        const Column*& column =
            m_recentColumns[i]; // most entries differ in the same columns as the one before
        if (column == nullptr || column->path != difference.path)
            column = history.column(difference.path);
        result.distance += column != nullptr ? column->weight : history.weight(difference.path);
    }
    if (hides && miss.request.isValid() && competing.entry.isValid() &&
        m_session[competing.entry].signature.isValid())
        result.distance = m_distance.between(miss.request, m_session[competing.entry].signature, history);
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
