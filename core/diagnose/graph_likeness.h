#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include <retracescope/session/query.h>

namespace retracescope::diagnose {

/// How the graphs of entries compare whose keys differ in one component only.
enum class Likeness {
    Unknown,   ///< no two such entries, or their graphs were not recorded
    Same,      ///< equal up to names
    Constants, ///< the same ops on the same inputs; attributes such as a constant's value differ
    Differ,
};

/// Compares graphs by hash over ops, edges and attributes, each graph hashed once. Names, devices and source
/// lines do not count; what a node calls does.
class GraphLikeness {
public:
    GraphLikeness(const session::Session& session, const session::Index& index)
        : m_session(session), m_index(index) {}

    /// Of the function's entries that differ in the component at `path` and in no other.
    Likeness acrossComponent(session::FunctionId function, std::string_view path);

private:
    struct Hash {
        std::uint64_t ops = 0;  ///< ops, edges, result types
        std::uint64_t full = 0; ///< and attributes
    };

    Hash hashOf(session::GraphId graph);

    const session::Session& m_session;
    const session::Index& m_index;
    std::unordered_map<session::GraphId, Hash> m_hashes;
};

} // namespace retracescope::diagnose
