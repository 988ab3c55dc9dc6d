#include <retracescope/importers/identify.h>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include <retracescope/importers/json_scan.h>
#include <retracescope/importers/proto_kind.h>

namespace retracescope::importers {

namespace {

constexpr std::string_view kWhatOpens = "open a Chrome trace JSON, a binary GraphDef or a .retrace session";
constexpr std::string_view kNotYet =
    "this version does not read it yet, open a Chrome trace of the run instead";
constexpr std::size_t kHead = 64 * 1024;

/// A format, and what to do about it.
struct Known {
    std::string_view what;
    std::string_view whatToDo;
};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

bool hasKey(const JsonLook& look, std::string_view key) {
    return std::ranges::find(look.keys, key, &JsonKey::key) != look.keys.end();
}

std::string keyList(const std::vector<JsonKey>& keys) {
    std::string list;
    for (const JsonKey& key : keys)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", key.key.substr(0, 40));
    std::int64_t invalid = 0;
    return repairUtf8(list, invalid);
}

std::optional<Known> knownObject(const JsonLook& look) {
    const auto schema = std::ranges::find(look.keys, "$schema", &JsonKey::key);
    if (schema != look.keys.end() && contains(schema->value, "speedscope"))
        return Known{"a profile in speedscope's own JSON format", "open the trace it was made from"};
    if (hasKey(look, "rocprofiler-sdk-tool"))
        return Known{"rocprofv3's own JSON",
                     "export it as Chrome trace JSON (rocprofv3 --output-format json pftrace)"};
    if (hasKey(look, "nodes") && hasKey(look, "schema") && hasKey(look, "pid"))
        return Known{"a PyTorch execution trace, a graph of operators without a time line",
                     "open the profiler's trace (export_chrome_trace)"};
    if (hasKey(look, "cols") && hasKey(look, "rows"))
        return Known{"a data table of a profiler tool", "open the profile's trace.json.gz"};
    if (hasKey(look, "byCategory") || hasKey(look, "podStatsSequence"))
        return Known{"a result page of TensorFlow's profiler", "open the profile's trace.json.gz"};
    return std::nullopt;
}

std::optional<Known> knownArray(const JsonLook& look) {
    const std::string_view head = look.text.substr(0, kHead);
    if (contains(head, "\"cols\"") && contains(head, "\"rows\""))
        return Known{"data tables of a profiler tool", "open the profile's trace.json.gz"};
    const std::size_t first = head.find('[');
    const std::size_t second = first == std::string_view::npos ? first : skipBlanks(head, first + 1);
    if (second < head.size() && head[second] == '[')
        return Known{"a JSON array of arrays (PyTorch's memory time line is such), not of trace events",
                     "open the profiler's trace (export_chrome_trace)"};
    return std::nullopt;
}

/// No control characters but blanks and escape sequences, and next to nothing that is no UTF-8.
bool isText(std::string_view head) {
    constexpr std::string_view kFine = "\t\n\r\f\x1b";
    constexpr std::int64_t kFewBytes = 3; // a character may be cut at the end
    std::int64_t invalid = 0;
    repairUtf8(head, invalid);
    return invalid <= kFewBytes && std::ranges::none_of(head, [&](char c) {
               return static_cast<unsigned char>(c) < 0x20 && kFine.find(c) == std::string_view::npos;
           });
}

/// Calls `test` with each of the first lines.
bool anyLine(std::string_view text, std::size_t lines, bool (*test)(std::string_view)) {
    for (std::size_t i = 0; i < lines && !text.empty(); ++i) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (test(text.substr(0, end)))
            return true;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return false;
}

/// "V0718 15:30:03.212000 1337 torch/_dynamo/guards.py:3564] {": level, month and day, time, thread, place,
/// envelope.
bool isTorchRecord(std::string_view line) {
    const auto isDigit = [&](std::size_t i) { return line[i] >= '0' && line[i] <= '9'; };
    return line.size() > 20 && contains("VIWEC", line.substr(0, 1)) && isDigit(1) && isDigit(2) &&
           isDigit(3) && isDigit(4) && line[5] == ' ' && isDigit(6) && line[8] == ':' &&
           contains(line, "] {\"");
}

bool isHloHeader(std::string_view line) {
    return line.starts_with("HloModule ") || line.starts_with("ENTRY ") ||
           (contains(line, " -> ") && line.ends_with("{") && contains(line, " (") &&
            !contains(line, "func."));
}

bool isMlirHeader(std::string_view line) {
    return line.starts_with("#loc") || line.starts_with("module @") || line.starts_with("module {") ||
           line.starts_with("module attributes");
}

std::optional<Known> knownText(std::string_view text) {
    std::string_view head = text.substr(skipBlanks(text, 0), kHead);
    std::string start(head.substr(0, 64));
    std::ranges::transform(start, start.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    if (start.starts_with("<!doctype") || start.starts_with("<html") || start.starts_with("<!--"))
        return Known{contains(text, "trace-data") ? "a systrace HTML page with ftrace text inside"
                                                  : "an HTML page",
                     "open the trace itself as JSON"};
    if (start.starts_with("{ lambda") || start.starts_with("{lambda"))
        return Known{"a printed jaxpr",
                     "open a GraphDef or a session of Retracescope's own engine to see graphs"};
    constexpr std::size_t kLines = 200;
    if (anyLine(head, kLines, isTorchRecord))
        return Known{"a torch.compile structured log (TORCH_TRACE)", kNotYet};
    if (contains(text, "TRACING CACHE MISS") || contains(text, "PERSISTENT COMPILATION CACHE") ||
        contains(text, "Finished XLA compilation") || contains(text, "Finished tracing") ||
        contains(text, "Compiling jit"))
        return Known{"a JAX log", kNotYet};
    if (contains(text, "triggered tf.function retracing"))
        return Known{"a TensorFlow log with retracing warnings",
                     "only a session recorded by Retracescope's own engine holds causes"};
    if (contains(text, "Recompiling function "))
        return Known{"a PyTorch log (TORCH_LOGS=recompiles)", kNotYet};
    if (anyLine(head, kLines, isMlirHeader))
        return Known{"MLIR text (StableHLO)", kNotYet};
    if (anyLine(head, kLines, isHloHeader))
        return Known{"HLO text of XLA", kNotYet};
    if (contains(head, "step_stats {") || contains(head, "step_stats:"))
        return Known{"TensorFlow's RunMetadata in text form",
                     "open its Chrome trace (timeline.json) instead"};
    if (start.starts_with("node {") || start.starts_with("node{") || start.starts_with("node:") ||
        start.starts_with("library {") || start.starts_with("versions {"))
        return Known{"a GraphDef in text form (pbtxt)", "this version reads the binary form (.pb)"};
    return std::nullopt;
}

std::optional<Known> knownBinary(std::string_view all) {
    struct Magic {
        std::string_view bytes;
        Known known;
    };
    constexpr std::string_view kNotATrace =
        "none of the known formats; open a trace, a graph or a .retrace session";
    static const std::array kMagics = {
        Magic{"\x89PNG\r\n\x1a\n", {"a PNG image", kNotATrace}},
        Magic{"\xff\xd8\xff", {"a JPEG image", kNotATrace}},
        Magic{"GIF8", {"a GIF image", kNotATrace}},
        Magic{"%PDF", {"a PDF document", kNotATrace}},
        Magic{"\x7f"
              "ELF",
              {"an ELF program", kNotATrace}},
        Magic{"\x28\xb5\x2f\xfd", {"zstd-compressed data", "unpack it with zstd -d first"}},
        Magic{"BZh", {"bzip2-compressed data", "unpack it with bunzip2 first"}},
        Magic{"\xfd"
              "7zXZ",
              {"xz-compressed data", "unpack it with unxz first"}},
        Magic{"NVIDIA Tegra Profiler",
              {"a closed Nsight Systems report", "export it with `nsys export --type sqlite` first"}},
        Magic{"\x89HDF\r\n", {"an HDF5 file", kNotATrace}},
        Magic{"\xff\xfe", {"UTF-16 text", "save it as UTF-8 first"}},
        Magic{"\xfe\xff", {"UTF-16 text", "save it as UTF-8 first"}},
    };
    for (const Magic& magic : kMagics) {
        if (all.starts_with(magic.bytes))
            return magic.known;
    }
    constexpr std::string_view kSqlite("SQLite format 3\0", 16);
    if (!all.starts_with(kSqlite))
        return std::nullopt;
    if (contains(all, "StringIds") &&
        (contains(all, "META_DATA_EXPORT") || contains(all, "EXPORT_META_DATA")))
        return Known{"an Nsight Systems export (SQLite)", kNotYet};
    constexpr std::size_t kHeaderBytes = 100;
    if (all.size() < kHeaderBytes)
        return Known{"the first bytes of an SQLite database, the rest is missing", "copy it again, whole"};
    return Known{"an SQLite database, but neither a session of Retracescope nor an Nsight Systems export",
                 kWhatOpens};
}

std::optional<Known> knownProto(ProtoKind kind) {
    switch (kind) {
    case ProtoKind::EventFile:
        return Known{"a TensorBoard event file",
                     "this version does not read it yet, open the run's trace.json.gz"};
    case ProtoKind::XSpace:
        return Known{"an XPlane profile of TensorFlow or JAX",
                     "this version does not read it yet, open the trace.json.gz beside it"};
    case ProtoKind::SavedModel:
        return Known{"a SavedModel", "this version does not read it yet, open a GraphDef of it"};
    case ProtoKind::Onnx:
        return Known{"an ONNX model",
                     "this version does not read it yet, open the GraphDef it was made from"};
    case ProtoKind::OnnxWithoutGraph:
        return Known{"an ONNX model without a graph", "nothing is there to show"};
    case ProtoKind::Hlo:
        return Known{"an HLO module of XLA (HloProto)", kNotYet};
    case ProtoKind::ProfilerTrace:
        return Known{"an older trace of TensorFlow's profiler (Trace proto)",
                     "open the trace.json.gz beside it"};
    case ProtoKind::Unknown:
        return Known{"a protobuf message, but none of the known ones", kWhatOpens};
    case ProtoKind::GraphDef:
    case ProtoKind::None:
        break;
    }
    return std::nullopt;
}

} // namespace

Error refusal(std::string_view file, std::string_view what, std::string_view whatToDo) {
    return {fmt::format("{}: it is {}; {}", file, what, whatToDo)};
}

Error describeJson(const JsonLook& look) {
    const auto known = look.isArray ? knownArray(look) : knownObject(look);
    if (known)
        return refusal(look.file, known->what, known->whatToDo);
    if (!look.problem.empty()) {
        if (const auto text = knownText(look.text))
            return refusal(look.file, text->what, text->whatToDo);
        return refusal(look.file, fmt::format("JSON without trace events that breaks ({})", look.problem),
                       kWhatOpens);
    }
    if (look.isArray)
        return refusal(look.file,
                       fmt::format("a JSON array of {} elements, none of them a trace event", look.elements),
                       kWhatOpens);
    if (look.hasMore)
        return refusal(look.file, "one JSON object per line, not a trace", kWhatOpens);
    return refusal(look.file,
                   look.keys.empty()
                       ? "an empty JSON object"
                       : fmt::format("JSON without traceEvents (it has {})", keyList(look.keys)),
                   kWhatOpens);
}

Error describeUnknown(const Peek& peek) {
    const std::string file = peek.path.filename().string();
    if (skipBlanks(peek.all, 0) == peek.all.size())
        return Error{fmt::format("{}: the file is empty, it holds white space only; {}", file, kWhatOpens)};
    if (const auto known = knownBinary(peek.all))
        return refusal(file, known->what, known->whatToDo);
    if (isText(peek.head)) {
        if (const auto known = knownText(peek.all))
            return refusal(file, known->what, known->whatToDo);
    }
    std::string problem;
    if (const auto known = knownProto(protoKind(peek.all, problem)))
        return refusal(file, known->what, known->whatToDo);
    if (isText(peek.head))
        return refusal(file, "text of an unknown kind", kWhatOpens);
    return refusal(file,
                   fmt::format("none of the known formats (as a protobuf message it breaks: {})", problem),
                   kWhatOpens);
}

} // namespace retracescope::importers
