// Gradients through traced functions to variables: a tape makes no further traces.
#include <iostream>

#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    const rs::Recorder recorder(argc > 1 ? argv[1] : "gradient_through_add.retrace");

    const rs::Variable v(rs::constant(1.0f), {"v"});
    const rs::Variable w(rs::constant(5.0f), {"w"});
    rs::Function add("add", {"a", "b"}, [](rs::Variable a, rs::Tensor b) {
        std::cout << "  tracing add\n";
        return a + b;
    });
    rs::Function addTwice("add_twice", {"b"}, [&](rs::Tensor b) {
        std::cout << "  tracing add_twice\n";
        return add(v, add(v, b)); // a call of a traced function in the graph of another
    });

    const rs::Tensor one = rs::constant(1.0f);
    const auto show = [&](const char* what, const auto& function, const rs::Variable& with) {
        rs::GradientTape tape; // watches variables by itself
        const rs::Tensor result = function();
        const rs::Tensor slope = tape.gradient(result * result, with);
        std::cout << what << " = " << rs::valueText(result) << ", its square changes by "
                  << rs::valueText(slope) << '\n';
    };
    const rs::Tensor two = add(v, one);
    std::cout << "v + 1 = " << rs::valueText(two) << ", without a tape\n";
    show(
        "v + 1", [&] { return add(v, one); }, v); // a hit
    show(
        "w + 1", [&] { return add(w, one); }, w); // a hit, too: which variable it is does not count
    show(
        "v + (v + 1)", [&] { return addTwice(one); }, v);
    std::cout << "add: " << add.traceCount() << " trace, add_twice: " << addTwice.traceCount() << " trace\n";
}
