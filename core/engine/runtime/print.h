#pragma once

#include <span>
#include <string_view>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

/// Where print writes a line, its line break included. Null restores standard error. Returns the one before.
using PrintSink = void (*)(std::string_view line);
PrintSink setPrintSink(PrintSink sink);

/// "loss: 0.25 [1, 2]": the text, then the values; a string scalar without quotes.
void printLine(std::string_view text, std::span<const tensor::Tensor> values);

} // namespace retracescope::runtime
