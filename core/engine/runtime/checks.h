#pragma once

#include <span>
#include <string_view>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

/// Throws UsageError "[assert] text: values" unless the first input, a bool scalar, is true; the values are
/// the inputs behind it.
void requireTrue(std::string_view text, std::span<const tensor::Tensor> inputs);

/// Throws UsageError that names `text` and says how many NaNs and infinities `x`, of a floating dtype, holds,
/// if it holds any.
void requireNumbers(std::string_view text, const tensor::Tensor& x);

/// While on, every graph that is compiled gets a check behind each floating result
/// (passes/check_numerics.h), and each floating op that runs eagerly is checked, too. Graphs compiled before
/// stay as they are. For the whole process; off at first. Returns what it was.
bool enableCheckNumerics(bool on);
bool checksNumerics();

} // namespace retracescope::runtime
