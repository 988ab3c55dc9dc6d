// Polymorphism: one function, a concrete function for each dtype.
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "double_it.retrace");

    rs::Function doubleIt("double_it", {"a"}, [](rs::Tensor a) {
        std::cout << "  tracing with " << rs::toText(a) << '\n';
        return a + a;
    });

    std::cout << rs::valueText(doubleIt(rs::constant(1))) << '\n';
    std::cout << rs::valueText(doubleIt(rs::constant(1.1f))) << '\n';
    std::cout << rs::valueText(doubleIt(rs::constant("a"))) << '\n';
    std::cout << rs::valueText(doubleIt(rs::constant("b"))) << '\n'; // served by the trace of "a"

    std::cout << doubleIt.tracingCount() << " concrete functions:\n\n" << doubleIt.signatures();
}
