#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <retracescope/engine/trace/ops.h>

namespace retracescope::nn {

using tensor::Tensor;
using trace::Where;

/// What a variable of a layer starts with: a rule from shape and dtype to a tensor. Those with random numbers
/// follow from a seed alone: equal seeds and shapes give equal numbers. Without one they take the next seed
/// of the program (nextSeed()), so that layers start differently, and a program starts alike whenever it
/// runs.
///
///     DenseOptions{.kernel = Initialiser::randomNormal(0, 0.05, 7)}
///     DenseOptions{.bias = Initialiser([](const Shape& shape, DType dtype) { ... })}
class Initialiser {
public:
    using Rule = std::function<Tensor(const types::Shape& shape, types::DType dtype)>;
    using PlacedRule = std::function<Tensor(const types::Shape& shape, types::DType dtype, Where where)>;
    using Seed = std::optional<std::int64_t>;

    explicit Initialiser(Rule rule);
    /// The same with the line that asks, for the rule's own ops.
    explicit Initialiser(PlacedRule rule) : m_rule(std::move(rule)) {}

    static Initialiser zeros() { return constant(0); }
    static Initialiser ones() { return constant(1); }
    static Initialiser constant(double value);
    /// From `low` to below `high`.
    static Initialiser randomUniform(double low, double high, Seed seed = std::nullopt);
    static Initialiser randomNormal(double mean, double deviation, Seed seed = std::nullopt);
    /// Uniform up to sqrt(6 / (inputs + outputs)) both ways (Glorot and Bengio 2010), of a matrix [inputs,
    /// outputs] or filters [height, width, in, out], whose inputs are height * width * in.
    static Initialiser glorotUniform(Seed seed = std::nullopt);
    /// Normal of variance 2 / inputs (He et al. 2015), cut off at two deviations.
    static Initialiser heNormal(Seed seed = std::nullopt);

    /// A tensor of that shape, which must be known in full. Throws UsageError if the rule returns another.
    Tensor operator()(const types::Shape& shape, types::DType dtype = types::DType::Float32,
                      Where where = Where::current()) const;

private:
    PlacedRule m_rule;
};

/// 1, 2, ...: what takes the place of a seed that is not given, counted for the whole program.
std::int64_t nextSeed();

} // namespace retracescope::nn
