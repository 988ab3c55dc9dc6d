// A host bool, another shape and another dtype each make a new trace.
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "process_data.retrace");

    int bodyRuns = 0;                                               // counted by host code: once per trace
    const rs::Variable executions(rs::constant(0), {"executions"}); // counted by the graph: once per call

    rs::Function processData("process_data", {"x", "use_extra_feature"},
                             [&](rs::Tensor x, bool useExtraFeature) {
                                 ++bodyRuns;
                                 executions.assignAdd(1);
                                 std::cout << "  tracing process_data\n";
                                 rs::Tensor y = x * 2;
                                 return useExtraFeature ? y + 10 : y;
                             });

    const auto show = [](const char* what, const rs::Tensor& result) {
        std::cout << what << ": " << rs::toText(result) << '\n';
    };
    show("first call", processData(rs::constant({1.0f, 2.0f}), false));
    show("the bool changed", processData(rs::constant({3.0f, 4.0f}), true));
    show("as the first", processData(rs::constant({5.0f, 6.0f}), false));
    show("another shape", processData(rs::constant({7.0f, 8.0f, 9.0f}), false));
    show("another dtype", processData(rs::constant({1, 2}), false));

    std::cout << "calls: " << rs::valueText(executions.read()) << " executions, " << bodyRuns
              << " body runs, " << processData.tracingCount() << " concrete functions\n";
}
