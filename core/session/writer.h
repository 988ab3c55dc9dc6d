#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/base/result.h>
#include <retracescope/session/codec.h>
#include <retracescope/session/session.h>

namespace retracescope::session {

/// Rows that were written before and have learned something since.
struct ChangedRows {
    std::vector<FunctionId> functions; ///< bodyRuns
    std::vector<EntryId> entries;      ///< traceNs, state, droppedNs
    std::vector<MissId> misses;        ///< entry, exception, withdrawn, traceNs

    bool empty() const { return functions.empty() && entries.empty() && misses.empty(); }
};

/// Writes a session file piece by piece (FORMAT.md). The owner keeps one Session that grows: every append()
/// writes the rows that its tables have gained since the one before, and all events, which the owner then
/// clears. A file whose writer dies holds all appends that returned. For one thread.
class SessionWriter {
public:
    enum class Use : std::uint8_t {
        Whole,    ///< one append and close; not to be read before
        Recorded, ///< many appends; others may read meanwhile
    };

    /// Makes the file, which must not exist or be empty.
    static Result<std::unique_ptr<SessionWriter>> create(const std::filesystem::path& path, Use use,
                                                         Codec codec = Codec::Zstd);
    ~SessionWriter();
    SessionWriter(const SessionWriter&) = delete;
    SessionWriter& operator=(const SessionWriter&) = delete;

    /// One transaction. After an error nothing of this append is in the file and the writer must not be used
    /// again. With Use::Recorded, Session::recorderNote replaces the one before.
    Status append(const Session& session, const ChangedRows& changed = {}, const Job& job = {});

    /// Marks the file as complete and leaves a single file.
    Status close();

    /// After an error: the file stays as it is; as far as that can still be written, it says that nobody
    /// writes it any more.
    void abandon();

private:
    struct State;
    explicit SessionWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace retracescope::session
