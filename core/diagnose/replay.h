#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::diagnose {

/// The misses of a function, or of all that one line made, asked again in time order with edits in place:
/// which of them would an earlier trace have served?
class Replay {
public:
    explicit Replay(const session::Session& session) : m_session(session) {}

    /// Adds the edit of kind `edit` (a kind of the cases' README) against the difference of kind `cause` at
    /// `path`.
    void addEdit(const std::string& edit, types::MissKind cause, const std::string& path);

    /// The functions relax already: from the second differing length on, traces have open axes.
    void relaxAxes() { m_relaxesAxes = true; }

    bool hasEdits() const { return m_edited; }

    /// Call in time order. A request that is not served is traced, and from then on serves its like.
    bool isServed(const session::Miss& miss);

private:
    enum class Rule { Ignore, Relax, Bucket };

    /// The key after the edits; with `open`, as a relaxed trace stores it.
    std::string keyOf(const session::Miss& miss, bool open) const;
    bool isBelowIgnored(const std::string& path) const;

    const session::Session& m_session;
    std::unordered_map<std::string, Rule> m_rules; ///< by path
    std::vector<std::string> m_ignoredOwners;      ///< values of which nothing counts any more
    bool m_edited = false;
    bool m_relaxesAxes = false;
    bool m_oneObject = false;                ///< all functions share one cache
    std::unordered_set<std::string> m_exact; ///< keys traced as asked
    std::unordered_set<std::string> m_begun; ///< open keys of which one exact trace exists
    std::unordered_set<std::string> m_open;  ///< open keys traced
};

} // namespace retracescope::diagnose
