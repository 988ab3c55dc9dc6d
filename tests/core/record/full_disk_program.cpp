// Records into a folder where files cannot grow beyond 300 kB, as on a full disk: full.retrace fails, the
// program goes on, and next.retrace, begun before the failed recorder is closed, gets 400 calls. Exit code 1
// if nothing failed.
#include <chrono>
#include <csignal>
#include <string>
#include <sys/resource.h>
#include <thread>

#include <retracescope/record/recorder.h>

#include "tests/core/record/fake_engine.h"

int main(int, char** arguments) {
    using namespace retracescope;
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300'000, 300'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string folder = arguments[1];
    test::FakeFunction f("f");
    Recorder full(folder + "/full.retrace");
    f.call(2);
    for (int i = 0; i < 100 && full.failure().empty(); ++i) {
        f.hit(2, 20'000);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    f.hit(2, 1000); // nobody listens any more
    const bool failed = !full.failure().empty();
    Recorder next(folder + "/next.retrace");
    for (int i = 0; i < 20; ++i) {
        f.hit(2, 10);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    full.mark("nobody's");
    full.close();
    f.hit(2, 200);
    next.close();
    return failed ? 0 : 1;
}
