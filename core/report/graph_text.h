#pragma once

#include <string>

#include <retracescope/session/session.h>

namespace retracescope::report {

/// The graph as a listing to read: nodes in their order with inputs, type, attributes, graphs they run and
/// source line, then what it returns.
///
///   process_data_1: 4 nodes, 1 result
///     x = Placeholder()                          float32[2]
///     mul = Mul(x, const)                        float32[2]   example.cpp:12
///     return mul
std::string graphText(const session::Session& session, const session::Graph& graph);

} // namespace retracescope::report
