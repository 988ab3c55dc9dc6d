// Records calls and traces of a function with constants and a variable from one thread. Exit code 1 if the
// drainer has counted references to tensors meanwhile: from then on every call of the program counts locked.
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <retracescope/base/counting.h>
#include <retracescope/record/recorder.h>
#include <retracescope/retracescope.h>

int main(int, char** arguments) {
    using namespace retracescope;
    const Variable scale(constant(3.0f));
    const Tensor table = range(200.0f); // a capture, not a constant of the graph
    Function f("f", {"x"}, [&](Tensor x) { return reduceSum(x * scale + 1.0f) + reduceSum(table); });
    Recorder recorder(std::string(arguments[1]) + "/owned.retrace");
    for (int size = 1; size < 20; ++size) {
        for (int i = 0; i < 200; ++i)
            f(zeros({size}));
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // let it drain
    }
    recorder.close();
    return CountOwner::isShared() ? 1 : 0;
}
