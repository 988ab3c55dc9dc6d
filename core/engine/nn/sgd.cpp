#include <retracescope/engine/nn/sgd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include <retracescope/engine/trace/gradient_tape.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::nn {

struct SGD::Velocities {
    std::mutex mutex;
    std::map<std::uint32_t, Variable> ofVariable; ///< by id
};

SGD::SGD(double learningRate, SGDOptions options, Where where)
    : m_rate(learningRate), m_momentum(options.momentum), m_velocities(std::make_shared<Velocities>()) {
    if (!(learningRate >= 0))
        trace::refuse("SGD", fmt::format("expected a learning rate from 0 on, got {}", learningRate), where);
    if (!(m_momentum >= 0 && m_momentum < 1))
        trace::refuse("SGD", fmt::format("expected a momentum from 0 to below 1, got {}", m_momentum), where);
}

SGD::SGD(const Variable& learningRate, SGDOptions options, Where where) : SGD(0.0, options, where) {
    m_rate = learningRate;
}

Tensor SGD::rateFor(types::DType dtype, Where where) const {
    if (const auto* variable = std::get_if<Variable>(&m_rate))
        return variable->read(where);
    return Initialiser::constant(std::get<double>(m_rate))({}, dtype, where);
}

Variable SGD::velocityOf(const Variable& variable, Where where) const {
    if (variable.handle().isSymbolic())
        trace::refuse("SGD",
                      fmt::format("momentum expected a variable that the function captures, got its argument "
                                  "'{}'",
                                  variable.name()),
                      where);
    const std::lock_guard lock(m_velocities->mutex);
    const auto known = m_velocities->ofVariable.find(variable.id());
    if (known != m_velocities->ofVariable.end())
        return known->second;
    const types::Shape& shape = types::shapeOf(variable.type());
    if (!shape.isKnown())
        trace::refuse("SGD",
                      fmt::format("momentum expected a variable of known shape, got '{}' of {}",
                                  variable.name(), types::toText(variable.type())),
                      where);
    const trace::EagerScope outside; // as a layer's variables
    const Variable velocity(Initialiser::zeros()(shape, types::dtypeOf(variable.type()), where),
                            {.name = variable.name() + "/velocity", .trainable = false});
    return m_velocities->ofVariable.emplace(variable.id(), velocity).first->second;
}

void SGD::move(const Variable& variable, const Tensor& gradient, Where where) const {
    const types::DType dtype = types::dtypeOf(variable.type());
    const Tensor step = trace::multiply({rateFor(dtype, where), where}, {gradient, where});
    if (m_momentum == 0)
        return variable.assignSub({step, where});
    const Variable velocity = velocityOf(variable, where);
    const Tensor kept = trace::multiply({velocity.read(where), where}, {m_momentum, where});
    const Tensor next = trace::subtract({kept, where}, {step, where});
    velocity.assign({next, where});
    variable.assignAdd({next, where});
}

void SGD::applyGradients(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables,
                         Where where) const {
    if (gradients.size() != variables.size())
        trace::refuse("SGD",
                      fmt::format("expected a gradient for each of {} variables, got {}", variables.size(),
                                  gradients.size()),
                      where);
    if (std::ranges::all_of(gradients, &Tensor::isEmpty)) {
        std::string names;
        for (const Variable& variable : variables)
            names += fmt::format("{}'{}'", names.empty() ? "" : ", ", variable.name());
        trace::refuse(
            "SGD",
            fmt::format("expected a gradient for at least one variable, got empty ones only: no path "
                        "leads from {} to the loss; compute it with them under the tape, or ask for "
                        "zeros (Unconnected::Zeros)",
                        names.empty() ? "any variable" : names),
            where);
    }
    for (std::size_t i = 0; i < variables.size(); ++i)
        if (!gradients[i].isEmpty())
            move(variables[i], gradients[i], where);
}

Tensor SGD::minimize(const std::function<Tensor()>& loss, const std::vector<Variable>& variables,
                     Where where) const {
    trace::GradientTape tape;
    const Tensor value = loss();
    const std::vector<Variable> moved = variables.empty() ? tape.watchedVariables() : variables;
    applyGradients(tape.gradient(value, moved, {}, where), moved, where);
    return value;
}

std::vector<Variable> SGD::variables() const {
    const std::lock_guard lock(m_velocities->mutex);
    std::vector<Variable> result;
    for (const auto& [id, velocity] : m_velocities->ofVariable)
        result.push_back(velocity);
    return result;
}

} // namespace retracescope::nn
