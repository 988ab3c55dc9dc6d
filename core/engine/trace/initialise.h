#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

/// Gives the variables of a first trace their initial values: runs the part of `graph` that computes them,
/// without any of its effects, on the arguments of the call (tracing_semantics.md 12).
void initialise(std::span<const CreatedVariable> created, const ir::Graph& graph,
                std::span<const Tensor> arguments);

} // namespace retracescope::trace
