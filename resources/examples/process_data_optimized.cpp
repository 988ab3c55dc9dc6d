// An input signature and a bool tensor with cond: four calls, one trace.
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "process_data_optimized.retrace");

    rs::FunctionOptions options;
    options.inputSignature = {rs::TensorSpec{rs::DType::Float32, {rs::Shape::kUnknown}, "x"},
                              rs::TensorSpec{rs::DType::Bool, {}, "use_extra_feature"}};
    rs::Function processData(
        "process_data_optimized", {"x", "use_extra_feature"},
        [](rs::Tensor x, rs::Tensor useExtraFeature) {
            std::cout << "  tracing process_data_optimized\n";
            rs::Tensor y = x * 2.0f;
            return rs::cond(
                useExtraFeature, [&] { return y + 10.0f; }, [&] { return y; });
        },
        options);

    const auto show = [](const char* what, const rs::Tensor& result) {
        std::cout << what << ": " << rs::toText(result) << '\n';
    };
    show("first call", processData(rs::constant({1.0f, 2.0f}), rs::constant(false)));
    show("the bool changed", processData(rs::constant({3.0f, 4.0f}), rs::constant(true)));
    show("another shape", processData(rs::constant({5.0f, 6.0f, 7.0f}), rs::constant(false)));
    show("both changed", processData(rs::constant({8.0f}), rs::constant(true)));
    std::cout << processData.traceCount() << " trace for 4 calls\n";

    try {
        processData(rs::constant({1, 2}), rs::constant(true));
    } catch (const rs::UsageError& error) {
        std::cout << "an int32 tensor is refused: " << error.what() << '\n';
    }
}
