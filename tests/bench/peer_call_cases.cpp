#include <array>
#include <memory>
#include <tuple>
#include <utility>

#include <benchmark/benchmark.h>

#include "tests/bench/peer_cases.h"
#include "tests/bench/peer_inputs.h"

namespace bench {

namespace {

using rs::Tensor;

/// Work that calls a traced function again and again.
template <class Call>
Work repeated(Call call) {
    Work work;
    work.loop = [call = std::move(call)](std::size_t times) mutable {
        for (std::size_t i = 0; i < times; ++i)
            benchmark::DoNotOptimize(call());
    };
    return work;
}

template <std::size_t>
using TensorAt = Tensor;

/// A function that returns its tensors.
template <std::size_t... I>
Work identityOf(std::index_sequence<I...>) {
    rs::Function same("same", {("x" + std::to_string(I))...},
                      [](TensorAt<I>... x) { return std::tuple(x...); });
    std::array<Tensor, sizeof...(I)> inputs{input({4}, static_cast<int>(I) + 1)...};
    return repeated([same, inputs] { return same(inputs[I]...); });
}

template <std::size_t Count>
void addIdentity(PeerDriver& driver) {
    driver.add("D1.identity", "k" + std::to_string(Count), [] {
        if constexpr (Count == 1) {
            rs::Function same("same", {"x"}, [](Tensor x) { return x; });
            return repeated([same, x = input({4}, 1)] { return same(x); });
        } else {
            return identityOf(std::make_index_sequence<Count>());
        }
    });
}

Work identityOfShapes(std::size_t shapes, bool random) {
    rs::Function same("same", {"x"}, [](Tensor x) { return x; });
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < shapes; ++i) {
        inputs.push_back(input({static_cast<std::int64_t>(i) + 1}, 1));
        same(inputs.back());
    }
    return repeated([same, inputs, order = callOrder(shapes, random), next = std::size_t{0}]() mutable {
        const Tensor& x = inputs[order[next]];
        next = next + 1 == order.size() ? 0 : next + 1;
        return same(x);
    });
}

/// `ops` ops in a row that a compiler could fuse.
Tensor chain(Tensor x, int ops, float factor) {
    for (int i = 0; i < ops; ++i) {
        switch (i % 4) {
        case 0:
            x = x + x;
            break;
        case 1:
            x = x * factor;
            break;
        case 2:
            x = rs::tanh(x);
            break;
        default:
            x = -x;
        }
    }
    return x;
}

/// A new function and an unseen shape each time; nothing runs.
Work traceChain(int ops) {
    Work work = repeated([ops, number = 0]() mutable {
        rs::Function traced("chain", {"x"}, [ops](Tensor x) { return chain(x, ops, 0.5f); });
        const rs::Shape shape{4 + ++number % 1000};
        return traced.concrete(rs::TensorSpec{rs::DType::Float32, shape, {}}).outputCount();
    });
    work.per = ops;
    work.note = "per op: trace, passes and plan of a new function; not run";
    return work;
}

Work firstCallOfShape() {
    rs::Function traced("chain", {"x"}, [](Tensor x) { return chain(x, 10, 0.5f); });
    Work work = repeated([traced, size = 4]() mutable { return traced(rs::ones({++size})); });
    work.note = "10-op chain, unseen shape";
    return work;
}

Work firstCallOfCode() {
    Work work = repeated([number = 0]() mutable {
        const float factor = 0.5f + 1e-6f * static_cast<float>(++number);
        rs::Function traced("chain", {"x"}, [factor](Tensor x) { return chain(x, 10, factor); });
        return traced(rs::ones({16}));
    });
    work.note = "10-op chain with a new constant";
    return work;
}

Tensor runningSums(Tensor x, int count) {
    for (int i = 0; i < count; ++i)
        x = rs::cumSum(x);
    return x;
}

Work runningSumsOf(int count) {
    rs::Function traced("sums", {"x"}, [count](Tensor x) { return runningSums(x, count); });
    const Tensor x = input({4}, 1, 1e-3f);
    Work work = repeated([traced, x] { return traced(x); });
    work.check = check(traced(x));
    return work;
}

Work joinedSums() {
    rs::Function traced("join", {"x", "y"},
                        [](Tensor x, Tensor y) { return runningSums(x, 50) + runningSums(y, 50); });
    const Tensor x = input({4}, 1, 1e-3f);
    const Tensor y = input({4}, 2, 1e-3f);
    Work work = repeated([traced, x, y] { return traced(x, y); });
    work.check = check(traced(x, y));
    return work;
}

Work stagedLoop(int trips) {
    rs::Function traced("loop", {"x"}, [trips](Tensor x) {
        const auto [end, last] = rs::whileLoop(
            [trips](Tensor at, Tensor) { return at < trips; },
            [](Tensor at, Tensor so) { return std::tuple(at + 1, so + 1.0f); }, std::tuple(0, x));
        return last;
    });
    const Tensor x = rs::zeros({1});
    Work work = repeated([traced, x] { return traced(x); });
    work.check = check(traced(x));
    work.per = trips;
    work.note = "per trip";
    return work;
}

} // namespace

void addCallCases(PeerDriver& driver) {
    addIdentity<1>(driver);
    addIdentity<2>(driver);
    addIdentity<4>(driver);
    addIdentity<16>(driver);
    for (const std::size_t shapes : {1, 8, 64, 1024})
        driver.add("D2.signatures", "S" + std::to_string(shapes),
                   [shapes] { return identityOfShapes(shapes, false); });
    driver.add("D2.signatures", "S1024r", [] { return identityOfShapes(1024, true); });
    driver.add("D3.alternate", "2shapes", [] {
        rs::Function same("same", {"x"}, [](Tensor x) { return x; });
        return repeated([same, inputs = std::array{input({4}, 1), input({5}, 1)}, next = 0u]() mutable {
            return same(inputs[next++ % 2]);
        });
    });
    for (const int ops : {10, 100, 1000})
        driver.add("D4.trace", "n" + std::to_string(ops), [ops] { return traceChain(ops); });
    driver.add("D5.first_call", "shape", &firstCallOfShape);
    driver.add("D5.first_call", "code", &firstCallOfCode);
    for (const int count : {1, 10, 100, 1000})
        driver.add("E1.cumsum", "n" + std::to_string(count), [count] { return runningSumsOf(count); });
    driver.add("E2.join", "2x50", &joinedSums);
    driver.add("E3.while", "t10000", [] { return stagedLoop(10000); });
}

} // namespace bench
