#pragma once

#include <string>

#include <retracescope/engine/ir/graph.h>

namespace retracescope::ir {

/// The whole graph as text that parseGraph() reads back:
///
///     graph "process_data" {
///       %0 = input "x" : float32[2]
///       %1 = constant 2 : float32[]
///       %2 = mul(%0, %1) : float32[2] @ "train.cpp":12 "main" in "block/dense" named "y"
///       %3, %4 = cond(%5, %2) : float32[2], int32[] then graph "yes" {
///         ...
///       } else graph "no" {
///         ...
///       }
///       %6 = call "inner"(%2) : float32[]
///       print(%2) {text="y is"}
///       return %2, %6
///     }
std::string toText(const Graph& graph);

} // namespace retracescope::ir
