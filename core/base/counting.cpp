#include <retracescope/base/counting.h>

#include <chrono>
#include <mutex>
#include <thread>

#if __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace retracescope {

thread_local constinit bool CountOwner::t_isOwner = false;
constinit std::atomic<bool> CountOwner::s_isInside{false};
constinit std::atomic<bool> CountOwner::s_mustStop{false};
constinit std::atomic<bool> CountOwner::s_isShared{false};

namespace {

constinit std::mutex s_mutex;
bool s_isOwned = false;

#if __has_include(<linux/membarrier.h>)

bool barrier(int command) noexcept {
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}

bool prepareBarrier() noexcept {
    return barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/// Every other thread of the process has passed a full barrier when this returns.
void passBarrier() noexcept {
    if (barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        return;
    if (prepareBarrier() &&
        barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) // a forked child may have to say it again
        return;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(10)); // far longer than any core keeps a store to itself
}

#else

bool prepareBarrier() noexcept {
    return false;
}
void passBarrier() noexcept {}

#endif

} // namespace

bool CountOwner::stop() noexcept {
    leave();
    t_isOwner = false;
    return !s_isShared.load(std::memory_order_acquire) && claimOrShare();
}

bool CountOwner::claimOrShare() noexcept {
    const std::lock_guard lock(s_mutex);
    if (s_isShared.load(std::memory_order_relaxed))
        return false;
    if (!s_isOwned && claim())
        return true;
    s_mustStop.store(true, std::memory_order_seq_cst);
    if (s_isOwned) {
        passBarrier();
        for (int i = 0; s_isInside.load(std::memory_order_acquire); ++i)
            if (i < 100)
                std::this_thread::yield();
            else // the owner may wait for this very core
                std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    s_isShared.store(true, std::memory_order_release);
    return false;
}

bool CountOwner::claim() noexcept {
    if (!prepareBarrier())
        return false;
    // A child has only the thread that forked: no other is inside, and none will ever leave.
    pthread_atfork([] { s_mutex.lock(); }, [] { s_mutex.unlock(); },
                   [] {
                       if (!t_isOwner)
                           leave();
                       s_mutex.unlock();
                   });
    s_isOwned = true;
    t_isOwner = true;
    s_isInside.store(true, std::memory_order_relaxed);
    return true;
}

} // namespace retracescope
