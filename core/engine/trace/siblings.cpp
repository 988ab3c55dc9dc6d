#include <retracescope/engine/trace/siblings.h>

namespace retracescope::trace {

Siblings& siblings() {
    static Siblings all;
    return all;
}

} // namespace retracescope::trace
