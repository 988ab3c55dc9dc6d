#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/session/session.h>

namespace retracescope::layout {

/// What a node is for, as far as its op's name tells, whichever engine wrote it.
enum class NodeRole : std::uint8_t { Operation, Input, Constant, Weight };

/// Groups of ops for "colour by op family"; in the order of the legend.
enum class OpFamily : std::uint8_t { MatMul, Elementwise, Reduction, Shape, Control, State, Input, Other };

NodeRole roleOfOp(std::string_view op);
/// True for an input that hands in a variable: its type is that of the handle and says nothing.
bool isVariableHandle(std::string_view op, std::string_view type);
/// What stands beside the line of `count` values of a type: "f32[2]", "f32[2]  ×3", "×3"; empty where there
/// is nothing to say.
std::string edgeLabel(std::string_view type, std::uint32_t count);
OpFamily familyOfOp(std::string_view op);
std::string_view familyName(OpFamily family);

/// True for constants and weights that feed others and read nothing but such: they are drawn as pills beside
/// their readers, not as boxes.
std::vector<bool> findSideNodes(const session::Session& session, const session::Graph& graph);

} // namespace retracescope::layout
