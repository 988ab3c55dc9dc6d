#pragma once

#include <span>
#include <vector>

#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

/// Gives the variables of a first trace their initial values: runs the part of `graph` that computes them,
/// without any of its effects, on those arguments of the call that it needs. In the trace of another function
/// these may have no values yet: then it is that function which creates the variables.
void initialise(std::span<const CreatedVariable> created, const ir::Graph& graph,
                std::span<const Tensor> arguments, std::source_location where);

} // namespace retracescope::trace
