// A traced function that calls another: the inner one is traced once and then served from its own cache.
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "dense_layer.retrace");

    rs::Function addBias("add_bias", {"values", "bias"}, [](rs::Tensor values, rs::Tensor bias) {
        std::cout << "  tracing add_bias\n";
        return values + bias;
    });
    rs::Function denseLayer("dense_layer", {"x", "weights", "bias"},
                            [&](rs::Tensor x, rs::Tensor weights, rs::Tensor bias) {
                                std::cout << "  tracing dense_layer\n";
                                return rs::relu(addBias(rs::matmul(x, weights), bias));
                            });

    const rs::Tensor weights = rs::constant({{1.0f, 0.0f, -1.0f}, {0.0f, 1.0f, 1.0f}});
    const rs::Tensor bias = rs::constant({0.5f, -0.5f, 0.0f});
    const rs::Tensor x = rs::constant({{1.0f, 2.0f}, {3.0f, 4.0f}});

    const auto show = [](const char* what, const rs::Tensor& result) {
        std::cout << what << ": " << rs::valueText(result) << '\n';
    };
    show("outer call", denseLayer(x, weights, bias));
    show("outer again", denseLayer(x, weights, bias));
    show("inner call of the same types", addBias(rs::ones({2, 3}), bias));
    std::cout << "dense_layer: " << denseLayer.traceCount() << " trace, add_bias: " << addBias.traceCount()
              << " trace\n";
}
