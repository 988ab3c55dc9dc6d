// Varying lengths: exact traces, relaxed ones, and why a host number beside them spoils it.
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "relaxing.retrace");

    const auto report = [](const auto& function) {
        std::cout << function.name() << ": " << function.traceCount() << " traces\n"
                  << function.signatures(false);
    };
    const auto sumOfSquares = [](rs::Tensor x) { return rs::reduceSum(rs::square(x)); };
    rs::FunctionOptions relaxing;
    relaxing.reduceRetracing = true;

    rs::Function exact("exact", {"x"}, sumOfSquares);
    rs::Function relaxed("relaxed", {"x"}, sumOfSquares, relaxing);
    for (const std::int64_t length : {2, 3, 4, 5, 2}) {
        exact(rs::ones({length}));
        relaxed(rs::ones({length}));
    }
    report(exact);
    report(relaxed); // [2], then [None]; the last call gets the exact [2]

    rs::Function withNumber(
        "relaxed_with_number", {"x", "step"}, [](rs::Tensor x, int step) { return rs::reduceSum(x) * step; },
        relaxing);
    withNumber(rs::ones({2}), 1);
    withNumber(rs::ones({3}), 2); // a number never relaxes, and each new one starts exact
    withNumber(rs::ones({4}), 2);
    withNumber(rs::ones({5}), 3);
    report(withNumber);
}
