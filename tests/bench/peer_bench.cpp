// The engine as a contender of a side-by-side measurement: see README.md.
#include <filesystem>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include <retracescope/retracescope.h>

#include "tests/bench/peer_cases.h"

int main(int argc, char** argv) {
    bench::PeerOptions options;
    if (!bench::parse(argc, argv, options))
        return 2;
    const auto session =
        std::filesystem::temp_directory_path() / fmt::format("peer_bench_{}.retrace", getpid());
    std::optional<retracescope::Recorder> recorder;
    if (options.recorder)
        recorder.emplace(session, retracescope::RecorderOptions{.keepSource = false});
    retracescope::setRetracingHandler([](const retracescope::RetracingWarning&) {}); // retracing is the work
    bench::PeerDriver driver(options);
    bench::addCallCases(driver);
    bench::addKernelCases(driver);
    driver.serve();
    if (recorder) {
        recorder.reset();
        std::filesystem::remove(session);
    }
}
