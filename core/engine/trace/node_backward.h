#pragma once

#include <memory>

#include <retracescope/engine/trace/tape.h>

namespace retracescope::trace {

/// The gradient of an op by the rules of core/engine/autodiff.
std::shared_ptr<const Backward> nodeBackward(ir::Op op, const ir::Attributes& attributes);

/// The same of a call, cond or while of a trace. The entry's inputs are the node's, then `captured`, which
/// the callee uses without being given them.
std::shared_ptr<const Backward> innerBackward(std::vector<Tensor> captured);

/// The same of a host call, which has none: asking for it throws UsageError that names `function`.
std::shared_ptr<const Backward> hostBackward(std::string function);

/// What makes the callees of gradients.
std::shared_ptr<const ir::Callee> compileCallee(ir::Graph graph);

} // namespace retracescope::trace
