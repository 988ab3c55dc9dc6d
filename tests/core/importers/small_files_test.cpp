#include <fstream>

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <retracescope/importers/import_answer.h>
#include <retracescope/importers/importer.h>
#include <retracescope/session/file.h>

#include "tests/core/importers/answer_compare.h"
#include "tests/core/importers/small_files.h"
#include "tests/support/test_main.h"

using nlohmann::json;

namespace retracescope::importers {

/// Each feature of each format once, in a file that a program of ours wrote.
class SmallFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachFeatureIsReadWithItsNumbers_data();
    void eachFeatureIsReadWithItsNumbers();
    void theAnswerSurvivesTheSessionFile();
};

void SmallFilesTest::eachFeatureIsReadWithItsNumbers_data() {
    QTest::addColumn<int>("row");
    int row = 0;
    for (const test::SmallFile& file : test::allSmallFiles())
        QTest::newRow(file.name.c_str()) << row++;
}

void SmallFilesTest::eachFeatureIsReadWithItsNumbers() {
    QFETCH(int, row);
    const test::SmallFile file = test::allSmallFiles()[static_cast<std::size_t>(row)];
    const QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / file.name;
    std::ofstream(path, std::ios::binary) << file.bytes;
    const auto session = importFile(path);
    if (file.answer.empty()) {
        QVERIFY2(!session, "opens although it must be refused");
        const std::string& message = session.error().message;
        QVERIFY2(message.starts_with(file.name), message.c_str());
        QVERIFY2(message.find(file.message) != std::string::npos, message.c_str());
        return;
    }
    QVERIFY2(session.ok(), session ? "" : session.error().message.c_str());
    std::vector<std::string> problems;
    test::compareAnswers(json::parse(file.answer), json::parse(importAnswer(**session)), "", 0.0, problems);
    QVERIFY2(problems.empty(), fmt::format("{}", fmt::join(problems, "\n")).c_str());
    const std::string warnings = fmt::format("{}", fmt::join((*session)->imported.warnings, "\n"));
    QVERIFY2(warnings.find(file.message) != std::string::npos, warnings.c_str());
}

void SmallFilesTest::theAnswerSurvivesTheSessionFile() {
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    for (const test::SmallFile& file : test::allSmallFiles()) {
        if (file.answer.empty())
            continue;
        std::ofstream(root / file.name, std::ios::binary) << file.bytes;
        const auto imported = importFile(root / file.name);
        QVERIFY(imported.ok());
        const auto saved = root / "saved.retrace";
        QVERIFY(session::writeSession(**imported, saved).ok());
        const auto readBack = session::readSession(saved);
        QVERIFY2(readBack.ok(), file.name.c_str());
        QCOMPARE(importAnswer(**readBack), importAnswer(**imported));
    }
}

RETRACESCOPE_TEST(SmallFilesTest);

} // namespace retracescope::importers

#include "small_files_test.moc"
