#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <retracescope/importers/import_answer.h>
#include <retracescope/importers/importer.h>
#include <retracescope/importers/unpack.h>

#include "tests/core/importers/small_files.h"
#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

namespace fs = std::filesystem;

namespace retracescope::importers {

namespace {

/// What importFile does, without a file.
Result<session::Session> open(const std::string& name, std::string_view bytes) {
    auto content = unpackBytes(bytes, name, {});
    if (!content)
        return content.error();
    if (content->text.empty())
        return Error{name + ": empty"};
    auto session = importContent({name, content->text.substr(0, 65536), content->text});
    if (session)
        session->imported.warnings.insert(session->imported.warnings.end(), content->warnings.begin(),
                                          content->warnings.end());
    return session;
}

bool isSilentSuccess(const Result<session::Session>& result) {
    return result.ok() && result->imported.warnings.empty();
}

std::string repeated(std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i)
        out += text;
    return out;
}

constexpr int kDeep = 100'000;

} // namespace

/// Broken and crafted input: an error or a warning, never a crash, a hang or a part shown as if it were
/// whole.
class HostileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aFileCutAtAnyByteIsToldToBeCut();
    void everyFieldOfAnEventMayHaveAnyType();
    void nestingOfAnyDepthIsNoRecursion_data();
    void nestingOfAnyDepthIsNoRecursion();
    void aGzipBombIsRefusedWithItsSize();
    void crossedBeginsAndEndsStayLinear();
    void manyPartialOverlapsStayLinear();
    void aCancelledImportSaysSo();
    void theCollectionOfHostileFilesIsAnswered_data();
    void theCollectionOfHostileFilesIsAnswered();
};

void HostileTest::aFileCutAtAnyByteIsToldToBeCut() {
    for (const test::SmallFile& file : test::allSmallFiles()) {
        const bool isWhole = isSilentSuccess(open(file.name, file.bytes));
        const bool isJson = file.bytes.starts_with('[') || file.bytes.starts_with('{');
        for (std::size_t size = 0; size < file.bytes.size(); size += test::everyNth()) {
            const std::string cut = file.bytes.substr(0, size);
            const auto result = open(file.name, cut);
            if (!result)
                QVERIFY2(!result.error().message.empty() && result.error().message.starts_with(file.name),
                         qPrintable(QString::fromStdString(file.name)));
            if (isWhole && isJson)
                QVERIFY2(!isSilentSuccess(result), fmt::format("{} cut at {}", file.name, size).c_str());
        }
    }
}

void HostileTest::everyFieldOfAnEventMayHaveAnyType() {
    const std::vector<std::string> values = {"null",
                                             "true",
                                             "false",
                                             "0",
                                             "-1",
                                             "1.5",
                                             "1e400",
                                             "-1e400",
                                             "123456789012345678901234567890",
                                             "NaN",
                                             "\"\"",
                                             "\"x\"",
                                             "\"1\"",
                                             "[]",
                                             "[[1]]",
                                             "{}",
                                             "{\"a\":{\"b\":[1]}}",
                                             "\"\\u0000\"",
                                             "-0",
                                             "1E-999999999999",
                                             "\"\\ud800\"",
                                             "{\"name\":5}",
                                             "{\"tf_function_call\":7}"};
    const std::vector<std::string> keys = {"ph",  "ts",  "dur", "tdur", "name", "cat",
                                           "pid", "tid", "id",  "args", "s"};
    for (const std::string phase : {"X", "B", "E", "i", "C", "M", "b", "s", "P", "?"}) {
        for (const std::string& key : keys) {
            for (const std::string& value : values) {
                const std::string text = fmt::format(
                    R"([{{"ph":"{}","name":"n","ts":5,"pid":1,"tid":1,"{}":{}}},{{"ph":"X","ts":9,"dur":1}}])",
                    phase, key, value);
                const auto result = open("t.json", text);
                QVERIFY2(result.ok(), text.c_str());
                QCOMPARE(result->imported.events, 2);
                QVERIFY(!importAnswer(*result).empty());
            }
        }
    }
}

void HostileTest::nestingOfAnyDepthIsNoRecursion_data() {
    QTest::addColumn<QByteArray>("text");
    const auto add = [](const char* name, const std::string& text) {
        QTest::newRow(name) << QByteArray::fromStdString(text);
    };
    add("arrays", repeated("[", kDeep));
    add("closed arrays", repeated("[", kDeep) + repeated("]", kDeep));
    add("objects", repeated("{\"a\":", kDeep));
    add("an event's arguments", "{\"traceEvents\":[" + repeated("{\"args\":", kDeep));
    add("closed arguments",
        "[{\"ph\":\"X\",\"ts\":1,\"args\":" + repeated("{\"a\":", kDeep) + "1" + repeated("}", kDeep) + "}]");
    add("a key before the events",
        "{\"k\":" + repeated("[", kDeep) + repeated("]", kDeep) + ",\"traceEvents\":[]}");
    std::string value;
    for (int i = 0; i < 5000; ++i)
        value = test::protoField(
            10, test::protoField(1, "f") +
                    test::protoField(2, test::protoField(1, "k") + test::protoField(2, value)));
    add("attributes of a node",
        test::protoField(
            1, test::graphNode("a", "Call", {},
                               test::protoField(5, test::protoField(1, "f") + test::protoField(2, value)))));
}

void HostileTest::nestingOfAnyDepthIsNoRecursion() {
    QFETCH(QByteArray, text);
    const auto result =
        open("deep", std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    QVERIFY2(!isSilentSuccess(result), "opens and says nothing");
}

void HostileTest::aGzipBombIsRefusedWithItsSize() {
    const std::string member = test::gzipped(std::string(4'000'000, ' '));
    const auto result = open("bomb.json.gz", repeated(member, 100));
    QVERIFY(!result);
    QVERIFY2(result.error().message.find("unpacks to more than 252 MB") != std::string::npos,
             result.error().message.c_str());
}

void HostileTest::crossedBeginsAndEndsStayLinear() {
    std::string text = "[";
    for (const char* event : {R"({"ph":"B","name":"a","ts":1},)", R"({"ph":"B","name":"b","ts":1},)",
                              R"({"ph":"E","name":"a","ts":1},)"})
        text += repeated(event, 60'000);
    const auto result = open("t.json", text + "]");
    QVERIFY(result.ok());
    QCOMPARE(result->imported.events, 180'000);
    QCOMPARE(std::ssize(result->spans.startNs), 120'000);
}

void HostileTest::manyPartialOverlapsStayLinear() {
    std::string text = "[";
    for (int i = 0; i < 20'000; ++i)
        text += fmt::format(R"({{"ph":"X","name":"a","ts":{},"dur":100000}},)", i);
    const auto result = open("t.json", text + "]");
    QVERIFY(result.ok());
    QCOMPARE(std::ssize(result->spans.startNs), 20'000);
    QCOMPARE(int(result->spans.row[300]), 255);
}

void HostileTest::aCancelledImportSaysSo() {
    const std::string event = R"({"ph":"X","name":"a","ts":1,"dur":1},)";
    const std::string text = "[" + repeated(event, 400'000);
    Job job;
    double lastShare = 0;
    job.progress = [&](double share, std::string_view) {
        lastShare = share;
        if (share > 0.3)
            job.cancel.request();
    };
    const auto result = importContent({"t.json", std::string_view(text).substr(0, 65536), text}, job);
    QVERIFY(!result);
    QCOMPARE(result.error().message, std::string(kCancelled));
    QVERIFY2(lastShare < 0.5, "the import went on after it was cancelled");
}

namespace {

/// First letter R: must be refused, O: opens without a warning, W: opens with one; more letters: either is
/// right. Then what the message or the warnings must hold, and how many spans or nodes are kept (-1 = not
/// asked).
struct Verdict {
    const char* file;
    const char* allowed;
    const char* words;
    int kept;
};

constexpr Verdict kVerdicts[] = {
    {"empty.json", "R", "the file is empty", -1},
    {"only-white-space.json", "R", "white space only", -1},
    {"cut-in-a-number.json", "W", "inside event 2; 1 complete", 1},
    {"cut-in-an-escape.json", "W", "inside event 2; 1 complete", 1},
    {"object-cut-after-key.json", "W", "behind the key traceEvents", 0},
    {"events-not-an-array.json", "R", "traceEvents is a string, but an array", -1},
    {"mixed-elements.json", "W", "7 of 9 elements are no events", 2},
    {"wrong-types.json", "W", "2 events have no usable time", 4},
    {"deep-object-unclosed.json", "RW", "nested too deep", 0},
    {"deep-spans.json", "O", "", 20000},
    {"huge-numbers.json", "W", "2 of these times do not fit", 1},
    {"end-overflows.json", "W", "does not fit 64-bit", 1},
    {"negative-times.json", "O", "", 2},
    {"fractions-with-noise.json", "O", "", 2},
    {"duplicate-keys.json", "O", "", 1},
    {"duplicate-flow-ids.json", "O", "", 1},
    {"many-lanes.json", "O", "", 20000},
    {"all-at-one-time.json", "O", "", 5000},
    {"invalid-utf8.json", "W", "4 bytes are not UTF-8", 2},
    {"utf16.json", "R", "UTF-16", -1},
    {"mixed-line-ends.json", "O", "", 3},
    {"garbage-after.json", "W", "characters behind the end", 1},
    {"gzip-cut.json.gz", "W", "the gzip data ends early", -1},
    {"gzip-crc-wrong.json.gz", "W", "checksum of gzip member 1 is wrong", 1},
    {"gzip-in-gzip.json.gz", "O", "", 1},
    {"gzip-bomb-200MB.json.gz", "O", "", 1},
    {"zip-two-entries.zip", "R", "readme.txt, trace.json", -1},
    {"zip-path-escape.zip", "O", "", 1},
    {"length-beyond-end.pb", "R", "field 1 at byte 0 says 100 bytes, 12 are there", -1},
    {"length-two-to-63.pb", "R", "field 1 at byte 0 says 9223372036854775807 bytes", -1},
    {"group-wire-type.pb", "R", "wire type 3", -1},
    {"nested-10000.pb", "R", "", -1},
    {"mutual-recursion.pb", "O", "", 1},
    {"cyclic-graph.pb", "O", "", 3},
    {"missing-inputs.pb", "W", "ghost, ghost:7, ^ghost", 1},
    {"duplicate-nodes.pb", "W", "name of an earlier node (a)", 4},
    {"fan-out-50000.pb", "O", "", 50001},
    {"scope-depth-3000.pb", "O", "", 1},
    {"savedmodel-object-cycle.pb", "R", "a SavedModel", -1},
    {"no-graph.onnx", "R", "without a graph", -1},
    {"external-data-escape.onnx", "R", "ONNX", -1},
    {"graph-named-json.json", "O", "", 1},
    {"json-named-pb.pb", "O", "", 1},
    {"image-named-trace.json", "R", "PNG image", -1},
    {"elf.pb", "R", "ELF program", -1},
};

} // namespace

void HostileTest::theCollectionOfHostileFilesIsAnswered_data() {
    QTest::addColumn<QString>("path");
    const fs::path maker = fs::path(RETRACESCOPE_SHARED_DIR) / "expected" / "hostile" / "make_hostile.py";
    if (!fs::exists(maker))
        QSKIP("the collection of hostile files is not there");
    static const QTemporaryDir folder;
    QProcess python;
    python.start("python3", {QString::fromStdString(maker.string()), folder.path()});
    if (!python.waitForFinished(60'000) || python.exitCode() != 0)
        QSKIP("python3 cannot make the hostile files");
    for (const auto& entry : fs::directory_iterator(folder.path().toStdString()))
        QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(entry.path().string());
}

void HostileTest::theCollectionOfHostileFilesIsAnswered() {
    QFETCH(QString, path);
    const fs::path file = path.toStdString();
    const auto verdict =
        std::ranges::find_if(kVerdicts, [&](const Verdict& v) { return file.filename() == v.file; });
    const auto result = importFile(file);
    if (verdict == std::end(kVerdicts)) {
        // Other formats: refused by name is all that is asked of this version.
        QVERIFY2(!result, "opens a format that is not read yet");
        QVERIFY(result.error().message.starts_with(file.filename().string()));
        return;
    }
    const std::string said =
        result ? fmt::format("{}", fmt::join((*result)->imported.warnings, "; ")) : result.error().message;
    const char answer = !result ? 'R' : (*result)->imported.warnings.empty() ? 'O' : 'W';
    QVERIFY2(std::string_view(verdict->allowed).find(answer) != std::string_view::npos, said.c_str());
    QVERIFY2(said.find(verdict->words) != std::string::npos, said.c_str());
    if (!result || verdict->kept < 0)
        return;
    const session::Session& session = **result;
    const std::size_t kept = session.graphs.empty() ? session.spans.size() : session.graphs[0].nodes.size();
    QCOMPARE(static_cast<int>(kept), verdict->kept);
}

RETRACESCOPE_TEST(HostileTest);

} // namespace retracescope::importers

#include "hostile_test.moc"
