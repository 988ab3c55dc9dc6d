#include <retracescope/engine/nn/layer_variables.h>

#include <mutex>

#include <fmt/format.h>

#include <retracescope/engine/trace/composed.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::nn {

using types::DType;
using types::Shape;

struct LayerVariables::State {
    const std::string layer;
    const InputForm form;
    std::mutex mutex;
    bool isMade = false; ///< from then on nothing below changes
    std::int64_t features = 0;
    DType dtype = DType::None;
    std::vector<Variable> variables;
};

namespace {

void requireForm(const std::string& layer, const InputForm& form, const Tensor& x, Where where) {
    trace::requireTensor(layer, x, where);
    const Shape& shape = x.shape();
    const bool fits = types::isFloating(x.dtype()) && shape.hasRank() && shape.rank() >= form.leastRank &&
                      shape.rank() <= form.mostRank;
    if (!fits)
        trace::refuse(layer, fmt::format("expected floating {}, got {}", form.text, types::toText(x.type())),
                      where);
}

} // namespace

LayerVariables::LayerVariables(std::string layer, InputForm form)
    : m_state(new State{std::move(layer), std::move(form), {}, false, 0, DType::None, {}}) {}

const std::string& LayerVariables::layer() const {
    return m_state->layer;
}

const std::vector<Variable>& LayerVariables::madeFor(const Tensor& x, const Make& make, Where where) const {
    State& state = *m_state;
    requireForm(state.layer, state.form, x, where);
    const std::int64_t features = x.shape()[x.shape().rank() - 1];
    const std::lock_guard lock(state.mutex);
    if (!state.isMade) {
        if (features == Shape::kUnknown)
            trace::refuse(state.layer,
                          fmt::format("expected {} whose last axis is known at the first call, got {}; say "
                                      "its size in the input signature",
                                      state.form.text, types::toText(x.type())),
                          where);
        const trace::EagerScope outside;
        state.variables = make(features, x.dtype());
        state.features = features;
        state.dtype = x.dtype();
        state.isMade = true;
    }
    if (x.dtype() != state.dtype || (features != state.features && features != Shape::kUnknown))
        trace::refuse(state.layer,
                      fmt::format("expected {} with {} in the last axis, as at the first call, got {}",
                                  types::dtypeName(state.dtype), state.features, types::toText(x.type())),
                      where);
    return state.variables;
}

std::vector<Variable> LayerVariables::all() const {
    const std::lock_guard lock(m_state->mutex);
    return m_state->variables;
}

Variable makeVariable(const std::string& layer, const std::string& role, const Initialiser& initialiser,
                      const Shape& shape, DType dtype, Where where) {
    return Variable({initialiser(shape, dtype, where), where}, {.name = layer + "/" + role});
}

} // namespace retracescope::nn
