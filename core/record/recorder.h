#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>

#include <retracescope/base/check.h>

namespace retracescope::record {

struct RecorderOptions {
    bool keepSource = true; ///< puts the text of the files that define and call functions into the session
    bool nodeTimes = false; ///< notes when each node of each graph ran; costs a time stamp per node
    /// Longest time until an event is in the file; at most 50 ms.
    std::chrono::milliseconds flushInterval{40};
    /// Slots of 32 bytes that each thread has, a power of two; a call takes one, a traced one two.
    std::size_t ringRecords = 32 * 1024;
};

/// Thrown by Recorder's constructor if the file cannot be made. Later failures never reach the recorded
/// program.
class RecorderError : public UsageError {
public:
    using UsageError::UsageError;
};

/// Writes a session of everything that the engine's functions do in this process, on any thread, from
/// construction to close. One at a time; what a forked child does is not in it, but a recorder of its own may
/// record that. A program that is killed leaves a file that opens and holds
/// everything but the last tenth of a second.
class Recorder {
public:
    /// Replaces a session of that name; never another kind of file, or one that another process records.
    /// Throws RecorderError if the file cannot be written, UsageError if there is a recorder already or an
    /// option makes no sense.
    explicit Recorder(std::filesystem::path path, RecorderOptions options = {},
                      std::source_location where = std::source_location::current());
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Notes a point in time under a name of the user's. Does nothing once the recording has stopped.
    void mark(std::string_view text);

    /// Ends the recording and completes the file. Calls that still run on other threads are safe, but not in
    /// it. Calling it again does nothing.
    void close();

    /// Why recording stopped before its end ("disk full"), or empty. Also printed once, to the standard
    /// error.
    std::string failure() const;

    const std::filesystem::path& path() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace retracescope::record

namespace retracescope {
using record::Recorder;
using record::RecorderError;
using record::RecorderOptions;
} // namespace retracescope
