#include <retracescope/engine/trace/tracing_lock.h>

namespace retracescope::trace {

std::recursive_mutex& tracingLock() {
    static std::recursive_mutex mutex;
    return mutex;
}

std::uint64_t& tracingTicks() {
    thread_local std::uint64_t spent = 0;
    return spent;
}

} // namespace retracescope::trace
