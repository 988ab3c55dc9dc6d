// What the kill test records and kills: calls without end, told on the standard output as "<time, ns> <calls
// made> <time its threads have waited for a processor, ns>".
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include <retracescope/base/clock.h>
#include <retracescope/record/recorder.h>

#include "tests/core/record/fake_engine.h"

namespace {

long long waitedForProcessorNs() {
    long long sum = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        long long ran = 0;
        long long waited = 0;
        if (std::ifstream(thread.path() / "schedstat") >> ran >> waited)
            sum += waited;
    }
    return sum;
}

} // namespace

int main(int, char** arguments) {
    using namespace retracescope;
    Recorder recorder(arguments[1]);
    test::FakeFunction f("f");
    long long calls = 0;
    for (int length = 2;; ++length) {
        f.call(length % 40);
        f.hit(length % 40, 50);
        calls += 51;
        std::printf("%lld %lld %lld\n", static_cast<long long>(monotonicNs()), calls, waitedForProcessorNs());
        std::fflush(stdout);
        std::this_thread::sleep_for(
            std::chrono::microseconds(200)); // about 200 000 calls a second: nothing is dropped
    }
}
