#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <retracescope/engine/nn/initialiser.h>
#include <retracescope/engine/trace/variable.h>

namespace retracescope::nn {

using trace::Variable;

/// What a layer takes: floating tensors of that many axes, of which the last has one size for all calls.
struct InputForm {
    std::string text; ///< for messages: "[batch, ..., features]"
    int leastRank = 2;
    int mostRank = 2;
};

/// The variables of one layer, made for the first input it gets. That may be in any trace, branch or loop and
/// at any call: they are made outside of all of them, as under EagerScope. So they belong to no function,
/// make none trace twice, and a trace that fails leaves them whole. Copies are the same variables. Any
/// thread.
class LayerVariables {
public:
    /// `features` is the size of the last axis.
    using Make = std::function<std::vector<Variable>(std::int64_t features, types::DType dtype)>;

    LayerVariables(std::string layer, InputForm form);

    const std::string& layer() const;
    /// What `make` returned for the first input. Throws UsageError, first the layer, for an input of another
    /// form, or of another last axis or dtype than the first, and while the first one's last axis is unknown.
    const std::vector<Variable>& madeFor(const Tensor& x, const Make& make, Where where) const;
    /// None before there was an input.
    std::vector<Variable> all() const;

private:
    struct State;
    std::shared_ptr<State> m_state;
};

/// A trainable variable "layer/role".
Variable makeVariable(const std::string& layer, const std::string& role, const Initialiser& initialiser,
                      const types::Shape& shape, types::DType dtype, Where where);

} // namespace retracescope::nn
