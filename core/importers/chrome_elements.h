#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/importers/chrome_event.h>
#include <retracescope/importers/json_scan.h>

namespace retracescope::importers {

/// Decodes the elements of an array of trace events with simdjson, a quarter of a megabyte at a time, so that
/// memory does not grow with the file. `take` gets every element in file order.
class ChromeElements {
public:
    using Take = std::function<void(const ChromeEvent&)>;

    explicit ChromeElements(Take take);
    ~ChromeElements();

    /// Queues an element that `scan` found well-formed.
    void add(std::string_view element, const JsonValueScan& scan);

    /// Decodes what is queued.
    void flush();

    /// What the user has to be told about the elements added so far.
    std::vector<std::string> warnings() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace retracescope::importers
