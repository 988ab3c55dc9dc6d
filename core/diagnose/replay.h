#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <retracescope/diagnose/edited_request.h>

namespace retracescope::diagnose {

/// The misses of a function, or of all that one line made, asked again in time order with edits in place:
/// which of them would an earlier trace have served? Never says so where the edits leave a difference, or
/// where the entry had been dropped and no edit prevents it.
class Replay {
public:
    explicit Replay(const session::Session& session) : m_session(session) {}

    /// Adds an edit for the difference that it is made against, or for another one that it covers too.
    void addEdit(const Edit& edit) {
        for (const types::Difference& difference : edit.against)
            addEdit(edit, difference);
    }
    void addEdit(const Edit& edit, const types::Difference& against);

    /// The functions relax already: a request is joined with the traces that differ in shapes alone.
    void relaxAxes() { m_relaxesAxes = true; }

    bool hasEdits() const { return m_edited; }

    /// Before the first isServed(), for each miss.
    void learn(const session::Miss& miss);

    /// Call in time order. A request that is not served is traced, and from then on serves its like.
    bool isServed(const session::Miss& miss);

private:
    using Components = EditedRequest::Components;

    /// What keeps a trace apart from others of its bucket, and when it was dropped.
    struct Trace {
        Components axes;
        std::int64_t droppedNs = session::kNotRecorded;
    };

    /// Traces whose keys differ in axes, numbers of axes and names alone.
    struct Bucket {
        std::vector<Trace> traces;                           ///< those with something open; all if relaxing
        std::unordered_map<std::string, std::int64_t> exact; ///< axes as text -> droppedNs
    };

    bool isServedBy(const Bucket& bucket, const Components& axes, std::int64_t timeNs) const;
    void keep(Bucket& bucket, Components axes, const session::Miss& miss) const;
    std::int64_t dropTimeOf(const session::Miss& miss) const;

    const session::Session& m_session;
    EditedRequest m_requests;
    bool m_edited = false;
    bool m_relaxesAxes = false;
    bool m_oneObject = false; ///< all functions share one cache
    bool m_keepsCleared = false;
    bool m_keepsDead = false;
    std::unordered_map<std::string, Bucket> m_buckets;
    std::unordered_map<session::FunctionId, bool> m_lastServed; ///< the answer to each function's last miss
};

} // namespace retracescope::diagnose
