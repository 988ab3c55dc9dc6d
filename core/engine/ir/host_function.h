#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::ir {

/// Code of the surrounding program that a graph calls when it runs. A graph only names it in its text.
struct HostFunction {
    std::string name;
    std::vector<types::TensorTypeId> results; ///< what each result is a subtype of
    /// Takes eager tensors; returns one for each of `results`, else throws.
    std::function<std::vector<tensor::Tensor>(std::span<const tensor::Tensor>)> run;
};

} // namespace retracescope::ir
