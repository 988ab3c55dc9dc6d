#pragma once

#include <vector>

#include "tests/differential/random_program.h"

/// Inputs and attributes for the ops that slice, gather and list, most of which fit few values.
namespace retracescope::test {

bool isMovement(ir::Op op);

/// Makes the nodes that `op` needs besides inputs[0]. Throws UsageError if that one does not fit.
void completeInputs(ir::Graph& graph, ir::Op op, std::vector<ir::NodeId>& inputs, Random& random);
ir::Attributes movementAttributes(const ir::Graph& graph, ir::Op op, const std::vector<ir::NodeId>& inputs,
                                  Random& random);

} // namespace retracescope::test
