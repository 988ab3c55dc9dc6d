#pragma once

#include <cstdint>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::ir {

/// A captured tensor of at most so many elements is a part of the graph as a constant is (as in
/// tensorflow/core/function/capture/capture_container.py).
inline constexpr std::int64_t kEmbeddedElements = 128;

/// The value that a node has in every run and that the graph holds: of a constant, or of a captured tensor
/// that is small enough. Null for all others.
const tensor::Tensor* embeddedValue(const Graph& graph, NodeId node);

} // namespace retracescope::ir
