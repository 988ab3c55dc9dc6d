// What a hit costs on the caller: the lookup alone, and a whole call of a graph that returns its argument
// (lookup, run, result), for 2 and 4 tensors, without and with a recorder.
#include <filesystem>
#include <optional>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

namespace {

using rs::Tensor;

const std::vector<Tensor>& inputs() {
    static const std::vector<Tensor> tensors{rs::ones({2, 2}), rs::ones({2}), rs::ones({3}), rs::ones({})};
    return tensors;
}

auto first2() {
    return rs::Function("first_of_2", {"a", "b"}, [](Tensor a, Tensor) { return a; });
}

auto first4() {
    return rs::Function("first_of_4", {"a", "b", "c", "d"},
                        [](Tensor a, Tensor, Tensor, Tensor) { return a; });
}

/// From the arguments to who serves them, as Function's call operator does it.
template <class... T>
const rs::trace::Served* find(const rs::trace::FunctionCore& core, const T&... tensors) {
    const std::array words{tensors.typeWord()...};
    return core.find(std::span(words));
}

void lookUp2(benchmark::State& state) {
    const auto function = first2();
    function(inputs()[0], inputs()[1]);
    for (auto _ : state)
        benchmark::DoNotOptimize(find(function.core(), inputs()[0], inputs()[1]));
}

void lookUp4(benchmark::State& state) {
    const auto function = first4();
    function(inputs()[0], inputs()[1], inputs()[2], inputs()[3]);
    for (auto _ : state)
        benchmark::DoNotOptimize(find(function.core(), inputs()[0], inputs()[1], inputs()[2], inputs()[3]));
}

/// `live` signatures in turn: the hash table instead of the two keys last used.
void lookUpAmong(benchmark::State& state) {
    const auto function = first2();
    std::vector<Tensor> shapes;
    for (std::int64_t size = 0; size < state.range(0); ++size) {
        shapes.push_back(rs::ones({size}));
        function(shapes.back(), inputs()[1]);
    }
    std::size_t next = 0;
    for (auto _ : state) {
        next = (next * 5 + 3) % shapes.size();
        benchmark::DoNotOptimize(find(function.core(), shapes[next], inputs()[1]));
    }
}

class Recording {
public:
    explicit Recording(bool on)
        : m_path(std::filesystem::temp_directory_path() /
                 fmt::format("dispatch_bench_{}.retrace", getpid())) {
        if (on)
            m_recorder.emplace(m_path);
    }
    ~Recording() {
        m_recorder.reset();
        std::filesystem::remove(m_path);
    }

private:
    std::filesystem::path m_path;
    std::optional<rs::Recorder> m_recorder;
};

void call2(benchmark::State& state, bool recorded) {
    const Recording recording(recorded);
    const auto function = first2();
    function(inputs()[0], inputs()[1]);
    for (auto _ : state)
        benchmark::DoNotOptimize(function(inputs()[0], inputs()[1]));
}

void call4(benchmark::State& state, bool recorded) {
    const Recording recording(recorded);
    const auto function = first4();
    function(inputs()[0], inputs()[1], inputs()[2], inputs()[3]);
    for (auto _ : state)
        benchmark::DoNotOptimize(function(inputs()[0], inputs()[1], inputs()[2], inputs()[3]));
}

/// The same tensors as one list.
void callList4(benchmark::State& state, bool recorded) {
    const Recording recording(recorded);
    const rs::Function function("first_of_list", {"items"},
                                [](std::vector<Tensor> items) { return items[0]; });
    const std::vector<Tensor> items(inputs().begin(), inputs().begin() + 4);
    function(items);
    for (auto _ : state)
        benchmark::DoNotOptimize(function(items));
}

BENCHMARK(lookUp2);
BENCHMARK(lookUp4);
BENCHMARK(lookUpAmong)->Arg(64)->Arg(1024);
BENCHMARK_CAPTURE(call2, recorder_off, false);
BENCHMARK_CAPTURE(call2, recorder_on, true);
BENCHMARK_CAPTURE(call4, recorder_off, false);
BENCHMARK_CAPTURE(call4, recorder_on, true);
BENCHMARK_CAPTURE(callList4, recorder_off, false);
BENCHMARK_CAPTURE(callList4, recorder_on, true);

} // namespace
