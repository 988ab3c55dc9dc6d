#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <retracescope/engine/trace/gradient.h>
#include <retracescope/engine/trace/tape.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// How a tape records.
struct TapeOptions {
    /// Gradients may be asked for more than once; what was recorded stays until the tape ends or is reset.
    bool persistent = false;
    /// Trainable variables are watched from their first read on.
    bool watchVariables = true;
};

/// What a gradient of a tape is asked for besides.
struct GradientOptions {
    Unconnected unconnected = Unconnected::Empty;
    /// What each target is weighed with: tensors of the targets' dtypes and shapes, in their structure. Ones
    /// if absent.
    std::optional<Value> outputGradients = std::nullopt;
};

namespace detail {

/// What the gradient with respect to a T is: a tensor for each tensor and variable, in T's structure.
template <class T>
struct GradientOf {
    using Type = T; // a struct of tensors, a Value
};
template <>
struct GradientOf<Variable> {
    using Type = Tensor;
};
template <class T>
struct GradientOf<std::vector<T>> {
    using Type = std::vector<typename GradientOf<T>::Type>;
};
template <class T>
struct GradientOf<std::map<std::string, T>> {
    using Type = std::map<std::string, typename GradientOf<T>::Type>;
};
template <class... T>
struct GradientOf<std::tuple<T...>> {
    using Type = std::tuple<typename GradientOf<T>::Type...>;
};

} // namespace detail

/// Records what is computed while it lives, so that gradients can be taken of it afterwards, as
/// tf.GradientTape does:
///
///     GradientTape tape;
///     tape.watch(x);
///     const Tensor loss = reduceMean(square(model(x) - y)); // ops and calls of traced functions
///     const Tensor slope = tape.gradient(loss, weights);
///
/// It sees what its own thread does, or the trace in which it was made: outside of functions calls of them,
/// inside of one also conds and loops. Trainable variables are watched by themselves, tensors by watch().
/// Calls under a tape trace no more than others do; a concrete function builds a forward and a backward graph
/// when a tape first watches a call of it. Tapes nest, for higher orders: an outer one records what the
/// gradients of an inner one compute.
///
/// Keeps the tensors that gradients need; gives them back when it ends, is reset or, unless it is persistent,
/// has been asked for a gradient.
class GradientTape {
public:
    /// The recording stands still while one of these lives.
    class Pause {
    public:
        explicit Pause(Tape& tape) : m_tape(tape) { m_tape.pause(); }
        ~Pause() { m_tape.resume(); }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        Tape& m_tape;
    };

    explicit GradientTape(TapeOptions options = {}) : m_options(options), m_tape(options.watchVariables) {}

    /// Records what is computed from these on: a tensor, a variable, or a structure of them. Throws
    /// UsageError for a dtype that is not floating.
    void watch(const Value& value, Where where = Where::current());
    /// Variables that were watched, in the order of their first use.
    std::vector<Variable> watchedVariables() const { return m_tape.watchedVariables(); }

    /// The gradient of the sum of all elements of the targets with respect to each tensor or variable of
    /// `sources`, of its dtype and shape, in the structure of `sources`: a tensor, variable, vector, tuple,
    /// map or struct of tensors. Empty tensors (or zeros, see GradientOptions) where no path of watched
    /// floating values leads from a source to a target. `target` may be a structure, too.
    ///
    /// Throws UsageError when asked a second time without TapeOptions::persistent, for a target that is not
    /// floating, and for output gradients that do not fit the targets.
    template <class Sources>
    typename detail::GradientOf<Sources>::Type gradient(const Value& target, const Sources& sources,
                                                        const GradientOptions& options = {},
                                                        Where where = Where::current()) {
        return fromValue<typename detail::GradientOf<Sources>::Type>(
            gradientValue(target, Value(sources), options, where));
    }
    std::vector<Tensor> gradient(const Value& target, std::initializer_list<GradientSource> sources,
                                 const GradientOptions& options = {}, Where where = Where::current());

    /// The gradients of all elements of `target`, one after the other: shape [target..., source...] for each
    /// source, in the structure of `sources`. An empty tensor, or zeros, where the target does not depend on
    /// it. Shapes must be known. Takes as many passes as the target has elements; counts as one gradient().
    template <class Sources>
    typename detail::GradientOf<Sources>::Type jacobian(const Tensor& target, const Sources& sources,
                                                        Unconnected unconnected = Unconnected::Empty,
                                                        Where where = Where::current()) {
        return fromValue<typename detail::GradientOf<Sources>::Type>(
            jacobianValue(target, Value(sources), unconnected, where));
    }
    /// The same where row i of the target depends on row i of the source only: of a target [batch, m...] and
    /// a source [batch, n...] a tensor [batch, m..., n...], in as many passes as a row has elements.
    Tensor batchJacobian(const Tensor& target, const GradientSource& source,
                         Unconnected unconnected = Unconnected::Empty, Where where = Where::current());

    /// Nothing is recorded until the result is destroyed.
    [[nodiscard]] Pause stopRecording() { return Pause(m_tape); }
    /// Starts anew: forgets what was recorded and watched, and gives the memory back. A gradient may be asked
    /// for again.
    void reset();

private:
    Value gradientValue(const Value& target, const Value& sources, const GradientOptions& options,
                        Where where);
    std::vector<Tensor> gradientsOf(const Value& target, std::span<const GradientSource> sources,
                                    const GradientOptions& options, Where where);
    Value jacobianValue(const Tensor& target, const Value& sources, Unconnected unconnected, Where where);
    /// By source: the gradients of `count` parts of the target, of which part i has every element whose place
    /// is i modulo `count`.
    std::vector<std::vector<Tensor>> gradientsOfParts(const Tensor& target, std::int64_t count,
                                                      std::span<const GradientSource> sources, Where where);
    void requireUnused(Where where) const;
    void noteUse();

    const TapeOptions m_options;
    Tape m_tape;
    bool m_isUsed = false;
};

} // namespace retracescope::trace
