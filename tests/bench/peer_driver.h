#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// The protocol by which a program takes part in a side-by-side measurement (README.md): commands come on the
/// standard input, answers are JSON objects, one per line, on the standard output.
namespace bench {

/// What a case does once it is made.
struct Work {
    std::function<void(std::size_t)> loop; ///< does it so many times
    double per = 1;                        ///< a call counts as so many operations
    double bytes = 0;                      ///< per call, inputs and outputs once; 0 if that means nothing
    double flops = 0;                      ///< per call; 0 if that means nothing
    double check = 0;                      ///< mean |output|, or a loss: equal for all who do the same work
    std::string note;
};

/// One thing to measure.
struct Case {
    std::string bench; ///< "F1.chain10"
    std::string size;  ///< "2^16"
    std::function<Work()> make;
};

/// Options of the command line; unknown ones are refused by parse().
struct PeerOptions {
    std::string contender = "retracescope";
    int threads = 1;       ///< written into the answers: the engine computes on the caller's thread
    bool recorder = false; ///< measure with a recorder on
};

/// Returns false and prints to the standard error if the arguments are none of --contender NAME, --threads N
/// and --recorder.
bool parse(int argc, char** argv, PeerOptions& options);

/// Answers commands until "quit" or the end of the input: "list", and "run BENCH SIZE SECONDS".
class PeerDriver {
public:
    explicit PeerDriver(PeerOptions options) : m_options(std::move(options)) {}

    void add(std::string bench, std::string size, std::function<Work()> make) {
        m_cases.push_back({std::move(bench), std::move(size), std::move(make)});
    }
    void serve();

private:
    std::string listed() const;
    std::string run(std::string_view bench, std::string_view size, double seconds);
    std::string measured(const Case& which, double seconds);

    const PeerOptions m_options;
    std::vector<Case> m_cases;
    const Case* m_current = nullptr; ///< whose work is kept for the next round
    Work m_work;
};

} // namespace bench
