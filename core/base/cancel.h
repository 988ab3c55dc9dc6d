#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

namespace retracescope {

/// Asks long work to stop. Copies share the flag; any thread may request, the worker polls.
class Cancel {
public:
    Cancel() : m_flag(std::make_shared<std::atomic<bool>>(false)) {}
    void request() const { m_flag->store(true, std::memory_order_relaxed); }
    bool requested() const { return m_flag->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> m_flag;
};

/// Told by long work how far it is: share done in [0, 1], and what is being done. May be called from any
/// thread.
using Progress = std::function<void(double share, std::string_view what)>;

/// What every long operation takes: a way to stop it and, if set, somebody to tell.
struct Job {
    Cancel cancel;
    Progress progress;

    void report(double share, std::string_view what) const {
        if (progress)
            progress(share, what);
    }
};

/// Message of the Error that cancelled work returns.
inline constexpr std::string_view kCancelled = "cancelled";

} // namespace retracescope
