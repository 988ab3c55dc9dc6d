#include <retracescope/engine/trace/eager_switch.h>

namespace retracescope::trace {

void runFunctionsEagerly(bool on) {
    detail::runsFunctionsEagerly.store(on, std::memory_order_relaxed);
}

} // namespace retracescope::trace
