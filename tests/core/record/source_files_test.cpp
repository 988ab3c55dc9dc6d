#include <filesystem>

#include <QTemporaryDir>
#include <QTest>

#include <retracescope/base/files.h>
#include <retracescope/record/source_files.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using record::SourceFiles;
namespace fs = std::filesystem;

/// A project as a build leaves it: src/lesson.cpp, and a program in build/release/bin named by
/// ../../src/lesson.cpp.
class SourceFilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_root = fs::canonical(m_folder.path().toStdString());
        for (const char* folder : {"src", "build/release/bin/examples"})
            fs::create_directories(m_root / folder);
        QVERIFY(writeTextFile(m_root / "src/lesson.cpp", "int main() {}\n"));
        QVERIFY(writeTextFile(program(), "a program"));
    }

    void findsARelativeNameBelowAFolderAboveTheProgram() {
        SourceFiles files(program());
        QCOMPARE(files.locate("../../src/lesson.cpp"), (m_root / "src/lesson.cpp").string());
    }

    void keepsANameThatLeadsNowhere() {
        SourceFiles files(program());
        QCOMPARE(files.locate("../../src/gone.cpp"), std::string("../../src/gone.cpp"));
        QCOMPARE(files.locate("/nowhere/gone.cpp"), std::string("/nowhere/gone.cpp"));
        QCOMPARE(files.locate(""), std::string());
    }

    void takesAnAbsoluteNameAsItIs() {
        SourceFiles files("/no/such/program");
        QCOMPARE(files.locate((m_root / "build/../src/lesson.cpp").string()),
                 (m_root / "src/lesson.cpp").string());
    }

private:
    fs::path program() const { return m_root / "build/release/bin/examples/lesson"; }

    QTemporaryDir m_folder;
    fs::path m_root;
};

RETRACESCOPE_TEST(SourceFilesTest);

#include "source_files_test.moc"
