#pragma once

namespace retracescope::trace {

class Tape;

/// While alive, the tapes that lived before do not record on this thread: a trace is seen as the call that it
/// is made for, and what leaves a trace is seen by nobody. Tapes begun meanwhile end with it.
class HiddenTapes {
public:
    HiddenTapes() noexcept;
    ~HiddenTapes();
    HiddenTapes(const HiddenTapes&) = delete;
    HiddenTapes& operator=(const HiddenTapes&) = delete;

private:
    Tape* m_hidden = nullptr;
};

} // namespace retracescope::trace
