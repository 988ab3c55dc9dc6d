#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <retracescope/base/files.h>
#include <retracescope/importers/import_answer.h>
#include <retracescope/importers/importer.h>

#include "tests/core/importers/answer_compare.h"
#include "tests/support/test_main.h"

using nlohmann::json;
namespace fs = std::filesystem;

namespace retracescope::importers {

namespace {

const fs::path kShared = RETRACESCOPE_SHARED_DIR;

/// The names that the present formats' samples begin with; all others must be refused by name.
constexpr std::array kInScope = {"chrome__", "kineto", "tf-timeline", "tf-trace-json", "graphdef__"};

bool isInScope(const std::string& name) {
    return std::ranges::any_of(kInScope, [&](const char* prefix) { return name.starts_with(prefix); });
}

json expectedOf(const std::string& name) {
    const auto text = readTextFile(kShared / "expected" / (name + ".json"));
    return text ? json::parse(*text) : json();
}

/// The expected files say nothing of traced functions, and leave out the library's numbers where a file has
/// none.
void leaveOutWhatIsNotExpected(json& got, const json& expected) {
    for (const char* key : {"functions", "calls", "hits", "traces"})
        got.erase(key);
    if (!got.contains("graph") || !expected.contains("graph"))
        return;
    json& graph = got["graph"];
    for (const char* key : {"function_ops", "function_data_edges", "function_control_edges"}) {
        if (!expected["graph"].contains(key) && (graph[key] == 0 || graph[key].empty()))
            graph.erase(key);
    }
}

} // namespace

class SamplesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySampleIsAnsweredAsExpected_data();
    void everySampleIsAnsweredAsExpected();
};

void SamplesTest::everySampleIsAnsweredAsExpected_data() {
    QTest::addColumn<QString>("name");
    if (!fs::exists(kShared / "samples"))
        QSKIP("the folder of real sample files is not there");
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(kShared / "samples")) {
        if (entry.path().extension() != ".md")
            names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    for (const std::string& name : names)
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void SamplesTest::everySampleIsAnsweredAsExpected() {
    QFETCH(QString, name);
    const std::string file = name.toStdString();
    const json expected = expectedOf(file);
    QVERIFY2(!expected.is_null(), "no expected values");
    const auto session = importFile(kShared / "samples" / file);
    const bool mustOpen = isInScope(file) && expected["opens"] == true;
    if (!session) {
        const std::string& message = session.error().message;
        QVERIFY2(!mustOpen, message.c_str());
        QVERIFY2(message.starts_with(file), "the message does not begin with the file's name");
        QVERIFY2(message.find('\n') == std::string::npos, "the message is more than one line");
        QVERIFY2(message.find("corrupt", file.size()) == std::string::npos,
                 "calls a file of another format corrupt");
        return;
    }
    QVERIFY2(!isInScope(file) || mustOpen, "opens although it must be refused");
    json got = json::parse(importAnswer(**session));
    leaveOutWhatIsNotExpected(got, expected);
    const json& timeline = expected.contains("timeline") ? expected["timeline"] : json::object();
    // Whole nanoseconds may cost one where a file has parts of them.
    const double slackNs = timeline.value("sub_nanosecond_times", false) ? 1.0 : 0.0;
    std::vector<std::string> problems;
    test::compareAnswers(got, expected, "", slackNs, problems);
    QVERIFY2(problems.empty(), fmt::format("{}", fmt::join(problems, "\n")).c_str());
    QVERIFY(got.contains("timeline") || got.contains("graph"));
}

RETRACESCOPE_TEST(SamplesTest);

} // namespace retracescope::importers

#include "samples_test.moc"
