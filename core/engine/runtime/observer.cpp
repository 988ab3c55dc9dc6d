#include <retracescope/engine/runtime/observer.h>

namespace retracescope::runtime {

namespace detail {
constinit std::atomic<Observer*> currentObserver{nullptr};
constinit std::atomic<Observer*> currentNodeObserver{nullptr};
constinit std::atomic<std::uint32_t> observerGeneration{0};
} // namespace detail

Observer* setObserver(Observer* observer) {
    detail::currentNodeObserver.store(nullptr, std::memory_order_release);
    Observer* before = detail::currentObserver.exchange(observer, std::memory_order_acq_rel);
    detail::observerGeneration.fetch_add(1, std::memory_order_acq_rel);
    if (observer && observer->wantsNodes())
        detail::currentNodeObserver.store(observer, std::memory_order_release);
    return before;
}

} // namespace retracescope::runtime
