#include "tests/core/importers/small_files.h"

#include <fmt/format.h>
#include <zlib.h>

namespace retracescope::test {

namespace {

std::string varint(std::uint64_t value) {
    std::string bytes;
    while (value >= 0x80) {
        bytes += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    return bytes + static_cast<char>(value);
}

std::string deflated(const std::string& bytes, int windowBits) {
    z_stream stream{};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string number(std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i)
        out += static_cast<char>(value >> (8 * i));
    return out;
}

std::string attribute(const std::string& key, const std::string& value) {
    return protoField(5, protoField(1, key) + protoField(2, value));
}

std::string function(const std::string& name, const std::string& nodes, const std::string& result,
                     const std::string& shape) {
    constexpr std::uint64_t kFloat = 1;
    const std::string signature = protoField(1, name) +
                                  protoField(2, protoField(1, "x") + protoField(3, kFloat)) +
                                  protoField(3, protoField(1, "y") + protoField(3, kFloat));
    const std::string shapes = protoField(1, protoField(7, protoField(2, protoField(1, std::stoull(shape)))));
    const std::string argument = protoField(
        7, protoField(1, 0) +
               protoField(2, protoField(1, protoField(1, "_output_shapes") + protoField(2, shapes))));
    return protoField(1, protoField(1, signature) + nodes +
                             protoField(4, protoField(1, "y") + protoField(2, result)) + argument);
}

std::string functionNode(const std::string& name, const std::string& op,
                         const std::vector<std::string>& inputs) {
    return protoField(3, graphNode(name, op, inputs));
}

SmallFile graph(const std::string& name, const std::string& bytes, const std::string& values,
                const std::string& message = {}) {
    return {name + ".pb", bytes, R"({"format":"graphdef","opens":true,"graph":{)" + values + "}}", message};
}

} // namespace

std::string protoField(int number, std::uint64_t value) {
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}

std::string protoField(int number, const std::string& bytes) {
    return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size()) + bytes;
}

std::string graphNode(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                      const std::string& attributes) {
    std::string bytes = protoField(1, name) + protoField(2, op);
    for (const std::string& input : inputs)
        bytes += protoField(3, input);
    return bytes + attributes;
}

std::string gzipped(const std::string& bytes) {
    return deflated(bytes, 15 + 16);
}

std::string zipped(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string out;
    std::string directory;
    for (const auto& [name, bytes] : entries) {
        const std::string packed = deflated(bytes, -15);
        const std::string sizes =
            number(crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())),
                   4) +
            number(packed.size(), 4) + number(bytes.size(), 4) + number(name.size(), 2) + number(0, 2);
        const std::string common = number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) + sizes;
        directory += "PK\x01\x02" + number(20, 2) + common + number(0, 2) + number(0, 2) + number(0, 2) +
                     number(0, 4) + number(out.size(), 4) + name;
        out += "PK\x03\x04" + common + name + packed;
    }
    return out + directory + "PK\x05\x06" + number(0, 4) + number(entries.size(), 2) +
           number(entries.size(), 2) + number(directory.size(), 4) + number(out.size(), 4) + number(0, 2);
}

std::vector<SmallFile> smallGraphDefs() {
    const std::string versions = protoField(4, protoField(1, 1395));
    const std::string a = protoField(1, graphNode("a", "Const"));
    const std::string callF = attribute("f", protoField(10, protoField(1, "__inference_step_7")));
    std::vector<SmallFile> files;
    files.push_back(graph(
        "nodes_and_edges",
        a + protoField(1, graphNode("b", "Mul", {"a", "a:0"})) +
            protoField(1, graphNode("c", "NoOp", {"^b", "^a"})) + versions,
        R"("nodes":3,"distinct_ops":3,"ops":[["Const",1],["Mul",1],["NoOp",1]],"data_edges":2,"control_edges":2,
                             "dangling_inputs":0,"functions":0,"function_nodes":0)"));
    files.push_back(graph("missing_inputs",
                          protoField(1, graphNode("a", "AddN", {"ghost", "ghost:7", "^ghost"})),
                          R"("nodes":1,"data_edges":2,"control_edges":1,"dangling_inputs":3)",
                          "3 of inputs name nodes that are not there (ghost, ghost:7, ^ghost)"));
    files.push_back(graph("shared_names", a + a + a + protoField(1, graphNode("b", "Identity", {"a"})),
                          R"("nodes":4,"data_edges":1)", "2 of nodes have the name of an earlier node (a)"));
    files.push_back(graph("cycle",
                          protoField(1, graphNode("a", "Add", {"c"})) +
                              protoField(1, graphNode("b", "Add", {"a"})) +
                              protoField(1, graphNode("c", "Add", {"b"})),
                          R"("nodes":3,"data_edges":3)"));
    files.push_back(graph(
        "library",
        protoField(1, graphNode("x", "Placeholder")) +
            protoField(1, graphNode("call", "PartitionedCall", {"x"}, callF)) +
            protoField(
                2, function("__inference_step_7", functionNode("m", "Mul", {"x", "x"}), "m:z:0", "2") +
                       function("__inference_step_12",
                                functionNode("m", "Mul", {"x", "x"}) + functionNode("n", "Neg", {"m:z:0"}),
                                "n:y:0", "3") +
                       function("other", functionNode("c", "__inference_step_7", {"x", "^lost"}), "c:y:0",
                                "3")) +
            versions,
        R"("nodes":2,"data_edges":1,"control_edges":0,"functions":3,"function_nodes":4,
                 "function_ops":[["Mul",2],["Neg",1],["__inference_step_7",1]],"function_data_edges":6,"function_control_edges":1)",
        "1 of the library's inputs name nodes that are not there (^lost)"));
    files.push_back(graph("not_utf8_names", protoField(1, graphNode("\xff\xfe", "Const")), R"("nodes":1)"));
    // Tag 0x0a and length 0x7b read as a line break and a brace.
    files.push_back(graph("first_node_looks_like_json",
                          protoField(1, graphNode(std::string(114, 'n'), "Const", {})) + a, R"("nodes":2)"));
    files.push_back({"length_beyond_the_end.pb",
                     std::string("\x0a\x64\x0a\x01", 4) + "a\x12\x05" + "Constxx",
                     {},
                     "field 1 at byte 0 says 100 bytes, 12 are there"});
    files.push_back({"length_of_2_to_63.pb",
                     "\x0a" + varint((std::uint64_t{1} << 63) - 1) + "abc",
                     {},
                     "field 1 at byte 0 says 9223372036854775807 bytes, 3 are there"});
    files.push_back({"group.pb", "\x0b" + a, {}, "wire type 3"});
    return files;
}

std::vector<SmallFile> smallWrappedFiles() {
    const std::string one = R"([{"ph":"X","name":"a","ts":1,"dur":2},)";
    const std::string two = R"({"ph":"X","name":"b","ts":4,"dur":2}])";
    const std::string answer =
        R"({"format":"chrome trace","opens":true,"timeline":{"events":2,"last_ns":6000}})";
    std::string wrongChecksum = gzipped(one + two);
    wrongChecksum[wrongChecksum.size() - 6] ^= 1;
    std::vector<SmallFile> files;
    files.push_back({"one_member.json.gz", gzipped(one + two), answer, {}});
    files.push_back({"two_members.json.gz", gzipped(one) + gzipped(two), answer, {}});
    files.push_back({"padded.json.gz", gzipped(one + two) + std::string(20, '\0'), answer, {}});
    files.push_back(
        {"wrong_checksum.json.gz", wrongChecksum, answer, "the checksum of gzip member 1 is wrong"});
    files.push_back({"gzip_in_gzip.json.gz", gzipped(gzipped(one + two)), answer, {}});
    files.push_back({"one_entry.zip", zipped({{"t.json", one + two}}), answer, {}});
    files.push_back({"graph.pb.gz",
                     gzipped(protoField(1, graphNode("a", "Const"))),
                     R"({"format":"graphdef","opens":true,"graph":{"nodes":1}})",
                     {}});
    files.push_back({"two_entries.zip",
                     zipped({{"readme.txt", "hello"}, {"trace.json", one + two}}),
                     {},
                     "a zip archive of 2 files (readme.txt, trace.json)"});
    files.push_back({"cut_at_once.json.gz",
                     gzipped(one + two).substr(0, 10),
                     {},
                     "ends after 10 B, before anything unpacks"});
    files.push_back({"cut_in_a_key.json.gz",
                     gzipped(R"({"traceEvents":[]})").substr(0, 13),
                     {},
                     "(the gzip data ends early; the "});
    files.push_back({"packed_empty.json.gz", gzipped(""), {}, "empty once unpacked"});
    return files;
}

std::vector<SmallFile> smallForeignFiles() {
    const std::string graphBytes = protoField(1, graphNode("a", "Const"));
    const std::string plane =
        protoField(1, protoField(2, "/host:CPU") + protoField(3, protoField(2, "line")));
    const std::string hlo = protoField(1, "m") + protoField(2, "main") +
                            protoField(3, protoField(1, "main") + protoField(2, protoField(1, "p")));
    std::vector<SmallFile> files;
    const auto foreign = [&](const std::string& name, const std::string& bytes, const std::string& message) {
        files.push_back({name, bytes, {}, message});
    };
    foreign("empty.json", "", "the file is empty");
    foreign("blank.json", " \r\n\t ", "white space only");
    foreign("image.json", "\x89PNG\r\n\x1a\n", "PNG image");
    foreign("program.pb",
            "\x7f"
            "ELF\x02\x01",
            "ELF program");
    foreign("utf16.json", std::string("\xff\xfe[\0]\0", 6), "UTF-16 text");
    foreign("other.db", std::string("SQLite format 3\0............", 28), "an SQLite database");
    foreign("nsys.sqlite",
            std::string("SQLite format 3\0", 16) +
                "CREATE TABLE StringIds (id) CREATE TABLE META_DATA_EXPORT",
            "Nsight Systems export");
    foreign("report.nsys-rep", "NVIDIA Tegra Profiler Report", "nsys export");
    foreign("page.html", "<!DOCTYPE html><script class=\"trace-data\">", "systrace HTML");
    foreign("profile.json",
            R"({"$schema":"https://www.speedscope.app/file-format-schema.json","profiles":[]})",
            "speedscope");
    foreign("torch.log", "V0718 15:30:03.212000 1337 torch/_dynamo/guards.py:3564] {\"dynamo_start\": {}}\n",
            "torch.compile structured log");
    foreign("jax.log", "WARNING: TRACING CACHE MISS at a.py:1:2 (f) because:\n", "JAX log");
    foreign("tf.log", "5 out of the last 5 calls to <function f> triggered tf.function retracing.\n",
            "TensorFlow log");
    foreign("module.txt", "HloModule jit_f\n\nENTRY %main (p: f32[]) -> f32[] {\n", "HLO text");
    foreign("module.mlir", "module @jit_f {\n", "MLIR");
    foreign("jaxpr.txt", "{ lambda ; a:f32[3]. let\n", "printed jaxpr");
    foreign("graph.pbtxt", "node {\n  name: \"a\"\n}\n", "GraphDef in text form");
    foreign("notes.txt", "hello\n", "text of an unknown kind");
    foreign("host.xplane.pb", plane, "XPlane");
    foreign("saved_model.pb",
            protoField(1, 1) +
                protoField(2, protoField(1, protoField(4, "serve")) + protoField(2, graphBytes)),
            "a SavedModel");
    foreign("model.onnx",
            protoField(1, 8) + protoField(7, protoField(1, protoField(4, "Relu"))) +
                protoField(8, protoField(2, 17)),
            "ONNX model");
    foreign("no_graph.onnx", protoField(1, 8) + protoField(8, protoField(2, 17)),
            "ONNX model without a graph");
    foreign("hlo.pb", protoField(1, hlo), "HLO module");
    foreign("fingerprint.pb", protoField(1, 77) + protoField(3, 5),
            "a protobuf message, but none of the known ones");
    foreign("random.bin", std::string("\x00\x01\xfe\xff\x80\x80", 6), "none of the known formats");
    return files;
}

std::vector<SmallFile> allSmallFiles() {
    std::vector<SmallFile> all = smallChromeFiles();
    for (auto more : {smallGraphDefs(), smallWrappedFiles(), smallForeignFiles()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace retracescope::test
