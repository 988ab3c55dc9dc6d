#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// A callable that was traced for the elements of a dataset.
struct ElementFunctionTrace {
    Tensor handle; ///< of a runtime::ElementFunction
    types::TypeId result = types::TypeId::None;
    std::vector<Tensor> captured; ///< what it uses of the trace under way

    /// The inputs of the node that makes a dataset with it.
    std::vector<Tensor> inputsBehind(const Tensor& dataset) const;
};

/// Traces `body` once on an element of that structure. Throws UsageError for a body that returns no tensor,
/// makes variables, or has deferred captures outside of a trace.
ElementFunctionTrace traceElementFunction(std::string_view name, types::TypeId element,
                                          const std::function<Value(const Value&)>& body, Where where);

} // namespace retracescope::trace
