#include <QTest>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <retracescope/base/files.h>
#include <retracescope/importers/import_answer.h>
#include <retracescope/importers/importer.h>

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

double asNumber(const json& value) {
    if (value.is_string())
        return QByteArray::fromStdString(value.get<std::string>()).toDouble();
    return value.is_number() ? value.get<double>() : std::nan("");
}

/// Every value of `got` against the same place in `want`; what `got` leaves out is not compared. Times of
/// files with parts of nanoseconds may differ by the one that whole nanoseconds cost.
void compare(const json& want, const json& got, const std::string& path, bool wholeNs,
             QStringList& problems) {
    if (got.is_object()) {
        for (const auto& [key, value] : got.items()) {
            if (key == "warnings")
                continue;
            if (!want.contains(key))
                problems << QString::fromStdString(path + "/" + key + ": not expected");
            else
                compare(want[key], value, path + "/" + key, wholeNs, problems);
        }
        return;
    }
    if (want == got)
        return;
    const bool isTime = path.ends_with("_ns") && !wholeNs;
    if (isTime && std::abs(asNumber(want) - asNumber(got)) <= 1.0)
        return;
    problems << QString::fromStdString(fmt::format("{}: {}, expected {}", path, got.dump(), want.dump()));
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
    const auto session = openAny(kShared / "samples" / file);
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
    const json got = json::parse(importAnswer(**session));
    const json& timeline = expected.contains("timeline") ? expected["timeline"] : json::object();
    const bool wholeNs = !timeline.value("sub_nanosecond_times", false);
    QStringList problems;
    compare(expected, got, "", wholeNs, problems);
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
    QVERIFY(got.contains("timeline") || got.contains("graph"));
}

RETRACESCOPE_TEST(SamplesTest);

} // namespace retracescope::importers

#include "samples_test.moc"
