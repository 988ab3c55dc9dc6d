#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <retracescope/engine/nn/initialiser.h>
#include <retracescope/engine/nn/layer_variables.h>

namespace retracescope::nn {

struct CellOptions {
    Initialiser kernel = Initialiser::glorotUniform();    ///< from the input
    Initialiser recurrent = Initialiser::glorotUniform(); ///< from the state
    /// Zeros if absent, but ones for the forget gate of an LSTM.
    std::optional<Initialiser> bias = std::nullopt;
    std::string name = {}; ///< in messages, and before the names of its variables; if empty, that of its kind
};

/// One step of a recurrent network: the input of a time, [batch, features], and the state before it make the
/// state after it. A state is one or more tensors [batch, units], of which the first is the cell's output.
/// The first call makes kernel [features, gates * units], recurrent kernel [units, gates * units] and bias
/// [gates * units] in the input's dtype (layer_variables.h). Copies are the same cell. dynamicRnn() goes over
/// a whole sequence.
class RecurrentCell {
public:
    using State = std::vector<Tensor>;
    /// What the variables hold, read once for a sequence.
    struct Weights {
        Tensor kernel;
        Tensor recurrent;
        Tensor bias;
    };

    virtual ~RecurrentCell() = default;

    /// Throws UsageError for a state that does not fit.
    State operator()(const Tensor& x, const State& state, Where where = Where::current()) const;

    /// Zeros for as many rows as x, [batch, features], has: what a sequence starts with.
    State zeroState(const Tensor& x, Where where = Where::current()) const;
    Weights weightsFor(const Tensor& x, Where where = Where::current()) const;
    /// The call with weights read before.
    virtual State step(const Tensor& x, const State& state, const Weights& weights, Where where) const = 0;
    /// Throws UsageError unless it is as many tensors [batch, units] of x's dtype as this cell has.
    void requireState(const Tensor& x, const State& state, Where where) const;

    std::int64_t units() const { return m_units; }
    const std::string& name() const { return m_options.name; }
    /// Kernel, recurrent kernel and bias; none before the first call.
    std::vector<Variable> trainableVariables() const { return m_variables.all(); }

protected:
    RecurrentCell(std::int64_t units, int gates, std::size_t stateTensors, CellOptions options,
                  Initialiser defaultBias, Where where);

private:
    std::int64_t m_units;
    int m_gates;
    std::size_t m_stateTensors;
    CellOptions m_options;
    Initialiser m_bias;
    LayerVariables m_variables;
};

/// state = tanh(x * kernel + state * recurrent + bias)
class SimpleRNNCell final : public RecurrentCell {
public:
    explicit SimpleRNNCell(std::int64_t units, CellOptions options = {}, Where where = Where::current());
    State step(const Tensor& x, const State& state, const Weights& weights, Where where) const override;
};

/// Gated recurrent unit (Cho et al. 2014). Gates in the order of their columns: update z, reset r, both
/// sigmoid, and the candidate c = tanh(x * kernel + (r * state) * recurrent + bias);
/// state = z * state + (1 - z) * c.
class GRUCell final : public RecurrentCell {
public:
    explicit GRUCell(std::int64_t units, CellOptions options = {}, Where where = Where::current());
    State step(const Tensor& x, const State& state, const Weights& weights, Where where) const override;
};

/// Long short-term memory (Hochreiter and Schmidhuber 1997) with the state {output h, memory c}. Gates in the
/// order of their columns: input i, forget f, both sigmoid, candidate g (tanh), output o (sigmoid);
/// c = f * c + i * g, h = o * tanh(c).
class LSTMCell final : public RecurrentCell {
public:
    explicit LSTMCell(std::int64_t units, CellOptions options = {}, Where where = Where::current());
    State step(const Tensor& x, const State& state, const Weights& weights, Where where) const override;
};

} // namespace retracescope::nn
