#pragma once

#include <retracescope/diagnose/key_distance.h>

namespace retracescope::diagnose {

/// Finds the cached entries a miss came closest to: those from which it differs in the least weight, a
/// difference of type, structure or rank together with all that it hides.
/// An entry that is gone costs nothing extra, so that an equal key that was cleared or evicted is found; of
/// equal ones a living entry comes first, then the one hit most recently before the miss, then the one hit
/// most often. Remembers how each entry had served until the last miss, so that misses in time order cost no
/// search.
class NearestEntry {
public:
    NearestEntry(const session::Session& session, const session::Index& index);

    /// The entries compared with a miss, nearest first.
    struct Ranking {
        std::vector<session::EntryId> nearest; ///< at most kMostRanked
        std::size_t total = 0;
    };
    static constexpr std::size_t kMostRanked = 32;

    Ranking rank(const session::Miss& miss, const History& history);

    /// How far the request of `miss` is from another key.
    double distance(const session::Miss& miss, session::SignatureId other, const History& history);

private:
    /// How an entry had served until a moment.
    struct Service {
        std::int64_t lastNs = session::kNotRecorded; ///< end of its newest call
        std::int64_t nextNs = session::kNotRecorded; ///< end of the call after that one
        std::uint32_t calls = 0;
    };

    struct Weighed {
        double distance = 0;
        bool gone = false;
    };

    void useWeightsFor(session::FunctionId function);
    /// `listed`: what the miss says of the entry, or null.
    Weighed weigh(const session::Miss& miss, session::EntryId entry, const session::Competing* listed,
                  const History& history);
    bool isNearer(session::EntryId a, const Weighed& ofA, session::EntryId b, const Weighed& ofB,
                  std::int64_t time);
    const Service& serviceBefore(session::EntryId entry, std::int64_t time);
    bool servedLater(session::EntryId a, session::EntryId b, std::int64_t time);

    const session::Session& m_session;
    const session::Index& m_index;
    KeyDistance m_distance;
    session::FunctionId m_function;  ///< whose weights m_distance holds
    std::vector<Service> m_services; ///< by EntryId
};

/// True for a difference that says that the entry is gone, not that a component differs.
bool saysGone(types::MissKind kind);

} // namespace retracescope::diagnose
