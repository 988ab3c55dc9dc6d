#include <QTemporaryDir>
#include <QTest>

#include <retracescope/base/example_programs.h>
#include <retracescope/base/files.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class ExampleProgramsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void listsNameAndDescriptionOfEachLine() {
        const QTemporaryDir folder;
        QVERIFY(writeTextFile(folder.filePath("examples.txt").toStdString(), "shapes\tA new shape.\n\nbare\n")
                    .ok());
        const auto examples = readExamples(folder.path().toStdString());
        QVERIFY(examples.ok());
        QCOMPARE(examples->size(), std::size_t{2});
        QCOMPARE(examples->at(0).name, std::string("shapes"));
        QCOMPARE(examples->at(0).description, std::string("A new shape."));
        QCOMPARE(examples->at(1).name, std::string("bare"));
        QCOMPARE(examples->at(1).description, std::string());
    }

    void aFolderWithoutAListSaysHowToGetOne() {
        const QTemporaryDir folder;
        const auto examples = readExamples(folder.path().toStdString());
        QVERIFY(!examples.ok());
        const std::string& message = examples.error().message;
        QVERIFY2(message.find("examples.txt") != std::string::npos, message.c_str());
        QVERIFY2(message.find("cmake --build build/release") != std::string::npos, message.c_str());
    }

    void theFolderLiesBesideTheProgram() {
        const auto folder = examplesFolder();
        QCOMPARE(folder.filename().string(), std::string("examples"));
        QCOMPARE(QString::fromStdString(folder.parent_path().string()),
                 QCoreApplication::applicationDirPath());
    }
};

RETRACESCOPE_TEST(ExampleProgramsTest);

#include "example_programs_test.moc"
