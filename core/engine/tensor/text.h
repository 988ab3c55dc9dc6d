#pragma once

#include <string>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::tensor {

/// The elements of an eager tensor: 2.2, "aa", [1, 2], [[1, 2], [3, 4]]; strings in quotes. Axes longer than
/// `edge` * 2 of a tensor with more than 1,000 elements show their first and last `edge` entries; 0 shows
/// all. Numbers have as many digits as it takes to read back the same bits.
std::string valueText(const Tensor& tensor, std::int64_t edge = 3);

/// In quotes, with a backslash before quotes and backslashes, and line breaks as \n.
std::string quoted(std::string_view text);

/// "float32[2] [1, 2]", "float32[None] symbolic", "empty".
std::string toText(const Tensor& tensor);

} // namespace retracescope::tensor
