#include <retracescope/importers/chrome_importer.h>

#include <fmt/format.h>

#include <retracescope/importers/chrome_elements.h>
#include <retracescope/importers/chrome_tables.h>
#include <retracescope/importers/identify.h>
#include <retracescope/importers/json_scan.h>
#include <retracescope/importers/proto_kind.h>

namespace retracescope::importers {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kNoEvents = "the trace holds no events";
constexpr std::size_t kPollBytes = 1024 * 1024;

std::size_t firstCharacter(std::string_view text) {
    std::size_t at = 0;
    while (text.substr(at).starts_with(kByteOrderMark))
        at += kByteOrderMark.size();
    return skipBlanks(text, at);
}

/// Walks the document around the events: the array itself, or the keys of the object that holds it.
class ChromeReader {
public:
    ChromeReader(const Peek& peek, const Job& job) : m_peek(peek), m_text(peek.all), m_job(job) {}

    Result<session::Session> read() {
        m_at = firstCharacter(m_text);
        m_isArray = m_text[m_at] == '[';
        const bool isWhole = m_isArray ? readEvents() : readObject();
        if (m_job.cancel.requested())
            return Error{std::string(kCancelled)};
        if (auto refusal = refuse())
            return *refusal;
        if (isWhole)
            noteTrailing();
        return finish();
    }

private:
    /// From '[' to behind ']'. False if it breaks or is cut.
    bool readEvents() {
        ++m_at;
        m_tables = std::make_unique<ChromeTables>(); // a doubled key traceEvents counts with its last value
        m_elements =
            std::make_unique<ChromeElements>([this](const ChromeEvent& event) { m_tables->add(event); });
        bool commaWanted = false;
        std::int64_t oddCommas = 0;
        for (std::size_t nextPoll = m_at;;) {
            if (m_at >= nextPoll) {
                if (m_job.cancel.requested())
                    return false;
                m_job.report(static_cast<double>(m_at) / static_cast<double>(m_text.size()),
                             "reading events");
                nextPoll = m_at + kPollBytes;
            }
            m_at = skipBlanks(m_text, m_at);
            if (m_at >= m_text.size())
                return stop("the file ends inside the array of events", true);
            const char c = m_text[m_at];
            if (c == ',' || c == ']') {
                oddCommas += !commaWanted && (c == ',' || m_queued > 0);
                ++m_at;
                commaWanted = false;
                if (c == ',')
                    continue;
                break;
            }
            oddCommas += commaWanted;
            const JsonValueScan scan = scanJsonValue(m_text, m_at);
            if (!scan.problem.empty())
                return stopInside(scan);
            m_elements->add(m_text.substr(m_at, scan.end - m_at), scan);
            ++m_queued;
            m_at = scan.end;
            commaWanted = true;
        }
        m_elements->flush();
        if (oddCommas > 0)
            m_warnings.push_back(fmt::format("{} commas between events are missing or too many", oddCommas));
        return true;
    }

    /// From '{' to behind '}'. False if it breaks or is cut.
    bool readObject() {
        ++m_at;
        m_at = skipBlanks(m_text, m_at);
        if (m_at < m_text.size() && m_text[m_at] == '}') {
            ++m_at;
            return true;
        }
        while (!m_job.cancel.requested()) {
            std::string_view key;
            if (!readKey(key))
                return resumeAtEvents("a key");
            if (key == "traceEvents") {
                if (!readTraceEvents())
                    return false;
            } else if (!readOtherValue(key)) {
                return resumeAtEvents(fmt::format("the value of {}", key));
            }
            m_at = skipBlanks(m_text, m_at);
            if (m_at >= m_text.size() || (m_text[m_at] != ',' && m_text[m_at] != '}'))
                return resumeAtEvents("a comma or the closing brace");
            if (m_text[m_at++] == '}')
                return true;
        }
        return false;
    }

    bool readKey(std::string_view& key) {
        m_at = skipBlanks(m_text, m_at);
        if (m_at >= m_text.size() || m_text[m_at] != '"')
            return false;
        const JsonValueScan scan = scanJsonValue(m_text, m_at);
        if (!scan.problem.empty())
            return false;
        key = m_text.substr(m_at + 1, scan.end - m_at - 2);
        m_at = skipBlanks(m_text, scan.end);
        if (m_at >= m_text.size() || m_text[m_at] != ':')
            return false;
        m_at = skipBlanks(m_text, m_at + 1);
        return true;
    }

    bool readTraceEvents() {
        m_hasTraceEvents = true;
        if (m_at >= m_text.size())
            return stop("the file ends behind the key traceEvents", true);
        if (m_text[m_at] == '[')
            return readEvents();
        const JsonValueScan scan = scanJsonValue(m_text, m_at);
        m_wrongTraceEvents = m_text[m_at] == '"'   ? "a string"
                             : m_text[m_at] == '{' ? "an object"
                             : m_text[m_at] == 'n' ? "null"
                                                   : "no array";
        m_at = scan.end;
        return scan.problem.empty();
    }

    bool readOtherValue(std::string_view key) {
        const JsonValueScan scan = scanJsonValue(m_text, m_at);
        if (!scan.problem.empty()) {
            m_break = scan;
            return false;
        }
        constexpr std::size_t kKeysToName = 12;
        constexpr std::size_t kLongestValue = 200;
        if (m_keys.size() < kKeysToName)
            m_keys.emplace_back(key, m_text.substr(m_at, std::min(scan.end - m_at, kLongestValue)));
        m_isKineto = m_isKineto || key == "deviceProperties" || key == "schemaVersion";
        m_at = scan.end;
        return true;
    }

    /// The object breaks. If its events are still to come, they are read all the same.
    bool resumeAtEvents(std::string_view wanted) {
        const std::size_t broken = m_at;
        if (!m_hasTraceEvents) {
            const std::size_t key = m_text.find("\"traceEvents\"", m_at);
            const std::size_t events = key == std::string_view::npos ? key : m_text.find('[', key);
            if (events != std::string_view::npos) {
                m_hasTraceEvents = true;
                m_at = events;
                readEvents();
            }
        }
        return stop(fmt::format("the JSON object breaks at byte {}, where {} is expected", broken, wanted),
                    broken >= m_text.size() || m_break.cut);
    }

    bool stopInside(const JsonValueScan& scan) {
        m_elements->flush();
        if (scan.cut)
            return stop(fmt::format("the file ends inside event {}", m_queued + 1), true);
        return stop(fmt::format("the JSON breaks at byte {} inside event {}: {}", scan.end, m_queued + 1,
                                scan.problem),
                    false);
    }

    bool stop(std::string problem, bool cut) {
        if (m_elements)
            m_elements->flush();
        if (!m_problem.empty())
            return false;
        m_problem = std::move(problem);
        m_isCut = cut;
        return false;
    }

    std::optional<Error> refuse() const {
        const std::string file = m_peek.path.filename().string();
        if (!m_wrongTraceEvents.empty() && !m_tables)
            return Error{fmt::format("{}: traceEvents is {}, but an array of events is needed", file,
                                     m_wrongTraceEvents)};
        if (!m_isArray && m_hasTraceEvents)
            return std::nullopt;
        const std::int64_t elements = m_tables ? m_tables->elements() : 0;
        if (m_isArray &&
            ((m_tables && m_tables->events() > 0) || (elements == 0 && (m_problem.empty() || m_isCut))))
            return std::nullopt;
        return describeJson({.file = file,
                             .text = m_text,
                             .keys = m_keys,
                             .elements = elements,
                             .problem = m_problem,
                             .isArray = m_isArray,
                             .hasMore = skipBlanks(m_text, m_at) < m_text.size()});
    }

    void noteTrailing() {
        const std::size_t rest = skipBlanks(m_text, m_at);
        if (rest >= m_text.size())
            return;
        const std::size_t last = m_text.find_last_not_of(" \t\r\n");
        m_warnings.push_back(
            fmt::format("{} characters behind the end of the trace are ignored", last + 1 - rest));
    }

    Result<session::Session> finish() {
        if (!m_tables)
            m_tables = std::make_unique<ChromeTables>();
        const bool isKineto = m_isKineto || m_tables->looksLikeKineto();
        const std::int64_t kept = m_tables->events();
        m_job.report(1.0, "nesting spans");
        auto session = m_tables->finish(m_job);
        if (!session)
            return Error{std::string(kCancelled)};
        session::ImportFacts& facts = session->imported;
        facts.format = isKineto ? "kineto" : "chrome trace";
        if (!m_problem.empty())
            facts.warnings.insert(facts.warnings.begin(),
                                  fmt::format("{}; {} complete events are kept", m_problem, kept));
        facts.warnings.insert(facts.warnings.end(), m_warnings.begin(), m_warnings.end());
        if (m_elements) {
            const auto more = m_elements->warnings();
            facts.warnings.insert(facts.warnings.end(), more.begin(), more.end());
        }
        if (facts.events == 0)
            facts.warnings.emplace_back(kNoEvents);
        if (session->functions.empty())
            session->facts.push_back(
                {"not_recorded", "functions",
                 "no calls of traced functions are known from the file (TensorFlow's profiler writes them "
                 "as tf_function_call)"});
        return std::move(*session);
    }

    const Peek& m_peek;
    std::string_view m_text;
    const Job& m_job;
    std::size_t m_at = 0;
    bool m_isArray = false;
    bool m_hasTraceEvents = false;
    bool m_isKineto = false;
    bool m_isCut = false;
    std::int64_t m_queued = 0;
    std::string_view m_wrongTraceEvents;
    JsonValueScan m_break;
    std::string m_problem;
    std::vector<std::string> m_warnings;
    std::vector<JsonKey> m_keys;
    std::unique_ptr<ChromeTables> m_tables;
    std::unique_ptr<ChromeElements> m_elements;
};

} // namespace

bool acceptsJson(const Peek& peek) {
    // A message whose first field is 91 or 123 bytes long begins with a line break and a bracket, too.
    if (peek.all[0] == '\n' || peek.all.substr(1).starts_with('\0')) {
        std::string problem;
        const ProtoKind kind = protoKind(peek.all, problem);
        if (kind != ProtoKind::None && kind != ProtoKind::Unknown)
            return false;
    }
    const std::size_t at = firstCharacter(peek.all);
    return at < peek.all.size() && (peek.all[at] == '{' || peek.all[at] == '[');
}

Result<session::Session> readChrome(const Peek& peek, const Job& job) {
    return ChromeReader(peek, job).read();
}

} // namespace retracescope::importers
