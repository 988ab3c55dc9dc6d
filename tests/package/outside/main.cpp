// Records a few calls: usage: outside SESSION_FILE. Exit code 0 if the function was traced as often as it
// should be.
#include <iostream>

#define CHECK(condition) ((condition) ? 0 : 1) // a program's own, as of a test framework

#include <retracescope/eigen.h>
#include <retracescope/retracescope.h>

namespace rs = retracescope;

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: outside SESSION_FILE\n";
        return 2;
    }
    int traces = 0;
    rs::Function scale("scale", {"x", "factor"}, [&](rs::Tensor x, rs::Tensor factor) {
        ++traces;
        return x * factor;
    });
    {
        rs::Recorder recorder(argv[1]);
        scale(rs::constant({1.0f, 2.0f}), rs::constant(3.0f));
        scale(Eigen::Vector2f(4.0f, 5.0f), rs::constant(2.0f));
        scale(rs::constant({1.0f, 2.0f, 3.0f}), rs::constant(2.0f));
    }
    std::cout << traces << " traces\n";
    return CHECK(traces == 2);
}
