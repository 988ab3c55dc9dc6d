#include <retracescope/engine/nn/recurrent_cell.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/engine/trace/array_ops.h>

namespace retracescope::nn {

namespace {

using types::DType;
using types::Shape;

Tensor plus(const Tensor& a, const Tensor& b, Where where) {
    return trace::add({a, where}, {b, where});
}

Tensor times(const Tensor& a, const Tensor& b, Where where) {
    return trace::multiply({a, where}, {b, where});
}

Tensor product(const Tensor& a, const Tensor& b, Where where) {
    return trace::matmul(a, b, false, false, where);
}

Tensor sigmoid(const Tensor& x, Where where) {
    return trace::sigmoid({x, where});
}

Tensor tanh(const Tensor& x, Where where) {
    return trace::tanh({x, where});
}

/// Gates `first` to before `last` of a matrix whose columns are `units` for each gate.
Tensor gates(const Tensor& x, std::int64_t units, std::int64_t first, std::int64_t last, Where where) {
    return trace::stridedSlice(x, {{}, {first * units, last * units}}, where);
}

Initialiser onesForTheForgetGate(std::int64_t units) {
    return Initialiser([units](const Shape&, DType dtype, Where where) {
        const auto part = [&](double value, std::int64_t count) {
            return Initialiser::constant(value)({count}, dtype, where);
        };
        return trace::concat({part(0, units), part(1, units), part(0, 2 * units)}, 0, where);
    });
}

CellOptions named(CellOptions options, const char* name) {
    if (options.name.empty())
        options.name = name;
    return options;
}

} // namespace

RecurrentCell::RecurrentCell(std::int64_t units, int gates, std::size_t stateTensors, CellOptions options,
                             Initialiser defaultBias, Where where)
    : m_units(units), m_gates(gates), m_stateTensors(stateTensors), m_options(std::move(options)),
      m_bias(m_options.bias.value_or(std::move(defaultBias))),
      m_variables(m_options.name, {"[batch, features]", 2, 2}) {
    if (units < 1)
        trace::refuse(m_options.name, fmt::format("expected units from 1 on, got {}", units), where);
}

RecurrentCell::Weights RecurrentCell::weightsFor(const Tensor& x, Where where) const {
    const auto make = [&](std::int64_t features, DType dtype) {
        const std::int64_t columns = m_gates * m_units;
        return std::vector{
            makeVariable(name(), "kernel", m_options.kernel, {features, columns}, dtype, where),
            makeVariable(name(), "recurrent", m_options.recurrent, {m_units, columns}, dtype, where),
            makeVariable(name(), "bias", m_bias, {columns}, dtype, where)};
    };
    const std::vector<Variable>& variables = m_variables.madeFor(x, make, where);
    return {variables[0].read(where), variables[1].read(where), variables[2].read(where)};
}

RecurrentCell::State RecurrentCell::operator()(const Tensor& x, const State& state, Where where) const {
    const Weights weights = weightsFor(x, where);
    requireState(x, state, where);
    return step(x, state, weights, where);
}

RecurrentCell::State RecurrentCell::zeroState(const Tensor& x, Where where) const {
    const Tensor rows = trace::zerosLike(trace::reduceSum(x, {-1}, true, where), where);
    const Tensor row = Initialiser::zeros()({1, m_units}, x.dtype(), where);
    return State(m_stateTensors, plus(rows, row, where));
}

void RecurrentCell::requireState(const Tensor& x, const State& state, Where where) const {
    const auto refuse = [&](const std::string& got) {
        trace::refuse(name(),
                      fmt::format("expected a state of {} x {}[batch, {}], got {}", m_stateTensors,
                                  types::dtypeName(x.dtype()), m_units, got),
                      where);
    };
    if (state.size() != m_stateTensors)
        refuse(fmt::format("{} tensors", state.size()));
    const types::TensorTypeId wanted = types::tensorType(x.dtype(), {Shape::kUnknown, m_units});
    for (const Tensor& one : state)
        if (one.isEmpty() || !types::isSubtype(one.type(), wanted))
            refuse(one.isEmpty() ? "an empty tensor" : types::toText(one.type()));
}

SimpleRNNCell::SimpleRNNCell(std::int64_t units, CellOptions options, Where where)
    : RecurrentCell(units, 1, 1, named(std::move(options), "simple_rnn_cell"), Initialiser::zeros(), where) {}

RecurrentCell::State SimpleRNNCell::step(const Tensor& x, const State& state, const Weights& weights,
                                         Where where) const {
    const Tensor sum =
        plus(product(x, weights.kernel, where), product(state[0], weights.recurrent, where), where);
    return {tanh(plus(sum, weights.bias, where), where)};
}

GRUCell::GRUCell(std::int64_t units, CellOptions options, Where where)
    : RecurrentCell(units, 3, 1, named(std::move(options), "gru_cell"), Initialiser::zeros(), where) {}

RecurrentCell::State GRUCell::step(const Tensor& x, const State& state, const Weights& weights,
                                   Where where) const {
    const Tensor& before = state[0];
    const Tensor input = plus(product(x, weights.kernel, where), weights.bias, where);
    const Tensor recurrentGates = gates(weights.recurrent, units(), 0, 2, where);
    const Tensor both = sigmoid(
        plus(gates(input, units(), 0, 2, where), product(before, recurrentGates, where), where), where);
    const Tensor update = gates(both, units(), 0, 1, where);
    const Tensor reset = gates(both, units(), 1, 2, where);
    const Tensor recalled =
        product(times(reset, before, where), gates(weights.recurrent, units(), 2, 3, where), where);
    const Tensor candidate = tanh(plus(gates(input, units(), 2, 3, where), recalled, where), where);
    const Tensor change = trace::subtract({before, where}, {candidate, where});
    return {plus(candidate, times(update, change, where), where)}; // z * before + (1 - z) * candidate
}

LSTMCell::LSTMCell(std::int64_t units, CellOptions options, Where where)
    : RecurrentCell(units, 4, 2, named(std::move(options), "lstm_cell"), onesForTheForgetGate(units), where) {
}

RecurrentCell::State LSTMCell::step(const Tensor& x, const State& state, const Weights& weights,
                                    Where where) const {
    const Tensor sum =
        plus(product(x, weights.kernel, where), product(state[0], weights.recurrent, where), where);
    const Tensor all = plus(sum, weights.bias, where);
    const auto gate = [&](std::int64_t number) { return gates(all, units(), number, number + 1, where); };
    const Tensor kept = times(sigmoid(gate(1), where), state[1], where);
    const Tensor added = times(sigmoid(gate(0), where), tanh(gate(2), where), where);
    const Tensor memory = plus(kept, added, where);
    return {times(sigmoid(gate(3), where), tanh(memory, where), where), memory};
}

} // namespace retracescope::nn
