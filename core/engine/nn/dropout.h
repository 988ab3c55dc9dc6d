#pragma once

#include <retracescope/engine/nn/initialiser.h>
#include <retracescope/engine/trace/random.h>

namespace retracescope::nn {

/// While training, sets each element to 0 with probability `rate` and divides the others by 1 - rate;
/// otherwise returns x. Which elements depends on the seed and on the number of the draw, eager and traced
/// alike; without a seed see nextSeed(). Make it outside of traced functions: its generator is a variable.
/// Copies share it.
class Dropout {
public:
    /// Throws UsageError for a rate outside of 0 to below 1.
    explicit Dropout(double rate, Initialiser::Seed seed = std::nullopt, Where where = Where::current());

    /// A host bool is part of a signature: two traces, of which the one without training draws nothing.
    Tensor operator()(const Tensor& x, bool training, Where where = Where::current()) const;
    /// A bool scalar: one trace, decided when it runs.
    Tensor operator()(const Tensor& x, const Tensor& training, Where where = Where::current()) const;

private:
    double m_rate;
    trace::Generator m_generator;
};

} // namespace retracescope::nn
