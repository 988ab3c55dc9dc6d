#pragma once

#include <cstdio>
#include <functional>
#include <mutex>
#include <utility>

namespace retracescope::trace {

/// Who is told of warnings of one kind, which toText() writes; without a handler a line goes to stderr.
template <class Warning>
class WarningHandler {
public:
    using Handler = std::function<void(const Warning&)>;

    /// Returns the one before.
    static Handler set(Handler next) {
        Place& now = place();
        const std::lock_guard lock(now.mutex);
        return std::exchange(now.handler, std::move(next));
    }

    static void tell(const Warning& warning) {
        Handler told;
        {
            Place& now = place();
            const std::lock_guard lock(now.mutex);
            told = now.handler;
        }
        if (told)
            told(warning);
        else
            std::fprintf(stderr, "warning: %s\n", toText(warning).c_str());
    }

private:
    struct Place {
        std::mutex mutex;
        Handler handler;
    };
    static Place& place() {
        static auto* one = new Place; // functions of static life may trace late
        return *one;
    }
};

} // namespace retracescope::trace
