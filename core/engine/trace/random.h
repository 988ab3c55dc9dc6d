#pragma once

#include <initializer_list>

#include <retracescope/engine/trace/ops.h>
#include <retracescope/engine/trace/variable.h>

/// Random numbers that follow from a seed alone: the same eager and traced, on every machine (up to rounding
/// where they are made with functions such as log).
namespace retracescope::trace {

/// The sizes of what is drawn: {2, 3}, a known shape, or a vector of int32 or int64 that may be symbolic.
class Extent {
public:
    Extent(std::initializer_list<std::int64_t> sizes, Where where = Where::current());
    Extent(const types::Shape& shape, Where where = Where::current());
    Extent(const Tensor& sizes, Where where = Where::current()) : m_sizes(sizes), m_where(where) {}

    const Tensor& sizes() const { return m_sizes; }
    Where where() const { return m_where; }

private:
    Tensor m_sizes;
    Where m_where;
};

// The seed is two integers (int32[2] or int64[2]): equal seeds give equal numbers.

/// From `low` up to below `high`; float32 or float64.
Tensor statelessUniform(const Extent& extent, const Tensor& seed, double low = 0, double high = 1,
                        types::DType dtype = types::DType::Float32);
Tensor statelessNormal(const Extent& extent, const Tensor& seed, double mean = 0, double deviation = 1,
                       types::DType dtype = types::DType::Float32);
/// Of the normal distribution, but never further than two deviations from the mean.
Tensor statelessTruncatedNormal(const Extent& extent, const Tensor& seed, double mean = 0,
                                double deviation = 1, types::DType dtype = types::DType::Float32);
/// Integers from `low` to below `high`; any integer dtype that holds both.
Tensor statelessIntegers(const Extent& extent, const Tensor& seed, std::int64_t low, std::int64_t high,
                         types::DType dtype = types::DType::Int64);
/// The slices of the first axis in another order.
Tensor statelessShuffle(const Tensor& x, const Tensor& seed, Where where = Where::current());
/// Each element 0 with probability `rate` (from 0 to below 1), else divided by 1 - rate. Floating.
Tensor statelessDropout(const Tensor& x, double rate, const Tensor& seed, Where where = Where::current());

/// A source of random numbers with state. The state is a variable: drawing inside a traced function is an
/// effect in program order, so every run draws further numbers; a generator with the same seed draws the same
/// ones, eager or traced. Made while a function is traced it follows the rule of variables. Copies share the
/// state; threads that draw at the same time may draw the same numbers.
class Generator {
public:
    explicit Generator(std::int64_t seed, Where where = Where::current());

    Tensor uniform(const Extent& extent, double low = 0, double high = 1,
                   types::DType dtype = types::DType::Float32) const;
    Tensor normal(const Extent& extent, double mean = 0, double deviation = 1,
                  types::DType dtype = types::DType::Float32) const;
    Tensor truncatedNormal(const Extent& extent, double mean = 0, double deviation = 1,
                           types::DType dtype = types::DType::Float32) const;
    Tensor integers(const Extent& extent, std::int64_t low, std::int64_t high,
                    types::DType dtype = types::DType::Int64) const;
    Tensor shuffle(const Tensor& x, Where where = Where::current()) const;
    Tensor dropout(const Tensor& x, double rate, Where where = Where::current()) const;

    /// A seed that no other draw has: what a stateless op takes.
    Tensor nextSeed(Where where = Where::current()) const;
    /// Starts over with that seed.
    void reset(std::int64_t seed, Where where = Where::current()) const;
    /// Seed and number of draws so far, int64[2].
    const Variable& state() const { return m_state; }

private:
    Variable m_state;
};

// Without a generator of their own, from one that the whole process shares.

/// Starts that one over: the draws that follow are the same after the same seed, eager and traced ones
/// counted together in the order they run. Until it is called, every process draws other numbers. It is no
/// part of a signature: functions do not trace again. (tf.random.set_seed, with one sequence for all ops.)
void setSeed(std::int64_t seed, Where where = Where::current());

/// The generator behind them.
const Generator& defaultGenerator();

Tensor randomUniform(const Extent& extent, double low = 0, double high = 1,
                     types::DType dtype = types::DType::Float32);
Tensor randomNormal(const Extent& extent, double mean = 0, double deviation = 1,
                    types::DType dtype = types::DType::Float32);
Tensor randomTruncatedNormal(const Extent& extent, double mean = 0, double deviation = 1,
                             types::DType dtype = types::DType::Float32);
Tensor randomIntegers(const Extent& extent, std::int64_t low, std::int64_t high,
                      types::DType dtype = types::DType::Int64);
Tensor randomShuffle(const Tensor& x, Where where = Where::current());
/// As statelessDropout().
Tensor dropout(const Tensor& x, double rate, Where where = Where::current());

} // namespace retracescope::trace
