#pragma once

#include <random>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/runtime/variable.h>

namespace retracescope::test {

using Random = std::mt19937_64;

/// A graph with arguments for it and the variables it captures.
struct RandomProgram {
    ir::Graph graph;
    std::vector<tensor::Tensor> inputs;
    std::vector<std::shared_ptr<runtime::Variable>> variables;
    std::vector<tensor::Tensor> initialValues; ///< per variable
};

/// The same seed gives the same program. Uses every op; never divides an integer by zero.
RandomProgram makeProgram(std::uint64_t seed);

/// A value of that type: small numbers, sometimes zero or special ones; short texts.
tensor::Tensor makeValue(types::TensorTypeId type, Random& random);

/// The same nodes on inputs whose axes (or ranks) are unknown, branches and callees too.
ir::Graph withOpenInputs(const ir::Graph& graph, bool unknownRank);

} // namespace retracescope::test
