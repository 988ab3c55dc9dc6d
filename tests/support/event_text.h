#pragma once

#include <string>
#include <utility>
#include <vector>

#include <retracescope/engine/runtime/observer.h>

namespace retracescope::test {

/// Listens to the engine while it lives and writes what it hears as text, one event per line, without times:
/// ids are counted from 1 in order of appearance.
class EventText final : public runtime::Observer {
public:
    EventText() : m_before(runtime::setObserver(this)) {}
    ~EventText() override { runtime::setObserver(m_before); }

    const std::string& text() const { return m_text; }
    std::string takeText() { return std::exchange(m_text, {}); }

    void onFunction(const runtime::FunctionFacts& facts) override;
    void onMiss(const runtime::MissFacts& facts) override;
    void onTraceBegin(runtime::FunctionKey function, std::uint64_t at) override;
    void onEntry(const runtime::EntryFacts& facts) override;
    void onTraceEnd(const runtime::TraceFacts& facts) override;
    void onPhase(const runtime::PhaseFacts&) override {}
    void onDrop(runtime::EntryKey entry, runtime::DropReason reason, std::uint64_t at) override;
    void onWarning(runtime::FunctionKey function, std::string_view text, std::uint64_t at) override;
    void onCall(const runtime::CallFacts& facts) noexcept override;

private:
    struct Heard {
        runtime::EntryKey key;
        runtime::FunctionKey function;
        std::string name;
        std::vector<types::Component> stored;
        bool isDropped = false;
    };

    std::string nameOf(runtime::FunctionKey function) const;
    std::string nameOfEntry(runtime::EntryKey entry) const;

    runtime::Observer* m_before;
    std::vector<std::pair<runtime::FunctionKey, std::string>> m_functions;
    std::vector<Heard> m_entries;
    std::string m_text;
};

} // namespace retracescope::test
