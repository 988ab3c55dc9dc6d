#include <retracescope/record/event_bytes.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace retracescope::record {

namespace {

template <class Value>
constexpr Value kLast{}; ///< enumerator
template <>
constexpr types::MissKind kLast<types::MissKind> = types::MissKind::NotExplained;
template <>
constexpr types::ComponentKind kLast<types::ComponentKind> = types::ComponentKind::Callable;
template <>
constexpr runtime::DropReason kLast<runtime::DropReason> = runtime::DropReason::Dead;

template <class Value>
concept Plain = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;

/// Appends to `bytes`, which it grows in large steps and trims when it ends.
class Writer {
public:
    explicit Writer(std::vector<std::byte>& bytes) : m_bytes(bytes), m_used(bytes.size()) {}
    ~Writer() { m_bytes.resize(m_used); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    template <Plain Value>
    void operator()(Value& value) {
        append(&value, sizeof(Value));
    }
    void operator()(std::string_view text) {
        auto size = static_cast<std::uint32_t>(text.size());
        (*this)(size);
        append(text.data(), text.size());
    }
    template <class Value>
    void operator()(std::vector<Value>& values);

private:
    void append(const void* from, std::size_t size) {
        constexpr std::size_t kStep = 512; // more than most events take
        if (m_used + size > m_bytes.size()) [[unlikely]]
            m_bytes.resize(m_used + size + std::max(kStep, m_bytes.size()));
        if (size > 0)
            std::memcpy(m_bytes.data() + m_used, from, size);
        m_used += size;
    }
    std::vector<std::byte>& m_bytes;
    std::size_t m_used;
};

/// Once something does not fit, everything reads as zero and `isBroken`.
class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    template <Plain Value>
    void operator()(Value& value) {
        const std::byte* at = take(sizeof(Value));
        if (at == nullptr)
            return;
        if constexpr (std::is_same_v<Value, bool>) {
            value = *at != std::byte{0};
        } else if constexpr (std::is_enum_v<Value>) {
            std::underlying_type_t<Value> number{};
            std::memcpy(&number, at, sizeof(Value));
            m_isBroken |= number > static_cast<std::underlying_type_t<Value>>(kLast<Value>);
            value = m_isBroken ? Value{} : static_cast<Value>(number);
        } else {
            std::memcpy(&value, at, sizeof(Value));
        }
    }
    void operator()(std::string& text) {
        std::uint32_t size = 0;
        (*this)(size);
        if (const std::byte* at = take(size))
            text.assign(reinterpret_cast<const char*>(at), size);
    }
    template <class Value>
    void operator()(std::vector<Value>& values);

    bool isWhole() const { return !m_isBroken && m_bytes.empty(); }
    bool isBroken() const { return m_isBroken; }

private:
    const std::byte* take(std::size_t size) {
        if (m_isBroken || size > m_bytes.size()) {
            m_isBroken = true;
            return nullptr;
        }
        const std::byte* at = m_bytes.data();
        m_bytes = m_bytes.subspan(size);
        return at;
    }
    std::span<const std::byte> m_bytes;
    bool m_isBroken = false;
};

// The fields of each type, once for both directions. Views are left to what owns their text.

template <class Archive, class... Fields>
void all(Archive& archive, Fields&... fields) {
    (archive(fields), ...);
}

template <class Archive>
void visit(Archive& a, types::MissKind& kind) {
    a(kind);
}
template <class Archive>
void visit(Archive& a, types::Component& c) {
    all(a, c.path, c.kind, c.value, c.open);
}
template <class Archive, class Text>
void fields(Archive& a, runtime::FunctionFacts& f, Text& name, Text& file) {
    all(a, f.function, f.parent, f.parameters, f.options, f.inputSignature, f.definedAt.line,
        f.definedAt.column, name, file);
}
template <class Archive>
void visit(Archive& a, FunctionEvent& e) {
    fields(a, e.facts, e.name, e.file);
}
template <class Archive, class Text>
void fields(Archive& a, runtime::MissFacts& f, Text& file, Text& function) {
    all(a, f.function, f.callNumber, f.at, f.request, f.requestText, f.widened, f.widenedText, f.otherKinds,
        f.calledAt.line, file, function);
}
template <class Archive>
void visit(Archive& a, MissEvent& e) {
    fields(a, e.facts, e.file, e.function);
}
template <class Archive>
void visit(Archive& a, TraceBeginEvent& e) {
    all(a, e.function, e.at);
}
template <class Archive>
void fields(Archive& a, runtime::EntryFacts& f, std::uint64_t& at) {
    all(a, f.entry, f.function, f.traceBegin, f.name, f.stored, f.storedText, f.listing, f.output, f.captures,
        f.relaxed, at);
}
template <class Archive>
void visit(Archive& a, EntryEvent& e) {
    fields(a, e.facts, e.at);
}
template <class Archive>
void visit(Archive& a, TraceEndEvent& e) {
    all(a, e.facts.function, e.facts.begin, e.facts.end, e.facts.bodyRuns, e.facts.withdrawn, e.exception);
}
template <class Archive>
void visit(Archive& a, PhaseEvent& e) {
    all(a, e.facts.function, e.facts.entry, e.facts.begin, e.facts.end, e.kind, e.name);
}
template <class Archive>
void visit(Archive& a, DropEvent& e) {
    all(a, e.entry, e.reason, e.at);
}
template <class Archive>
void visit(Archive& a, WarningEvent& e) {
    all(a, e.function, e.text, e.at);
}
template <class Archive>
void visit(Archive& a, MarkEvent& e) {
    all(a, e.text, e.at);
}

template <class Value>
void Writer::operator()(std::vector<Value>& values) {
    auto size = static_cast<std::uint32_t>(values.size());
    (*this)(size);
    for (Value& value : values)
        visit(*this, value);
}

template <class Value>
void Reader::operator()(std::vector<Value>& values) {
    std::uint32_t size = 0;
    (*this)(size);
    for (std::uint32_t i = 0; i < size && !m_isBroken; ++i)
        visit(*this, values.emplace_back());
}

template <std::size_t Index = 0>
bool readFacts(Reader& reader, std::size_t index, RareFacts& facts) {
    if constexpr (Index < std::variant_size_v<RareFacts>) {
        if (index != Index)
            return readFacts<Index + 1>(reader, index, facts);
        visit(reader, facts.emplace<Index>());
        return reader.isWhole();
    }
    return false;
}

template <class Event, std::size_t Index = 0>
constexpr std::uint8_t indexOf() {
    if constexpr (std::is_same_v<Event, std::variant_alternative_t<Index, RareFacts>>)
        return static_cast<std::uint8_t>(Index);
    else
        return indexOf<Event, Index + 1>();
}

void writeHead(Writer& writer, const ThreadIdentity& thread, std::uint8_t index) {
    auto number = thread.number;
    auto systemId = thread.systemId;
    all(writer, number, systemId, thread.name, index);
}

/// The fields are named for both directions, hence without const; writing changes nothing.
template <class Facts>
Facts& named(const Facts& facts) {
    return const_cast<Facts&>(facts);
}

} // namespace

void appendBytes(const ThreadIdentity& thread, const RareFacts& facts, std::vector<std::byte>& bytes) {
    Writer writer(bytes);
    writeHead(writer, thread, static_cast<std::uint8_t>(facts.index()));
    std::visit([&](auto& of) { visit(writer, of); }, named(facts));
}

void appendBytes(const ThreadIdentity& thread, const runtime::FunctionFacts& facts,
                 std::vector<std::byte>& bytes) {
    Writer writer(bytes);
    writeHead(writer, thread, indexOf<FunctionEvent>());
    fields(writer, named(facts), facts.name, facts.definedAt.file);
}

void appendBytes(const ThreadIdentity& thread, const runtime::MissFacts& facts,
                 std::vector<std::byte>& bytes) {
    Writer writer(bytes);
    writeHead(writer, thread, indexOf<MissEvent>());
    fields(writer, named(facts), facts.calledAt.file, facts.calledAt.function);
}

void appendBytes(const ThreadIdentity& thread, const runtime::EntryFacts& facts, std::uint64_t at,
                 std::vector<std::byte>& bytes) {
    Writer writer(bytes);
    writeHead(writer, thread, indexOf<EntryEvent>());
    fields(writer, named(facts), at);
}

std::optional<RareEvent> eventFrom(std::span<const std::byte> bytes) {
    Reader reader(bytes);
    RareEvent event;
    std::uint8_t index = 0;
    all(reader, event.thread.number, event.thread.systemId, event.thread.name, index);
    if (reader.isBroken() || !readFacts(reader, index, event.facts))
        return std::nullopt;
    return event;
}

} // namespace retracescope::record
