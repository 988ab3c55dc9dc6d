#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/base/cancel.h>
#include <retracescope/importers/chrome_event.h>
#include <retracescope/session/session.h>

namespace retracescope::importers {

/// Turns the events of a Chrome trace into a session, one after the other, by the counting rules that
/// `rscope info --json` is held to.
class ChromeTables {
public:
    ChromeTables();
    ~ChromeTables();

    void add(const ChromeEvent& event);

    std::int64_t elements() const;

    /// Elements that are events: objects with a phase.
    std::int64_t events() const;

    /// True if the categories seen are those that PyTorch's profiler writes.
    bool looksLikeKineto() const;

    /// Pairs begins with ends, orders and nests the spans, names the lanes. The tables are empty afterwards.
    /// Nothing if the job was cancelled.
    std::optional<session::Session> finish(const Job& job);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace retracescope::importers
