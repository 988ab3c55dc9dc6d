// A large convolution, eager and traced: as slow either way, since the time goes into one op.
#include <chrono>
#include <cstdlib>
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

namespace {

/// Of one call, in milliseconds.
template <class Work>
double meanTime(const Work& work) {
    constexpr int kCalls = 3;
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < kCalls; ++call)
        work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
           kCalls;
}

} // namespace

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "convolution.retrace");
    const bool isSmall = std::getenv("RETRACESCOPE_SMALL_EXAMPLES") != nullptr; // for tests
    const std::int64_t side = isSmall ? 20 : 200;

    const rs::nn::Conv2D layer(100, 3);
    rs::Function convolve("convolve", {"image"}, [&](rs::Tensor image) {
        std::cout << "  tracing convolve\n";
        return layer(image);
    });

    const rs::Tensor image = rs::zeros({1, side, side, 100});
    layer(image); // makes the layer's variables
    const rs::Tensor made = convolve(image);
    std::cout << "of " << rs::toText(image.type()) << " it makes " << rs::toText(made.type()) << '\n';
    // Times go to the error stream: they differ from run to run.
    std::clog << "eager:  " << meanTime([&] { layer(image); }) << " ms a call\n";
    std::clog << "traced: " << meanTime([&] { convolve(image); }) << " ms a call\n";
    std::cout << convolve.traceCount() << " trace\n";
}
