#include <memory>
#include <tuple>

#include <benchmark/benchmark.h>

#include "tests/bench/peer_cases.h"
#include "tests/bench/peer_inputs.h"

namespace bench {

namespace {

using rs::Tensor;

/// A function of tensors on fixed arguments.
template <class Body, class... Inputs>
Work computed(Body body, double bytes, double flops, const Inputs&... inputs) {
    std::vector<rs::ParameterName> names;
    for (std::size_t i = 0; i < sizeof...(Inputs); ++i)
        names.emplace_back("x" + std::to_string(i));
    rs::Function traced("work", names, std::move(body));
    Work work;
    work.bytes = bytes;
    work.flops = flops;
    work.check = check(traced(inputs...));
    work.loop = [traced, ... x = inputs](std::size_t times) {
        for (std::size_t i = 0; i < times; ++i)
            benchmark::DoNotOptimize(traced(x...));
    };
    return work;
}

Tensor tenOps(Tensor a, Tensor b, Tensor c) {
    Tensor t = a * b;
    t = t + c;
    t = t - a;
    t = t * 0.5f;
    t = t + b;
    t = t * c;
    t = t + a;
    t = t * b;
    t = t - c;
    return t * 0.25f;
}

Tensor gelu(Tensor x) {
    return 0.5f * x * (1.0f + rs::erf(x * 0.70710678f));
}

Tensor layerNorm(Tensor x) {
    const Tensor centred = x - rs::reduceMean(x, {-1}, true);
    const Tensor variance = rs::reduceMean(rs::square(centred), {-1}, true);
    return centred * rs::rsqrt(variance + 1e-5f);
}

void addElementwise(PeerDriver& driver) {
    for (const int power : {2, 10, 16, 20, 24}) {
        const std::int64_t n = std::int64_t{1} << power;
        driver.add("F1.chain10", "2^" + std::to_string(power), [n] {
            return computed(&tenOps, 16.0 * static_cast<double>(n), 0, input({n}, 1), input({n}, 2),
                            input({n}, 3));
        });
    }
    for (const int power : {16, 24}) {
        const std::int64_t n = std::int64_t{1} << power;
        const double bytes = 8.0 * static_cast<double>(n);
        driver.add("F2.gelu", "2^" + std::to_string(power),
                   [n, bytes] { return computed(&gelu, bytes, 0, input({n}, 1, 4.0f)); });
        driver.add("F2.tanh", "2^" + std::to_string(power), [n, bytes] {
            return computed([](Tensor x) { return rs::tanh(x); }, bytes, 0, input({n}, 1, 4.0f));
        });
    }
    constexpr double kRowBytes = 8.0 * 512 * 1024;
    driver.add("F2.softmax", "512x1024", [] {
        return computed([](Tensor x) { return rs::softmax(x); }, kRowBytes, 0, input({512, 1024}, 1, 4.0f));
    });
    driver.add("F2.layernorm", "512x1024", [] {
        return computed(&layerNorm, kRowBytes, 0, input({512, 1024}, 1, 4.0f));
    });
    driver.add("F3.bias_relu_t", "2048", [] {
        return computed([](Tensor x, Tensor bias) { return rs::relu(rs::transpose(x) + bias); },
                        8.0 * 2048 * 2048, 0, input({2048, 2048}, 1), input({2048}, 2));
    });
}

void addProducts(PeerDriver& driver) {
    struct Product {
        const char* size;
        std::int64_t m, k, n;
    };
    const auto flops = [](std::int64_t m, std::int64_t k, std::int64_t n) {
        return 2.0 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n);
    };
    for (const Product& p :
         {Product{"64", 64, 64, 64}, Product{"256", 256, 256, 256}, Product{"512", 512, 512, 512},
          Product{"1024", 1024, 1024, 1024}, Product{"4096x64x64", 4096, 64, 64}})
        driver.add("G1.gemm", p.size, [=] {
            return computed([](Tensor a, Tensor b) { return rs::matmul(a, b); }, 0, flops(p.m, p.k, p.n),
                            input({p.m, p.k}, 1), input({p.k, p.n}, 2));
        });
    for (const std::int64_t n : {256, 1024})
        driver.add("G2.gemm_bias_relu", std::to_string(n), [=] {
            return computed([](Tensor a, Tensor b, Tensor bias) { return rs::relu(rs::matmul(a, b) + bias); },
                            0, flops(n, n, n), input({n, n}, 1), input({n, n}, 2), input({n}, 3));
        });
}

/// Inputs are made as [batch, channel, height, width] and [out, in, height, width]; ours have channels last.
void addConvolutions(PeerDriver& driver) {
    struct Convolution {
        const char* size;
        std::int64_t batch, in, side, out, filter;
        bool isDepthwise;
    };
    for (const Convolution& c : {Convolution{"3x3_64_56_b1", 1, 64, 56, 64, 3, false},
                                 Convolution{"3x3_64_56_b8", 8, 64, 56, 64, 3, false},
                                 Convolution{"1x1_256_14_b8", 8, 256, 14, 256, 1, false},
                                 Convolution{"dw3x3_64_56_b8", 8, 64, 56, 64, 3, true}})
        driver.add("G3.conv", c.size, [=] {
            const std::int64_t perOutput = c.isDepthwise ? 1 : c.in;
            const Tensor x = permuted(values(c.batch * c.in * c.side * c.side, 1),
                                      {c.batch, c.in, c.side, c.side}, {0, 2, 3, 1});
            const std::vector<float> filters = values(c.out * perOutput * c.filter * c.filter, 2);
            const std::vector<std::int64_t> sizes{c.out, perOutput, c.filter, c.filter};
            const double flops = 2.0 * static_cast<double>(c.batch * c.out * c.side * c.side * perOutput *
                                                           c.filter * c.filter);
            const rs::Window window{.edges = rs::WindowEdges::Same};
            if (c.isDepthwise)
                return computed(
                    [window](Tensor image, Tensor f) { return rs::depthwiseConv2d(image, f, window); }, 0,
                    flops, x, permuted(filters, sizes, {2, 3, 0, 1}));
            return computed([window](Tensor image, Tensor f) { return rs::conv2d(image, f, window); }, 0,
                            flops, x, permuted(filters, sizes, {2, 3, 1, 0}));
        });
}

/// 784-256-10 with softmax cross-entropy: forward, gradient by a tape, plain gradient descent.
Work trainingStep(std::int64_t batch) {
    constexpr std::int64_t kIn = 784;
    constexpr std::int64_t kHidden = 256;
    constexpr std::int64_t kOut = 10;
    constexpr float kRate = 0.05f;
    const auto initial = [] {
        return std::vector{input({kIn, kHidden}, 2, 0.1f), rs::zeros({kHidden}),
                           input({kHidden, kOut}, 3, 0.1f), rs::zeros({kOut})};
    };
    std::vector<rs::Variable> weights;
    for (const Tensor& value : initial())
        weights.emplace_back(value);
    rs::Function step("step", {"x", "labels"}, [weights](Tensor x, Tensor labels) {
        rs::GradientTape tape;
        const Tensor hidden = rs::relu(rs::matmul(x, weights[0].read()) + weights[1]);
        const Tensor logits = rs::matmul(hidden, weights[2].read()) + weights[3];
        const Tensor loss = rs::reduceMean(rs::sparseCrossEntropyWithLogits(labels, logits));
        const std::vector<Tensor> slopes = tape.gradient(loss, weights);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i].assignSub(slopes[i] * kRate);
        return loss;
    });
    std::vector<std::int32_t> labels(static_cast<std::size_t>(batch));
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels[i] = static_cast<std::int32_t>((i * 7 + 3) % kOut);
    const Tensor x = input({batch, kIn}, 1);
    const Tensor y = rs::constant(labels, {batch});
    Work work;
    for (int i = 0; i < 10; ++i)
        work.check = static_cast<double>(step(x, y).scalar<float>());
    const std::vector<Tensor> anew = initial();
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i].assign(anew[i]);
    work.flops = 2.0 * static_cast<double>(batch * (3 * kHidden * kOut + 2 * kIn * kHidden));
    work.loop = [step, x, y](std::size_t times) {
        for (std::size_t i = 0; i < times; ++i)
            benchmark::DoNotOptimize(step(x, y).scalar<float>());
    };
    return work;
}

} // namespace

void addKernelCases(PeerDriver& driver) {
    addElementwise(driver);
    addProducts(driver);
    addConvolutions(driver);
    for (const std::int64_t batch : {32, 1024})
        driver.add("M.mlp_step", "b" + std::to_string(batch), [batch] { return trainingStep(batch); });
}

} // namespace bench
