#include <retracescope/engine/runtime/call_slots.h>
#include <retracescope/engine/runtime/observer.h>

#include <deque>
#include <mutex>

namespace retracescope::runtime {

namespace detail {
constinit std::atomic<const Installation*> currentInstallation{nullptr};
thread_local constinit CallSlots* lentSlots = nullptr;
} // namespace detail

Observer* setObserver(Observer* observer) {
    static std::mutex mutex;
    static auto* const all = new std::deque<Installation>;
    const std::lock_guard lock(mutex);
    const Installation* next = nullptr;
    if (observer != nullptr) {
        const auto generation = static_cast<std::uint32_t>(all->size() + 1);
        next = &all->emplace_back(Installation{observer, generation, observer->wantsNodes()});
    }
    const Installation* before = detail::currentInstallation.exchange(next, std::memory_order_acq_rel);
    return before == nullptr ? nullptr : before->observer;
}

} // namespace retracescope::runtime
