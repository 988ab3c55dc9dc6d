#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::layout {

/// A name scope of a graph, or a part of one that is too long to show at once.
struct Scope {
    std::string name;         ///< last part of the path: "attention"; "part 3 of 32" for parts
    std::string path;         ///< "encoder/block_1/attention"; empty for the root
    std::uint32_t parent = 0; ///< the root is its own parent
    std::uint32_t depth = 0;
    bool isPart = false;               ///< made by us, not by the source
    bool isRun = false;                ///< a part that holds neighbours of equal structure
    std::uint32_t nodeCount = 0;       ///< in it and in all scopes below
    std::vector<std::uint32_t> scopes; ///< directly below, in the order of their first node
    std::vector<std::uint32_t> nodes;  ///< rows directly in it, in the source's order
};

/// The scopes of a graph, from the '/' in its node names. Scope 0 is the root.
struct ScopeTree {
    std::vector<Scope> scopes;
    std::vector<std::uint32_t> scopeOfNode;

    /// True if `inner` is `outer` or below it.
    bool isWithin(std::uint32_t inner, std::uint32_t outer) const;
};

/// A scope with more than this many nodes and scopes directly in it is cut into parts of neighbours.
inline constexpr std::size_t kLargestScope = 300;

ScopeTree buildScopeTree(const session::Session& session, const session::Graph& graph);

/// The same with scopes of equal structure that follow each other inside one scope put into a run: "block_0 …
/// block_23 (24 equal)". Equal are the ops, types and edges in them, whatever the names.
ScopeTree buildScopeTreeWithRuns(const session::Session& session, const session::Graph& graph);

/// Last part of a node's name.
std::string_view shortName(std::string_view name);

} // namespace retracescope::layout
