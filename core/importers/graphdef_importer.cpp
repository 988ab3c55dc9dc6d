#include <retracescope/importers/graphdef_importer.h>

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

#include <retracescope/importers/graphdef_graph.h>
#include <retracescope/importers/graphdef_text.h>
#include <retracescope/importers/proto_kind.h>
#include <retracescope/importers/wire.h>

namespace retracescope::importers {

using session::StringId;

namespace {

/// `__inference_<python name>_<number>`: one trace of a Python function.
struct TraceName {
    std::string_view function;
    std::uint64_t number = 0;
};

std::optional<TraceName> parseTraceName(std::string_view name) {
    constexpr std::string_view kPrefix = "__inference_";
    const std::size_t end = name.rfind('_');
    if (!name.starts_with(kPrefix) || end <= kPrefix.size())
        return std::nullopt;
    TraceName result;
    result.function = name.substr(kPrefix.size(), end - kPrefix.size());
    const std::string_view number = name.substr(end + 1);
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), result.number);
    if (number.empty() || error != std::errc() || stop != number.data() + number.size())
        return std::nullopt;
    return result;
}

/// A trace in the library, with the arguments it was traced for.
struct Trace {
    std::uint64_t number = 0;
    StringId name;
    session::GraphId graph;
    session::Signature signature;
    std::string output;
};

std::string_view lastText(const graph_def::ArgumentAttributes& attributes, std::string_view key) {
    for (const auto& attr : attributes.attr()) {
        if (attr.key() == key)
            return attr.value().s();
    }
    return {};
}

/// Shape of argument `i` if the function notes it.
const graph_def::Shape* argumentShape(const graph_def::Function& function, int i) {
    for (const auto& entry : function.arg_attr()) {
        if (static_cast<int>(entry.key()) != i)
            continue;
        for (const auto& attr : entry.value().attr()) {
            if (attr.key() == "_output_shapes" && attr.value().list().shape_size() > 0)
                return &attr.value().list().shape(0);
        }
    }
    for (const auto& attr : function.attr()) {
        if (attr.key() == "_input_shapes" && attr.value().list().shape_size() > i)
            return &attr.value().list().shape(i);
    }
    return nullptr;
}

std::string argumentName(const graph_def::Function& function, int i) {
    for (const auto& entry : function.arg_attr()) {
        if (static_cast<int>(entry.key()) == i) {
            const std::string_view name = lastText(entry.value(), "_user_specified_name");
            if (!name.empty())
                return plainText(name);
        }
    }
    return plainText(function.signature().input_arg(i).name());
}

session::Signature signatureOf(const graph_def::Function& function, session::StringPool& strings) {
    using types::ComponentKind;
    session::Signature signature;
    std::string text = "(";
    for (int i = 0; i < function.signature().input_arg_size(); ++i) {
        const std::string name = argumentName(function, i);
        const std::string dtype = dtypeText(function.signature().input_arg(i).type());
        const graph_def::Shape* shape = argumentShape(function, i);
        signature.components.push_back({name + ".dtype", ComponentKind::Dtype, dtype, false});
        if (shape != nullptr && shape->unknown_rank()) {
            signature.components.push_back({name + ".rank", ComponentKind::Rank, "None", true});
        } else if (shape != nullptr) {
            signature.components.push_back(
                {name + ".rank", ComponentKind::Rank, fmt::format("{}", shape->dim_size()), false});
            for (int axis = 0; axis < shape->dim_size(); ++axis) {
                const bool open = shape->dim(axis).size() < 0;
                signature.components.push_back(
                    {fmt::format("{}.shape[{}]", name, axis), ComponentKind::Dimension,
                     open ? "None" : fmt::format("{}", shape->dim(axis).size()), open});
            }
        }
        text += fmt::format("{}{}: {}{}", i == 0 ? "" : ", ", name, dtype,
                            shape == nullptr ? "" : shapeText(*shape));
    }
    signature.text = strings.intern(text + ")");
    return signature;
}

class GraphDefReader {
public:
    GraphDefReader(const Peek& peek, const Job& job) : m_peek(peek), m_job(job) {}

    Result<session::Session> read() {
        GraphBuilder graph(m_session, m_peek.path.filename().string(), false);
        GraphFlaws flaws;
        WireReader fields(m_peek.all);
        for (WireField field; fields.next(field);) {
            if (!poll(field.at))
                return Error{std::string(kCancelled)};
            if (field.type != WireField::Bytes)
                continue;
            if (field.number == kNode) {
                graph_def::Node node;
                if (!parse(node, field.bytes))
                    return broken("node", field.at);
                graph.addNode(node);
            } else if (field.number == kLibrary) {
                m_libraries.push_back(field);
            } else if (field.number == kVersions) {
                readVersions(field.bytes);
            }
        }
        graph.finish(flaws);
        for (const WireField& library : m_libraries) {
            if (auto status = readLibrary(library); !status)
                return status.error();
        }
        linkCallees(m_session);
        addFunctions();
        warn(flaws, "");
        warn(m_libraryFlaws, "the library's ");
        m_session.imported.format = "graphdef";
        for (const char* what : {"calls", "hits", "misses"})
            m_session.facts.push_back({"not_recorded", what, "a GraphDef holds graphs and no calls"});
        return std::move(m_session);
    }

private:
    enum FieldNumber : std::uint32_t { kNode = 1, kLibrary = 2, kVersions = 4, kLibraryFunction = 1 };

    template <class Message>
    static bool parse(Message& message, std::string_view bytes) {
        return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    }

    Error broken(std::string_view what, std::size_t at) const {
        return {fmt::format(
            "{}: a GraphDef whose {} at byte {} does not decode (broken, or nested deeper than 100); write "
            "it again",
            m_peek.path.filename().string(), what, at)};
    }

    bool poll(std::size_t at) {
        constexpr int kPollEvery = 256;
        if (m_polls++ % kPollEvery != 0)
            return true;
        m_job.report(static_cast<double>(at) / static_cast<double>(m_peek.all.size()), "reading nodes");
        return !m_job.cancel.requested();
    }

    void readVersions(std::string_view bytes) {
        WireReader fields(bytes);
        for (WireField field; fields.next(field);) {
            if (field.number == 1 && field.type == WireField::Varint)
                m_session.facts.push_back({"machine", "graph_version", fmt::format("{}", field.value)});
        }
    }

    Status readLibrary(const WireField& library) {
        const std::size_t base = static_cast<std::size_t>(library.bytes.data() - m_peek.all.data());
        WireReader fields(library.bytes);
        for (WireField field; fields.next(field);) {
            if (!poll(base + field.at))
                return Error{std::string(kCancelled)};
            if (field.number != kLibraryFunction || field.type != WireField::Bytes)
                continue;
            graph_def::Function function;
            if (!parse(function, field.bytes))
                return broken("library function", base + field.at);
            readFunction(function);
        }
        return fields.problem().empty() ? Status(Done{}) : Status(broken("library", base));
    }

    void readFunction(const graph_def::Function& function) {
        const std::string name = plainText(function.signature().name());
        GraphBuilder graph(m_session, name, true);
        for (int i = 0; i < function.signature().input_arg_size(); ++i) {
            const auto& argument = function.signature().input_arg(i);
            const graph_def::Shape* shape = argumentShape(function, i);
            graph.addArgument(plainText(argument.name()),
                              dtypeText(argument.type()) + (shape == nullptr ? "" : shapeText(*shape)));
        }
        for (const auto& node : function.node())
            graph.addNode(node);
        for (const auto& ret : function.ret())
            graph.addOutput(ret.value(), false);
        for (const auto& ret : function.control_ret())
            graph.addOutput(ret.value(), true);
        const session::GraphId id = graph.finish(m_libraryFlaws);
        if (const auto trace = parseTraceName(name))
            m_traces[std::string(trace->function)].push_back({trace->number, m_session.strings.intern(name),
                                                              id, signatureOf(function, m_session.strings),
                                                              outputText(function)});
    }

    static std::string outputText(const graph_def::Function& function) {
        std::vector<std::string> types;
        for (const auto& result : function.signature().output_arg())
            types.push_back(dtypeText(result.type()));
        return fmt::format("({})", fmt::join(types, ", "));
    }

    /// One session function per Python name, one entry per trace, oldest first.
    void addFunctions() {
        bool several = false;
        for (auto& [name, traces] : m_traces) {
            std::ranges::sort(traces, {}, &Trace::number);
            several = several || traces.size() > 1;
            const session::FunctionId id(m_session.functions.size());
            session::Function function;
            function.name = function.qualifiedName = m_session.strings.intern(name);
            function.engine = m_session.strings.intern("tensorflow");
            m_session.functions.push_back(function);
            for (std::size_t i = 0; i < traces.size(); ++i)
                addEntry(id, static_cast<std::uint32_t>(i + 1), traces[i]);
        }
        if (several)
            m_session.facts.push_back(
                {"not_recorded", "identity",
                 "traces are grouped by their Python name, all a GraphDef tells; different "
                 "functions of one name look like one"});
    }

    void addEntry(session::FunctionId function, std::uint32_t number, Trace& trace) {
        session::Entry entry;
        entry.function = function;
        entry.number = number;
        entry.signature = addSignature(std::move(trace.signature));
        entry.name = trace.name;
        entry.output = m_session.strings.intern(trace.output);
        entry.graph = trace.graph;
        entry.nodeCount = static_cast<std::int64_t>(m_session[trace.graph].nodes.size());
        m_session.entries.push_back(entry);
    }

    session::SignatureId addSignature(session::Signature signature) {
        const auto same = std::ranges::find_if(m_session.signatures, [&](const session::Signature& known) {
            return known.text == signature.text && known.components == signature.components;
        });
        if (same != m_session.signatures.end())
            return session::SignatureId(static_cast<std::size_t>(same - m_session.signatures.begin()));
        m_session.signatures.push_back(std::move(signature));
        return session::SignatureId(m_session.signatures.size() - 1);
    }

    void warn(const GraphFlaws& flaws, std::string_view where) {
        auto& warnings = m_session.imported.warnings;
        if (flaws.danglingInputs > 0)
            warnings.push_back(
                fmt::format("{} of {}inputs name nodes that are not there ({}{})", flaws.danglingInputs,
                            where, fmt::join(flaws.danglingNames, ", "),
                            flaws.danglingInputs > std::ssize(flaws.danglingNames) ? ", ..." : ""));
        if (flaws.sharedNames > 0)
            warnings.push_back(
                fmt::format("{} of {}nodes have the name of an earlier node ({}); edges go to the first",
                            flaws.sharedNames, where, fmt::join(flaws.sharedNamesList, ", ")));
    }

    const Peek& m_peek;
    const Job& m_job;
    session::Session m_session;
    GraphFlaws m_libraryFlaws;
    std::vector<WireField> m_libraries;
    std::map<std::string, std::vector<Trace>> m_traces;
    int m_polls = 0;
};

} // namespace

bool acceptsGraphDef(const Peek& peek) {
    std::string problem;
    return protoKind(peek.all, problem) == ProtoKind::GraphDef;
}

Result<session::Session> readGraphDef(const Peek& peek, const Job& job) {
    return GraphDefReader(peek, job).read();
}

} // namespace retracescope::importers
