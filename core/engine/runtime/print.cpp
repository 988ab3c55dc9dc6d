#include <retracescope/engine/runtime/print.h>

#include <atomic>
#include <cstdio>
#include <string>

#include <retracescope/engine/tensor/text.h>

namespace retracescope::runtime {

namespace {

void writeToStandardError(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stderr);
}

std::atomic<PrintSink> currentSink{&writeToStandardError};

} // namespace

PrintSink setPrintSink(PrintSink sink) {
    return currentSink.exchange(sink ? sink : &writeToStandardError);
}

void printLine(std::string_view text, std::span<const tensor::Tensor> values) {
    std::string line(text);
    for (const tensor::Tensor& value : values) {
        if (!line.empty())
            line += ' ';
        const bool isText = value.dtype() == types::DType::String && value.elements() == 1;
        line += isText ? value.strings()[0] : tensor::valueText(value);
    }
    line += '\n';
    currentSink.load()(line);
}

} // namespace retracescope::runtime
