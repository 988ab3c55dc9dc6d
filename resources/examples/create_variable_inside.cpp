// A variable created on every call: the body runs twice, then the call fails, and leaves nothing behind.
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "create_variable_inside.retrace");

    rs::Function addToNewVariable("create_variable_inside", {"x"}, [](rs::Tensor x) {
        const rs::Variable counter(rs::constant(1.0f), {"counter"}); // made anew each time the body runs
        counter.assignAdd(x);
        return counter.read();
    });

    for (int call = 1; call <= 2; ++call) {
        try {
            addToNewVariable(rs::constant(2.0f));
        } catch (const rs::UsageError& error) {
            std::cout << "call " << call << " failed: " << error.what() << '\n';
        }
        std::cout << "  so far: " << addToNewVariable.bodyRuns() << " body runs, "
                  << addToNewVariable.failedTraceCount() << " failed traces, "
                  << addToNewVariable.tracingCount() << " concrete functions\n";
    }
}
