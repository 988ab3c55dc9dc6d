// A variable that lives outside of the function: one trace, and every call sees its present value.
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "use_external_variable.retrace");

    const rs::Variable counter(rs::constant(1.0f), {"counter"});
    rs::Function addToVariable("use_external_variable", {"x"}, [&](rs::Tensor x) {
        counter.assignAdd(x);
        return counter.read();
    });

    std::cout << "1 + 2 = " << rs::valueText(addToVariable(rs::constant(2.0f))) << '\n';
    std::cout << "3 + 4 = " << rs::valueText(addToVariable(rs::constant(4.0f))) << '\n';
    counter.assign(100.0f);
    std::cout << "assigned between two calls: " << rs::valueText(addToVariable(rs::constant(1.0f))) << '\n';
    std::cout << addToVariable.traceCount() << " trace for 3 calls\n";
}
