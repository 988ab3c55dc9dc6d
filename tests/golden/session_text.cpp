#include "tests/golden/session_text.h"

#include <fmt/format.h>

#include <retracescope/session/compared.h>

namespace retracescope::test {

namespace {

using namespace session;

class Writer {
public:
    explicit Writer(const Session& session) : m_session(session), m_index(buildIndex(session)) {}

    std::string write() {
        for (const Function& function : m_session.functions)
            line("function {}({}){}{}, {} body runs", text(function.name), text(function.parameters),
                 after(" ", function.options), after(" signature ", function.inputSignature),
                 function.bodyRuns);
        for (const Miss& miss : m_session.misses)
            writeMiss(miss);
        for (std::size_t row = 0; row < m_session.calls.size(); ++row)
            writeCall(row);
        for (const Entry& entry : m_session.entries)
            line("{} {}: {} -> {}{}, {} captures", nameOf(entry), stateName(entry.state),
                 text(m_session[entry.signature].text), text(entry.output), entry.relaxed ? " (relaxed)" : "",
                 entry.captureCount);
        return std::move(m_text);
    }

private:
    void writeMiss(const Miss& miss) {
        std::string kinds;
        for (const types::MissKind kind : miss.otherKinds)
            kinds += fmt::format(" {}", types::missKindName(kind));
        line("miss {} call {}:{}{}", text(m_session[miss.function].name), miss.callNumber, kinds,
             miss.withdrawn                                              ? " withdrawn"
             : miss.exception.isValid() && !text(miss.exception).empty() ? " failed"
                                                                         : "");
        for (const EntryId compared : comparedWith(m_session, m_index, miss))
            for (const types::Difference& difference : differencesTo(m_session, miss, compared))
                line("  {} differs in {} {}: {} -> {}", nameOf(m_session[compared]),
                     types::missKindName(difference.kind), difference.path, difference.before,
                     difference.after);
        if (miss.widened.isValid())
            line("  widened to {}", text(m_session[miss.widened].text));
    }

    void writeCall(std::size_t row) {
        static constexpr std::string_view kOutcomes[]{"hit", "traced", "eager", "error", "unknown"};
        const EntryId entry = m_session.calls.entry[row];
        line("call {} {}: {}{}", text(m_session[m_session.calls.function[row]].name),
             m_session.calls.number[row], kOutcomes[static_cast<std::size_t>(m_session.calls.outcome[row])],
             entry.isValid() ? " " + nameOf(m_session[entry]) : "");
    }

    std::string nameOf(const Entry& entry) const {
        return fmt::format("{} #{}", text(m_session[entry.function].name), entry.number);
    }

    static std::string_view stateName(EntryState state) {
        return state == EntryState::Alive ? "alive" : state == EntryState::Cleared ? "cleared" : "gone";
    }

    /// `lead` and the text, or nothing if the text is empty.
    std::string after(std::string_view lead, StringId id) const {
        return text(id).empty() ? std::string() : fmt::format("{}{}", lead, text(id));
    }

    std::string_view text(StringId id) const { return m_session.text(id); }

    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        m_text += fmt::format(format, std::forward<Args>(args)...) + "\n";
    }

    const Session& m_session;
    const Index m_index;
    std::string m_text;
};

} // namespace

std::string eventText(const session::Session& session) {
    return Writer(session).write();
}

} // namespace retracescope::test
