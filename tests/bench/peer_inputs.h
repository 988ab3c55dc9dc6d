#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <retracescope/retracescope.h>

/// What all contenders compute with, and by what their results are compared (README.md).
namespace bench {

namespace rs = retracescope;

/// Element i is the fractional part of i * 0.618... + seed * 0.3717, less a half, times `scale`.
std::vector<float> values(std::int64_t count, int seed, float scale = 1.0f);

/// Those values as a tensor of `shape`.
rs::Tensor input(const rs::Shape& shape, int seed, float scale = 1.0f);

/// The same numbers with the axes from [a, b, c, d] to another order: permuted(x, ..., {0, 2, 3, 1}) makes
/// channels the last axis.
rs::Tensor permuted(const std::vector<float>& x, const std::vector<std::int64_t>& sizes,
                    const std::vector<std::size_t>& order);

/// Mean absolute value, summed in double.
double check(const rs::Tensor& result);

/// Which of `count` signatures are called after each other: in turn, or 8,192 of them at random.
std::vector<std::size_t> callOrder(std::size_t count, bool random);

} // namespace bench
