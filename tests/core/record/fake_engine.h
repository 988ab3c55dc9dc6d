#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <retracescope/engine/runtime/observer.h>

/// Speaks to the observer as the engine does: announces functions, misses, traces, entries, calls.
namespace retracescope::test {

class FakeFunction {
public:
    explicit FakeFunction(std::string name, std::string file = "example.cpp");

    /// A call whose argument `x` is of this shape; the first of each shape traces for `traceTicks`. `inside`
    /// runs during the trace, as a call of another function would.
    void call(int length, const std::vector<FakeFunction*>& inside = {});

    /// Calls of a shape that is traced already.
    void hit(int length, std::uint32_t times = 1);

    /// A call whose trace fails.
    void fail(int length, const std::string& message);

    runtime::EntryKey entryOf(int length) const;
    void drop(int length, runtime::DropReason reason);

private:
    void announce(runtime::Observer& observer);
    std::vector<types::Component> request(int length) const;
    void miss(runtime::Observer& observer, int length);

    struct Traced {
        int length;
        runtime::EntryKey entry;
    };

    std::string m_name;
    std::string m_file;
    runtime::FunctionKey m_key;
    std::uint32_t m_generation = 0;
    std::uint32_t m_calls = 0;
    std::uint32_t m_bodyRuns = 0;
    std::vector<Traced> m_traced;
};

} // namespace retracescope::test
