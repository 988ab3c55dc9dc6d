#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <retracescope/engine/autodiff/gradient_flow.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/trace/ops.h>

namespace retracescope::trace {

class CallGradient;
class Tracer;

/// Runs a compiled graph or, inside a trace, adds a call of it; tapes see it either way. `results` has one
/// place per output. `gradient`, if any, is asked for an eager call that one tape watches; without one, if it
/// returns null, and under several tapes, such a call is computed op by op.
void callGraph(const std::shared_ptr<const runtime::Executable>& executable,
               std::span<const Tensor> arguments, std::span<Tensor> results, Where where,
               const std::function<std::shared_ptr<const CallGradient>()>& gradient = {});

using autodiff::capturedBy;

/// The nodes that stand for tensors in a trace; `user` is named if one has leaked.
std::vector<ir::NodeId> nodesOf(Tracer& tracer, std::span<const Tensor> tensors, std::string_view user);

/// The results of a node of that trace that runs graphs, after tapes have been told of it.
std::vector<Tensor> resultsInTrace(Tracer& tracer, ir::NodeId node);

} // namespace retracescope::trace
