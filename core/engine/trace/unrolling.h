#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::trace {

/// One line of a traced function made very many nodes: most likely a C++ loop that was unrolled into the
/// graph.
struct UnrollWarning {
    std::string function;
    std::string file;
    std::uint32_t line = 0;
    std::size_t nodes = 0;
};

/// "the trace of 'f' has 3000 nodes of one line, ...".
std::string toText(const UnrollWarning& warning);

/// Who is told of unrolled loops, on the thread that traced, once per function; without one, a line goes to
/// stderr. A recorder keeps the warning in any case. Returns the one before.
using UnrollHandler = std::function<void(const UnrollWarning&)>;
UnrollHandler setUnrollHandler(UnrollHandler handler);
void tell(const UnrollWarning& warning);

/// So many nodes of one line are taken for an unrolled loop.
inline constexpr std::size_t kUnrolledNodes = 1000;

/// The line with the most nodes in a graph as traced, branches and bodies of loops looked at by themselves;
/// none if it has less than kUnrolledNodes.
std::optional<UnrollWarning> findUnrolled(const std::string& function, const ir::Graph& graph);

} // namespace retracescope::trace
