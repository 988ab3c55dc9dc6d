#include "tests/bench/json_lines.h"

#include <cstdio>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

namespace {

class JsonLines : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context& context) override {
        nlohmann::ordered_json line;
        line["cpus"] = context.cpu_info.num_cpus;
        line["load"] = context.cpu_info.load_avg;
        print(line);
        return true;
    }

    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            nlohmann::ordered_json line;
            line["name"] = run.benchmark_name();
            if (run.error_occurred) {
                line["error"] = run.error_message;
            } else {
                const double toNs = 1e9 / benchmark::GetTimeUnitMultiplier(run.time_unit);
                line["real_ns"] = run.GetAdjustedRealTime() * toNs;
                line["cpu_ns"] = run.GetAdjustedCPUTime() * toNs;
                line["iterations"] = run.iterations;
                for (const auto& [name, counter] : run.counters)
                    line[name] = counter.value;
            }
            print(line);
        }
    }

private:
    static void print(const nlohmann::ordered_json& line) {
        std::puts(line.dump().c_str());
        std::fflush(stdout);
    }
};

} // namespace

int runBenchmarks(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    JsonLines reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::Shutdown();
    return 0;
}
