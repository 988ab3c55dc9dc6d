#include <filesystem>

#include <QDir>
#include <QTemporaryDir>
#include <sys/stat.h>

#include <QTest>

#include <retracescope/base/files.h>

#include "tests/support/test_main.h"

using namespace retracescope;

class FilesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsBackWhatItWrote() {
        const std::string text = "one\ntwo \xF0\x9F\x99\x82\n";
        QVERIFY(writeTextFile(path("a.txt"), text).ok());
        QCOMPARE(*readTextFile(path("a.txt")), text);
        const auto mapped = MappedFile::open(path("a.txt"));
        QVERIFY(mapped.ok());
        QCOMPARE(mapped->text(), std::string_view(text));
        QCOMPARE(mapped->bytes().size(), text.size());
    }

    void anEmptyFileIsAnEmptyText() {
        QVERIFY(writeTextFile(path("empty"), "").ok());
        QCOMPARE(*readTextFile(path("empty")), std::string());
    }

    void replacesAFileAndLeavesNothingBeside() {
        QVERIFY(writeTextFile(path("b/../c.txt"), "").ok() == false); // b does not exist
        QVERIFY(writeTextFile(path("c.txt"), "old").ok());
        QVERIFY(writeTextFile(path("c.txt"), "new").ok());
        QCOMPARE(*readTextFile(path("c.txt")), std::string("new"));
        QCOMPARE(namesIn(m_folder.path()).filter("part"), QStringList());
    }

    void keepsTheModeAndWhatIsNotItsOwn() {
        namespace fs = std::filesystem;
        QVERIFY(writeTextFile(path("mode.txt"), "old").ok());
        QVERIFY(writeTextFile(path("mode.txt.part"), "another's").ok());
        const fs::perms owner = fs::perms::owner_read | fs::perms::owner_write;
        fs::permissions(path("mode.txt"), owner);
        QVERIFY(writeTextFile(path("mode.txt"), "new").ok());
        QCOMPARE(static_cast<int>(fs::status(path("mode.txt")).permissions()), static_cast<int>(owner));
        QCOMPARE(*readTextFile(path("mode.txt")), std::string("new"));
        QCOMPARE(*readTextFile(path("mode.txt.part")), std::string("another's"));
        fs::remove(path("mode.txt.part"));
    }

    void replacesWhatALinkLeadsTo() {
        namespace fs = std::filesystem;
        fs::create_directory(path("links"));
        QVERIFY(writeTextFile(path("links/real.txt"), "old").ok());
        fs::create_symlink("links/real.txt", path("first"));
        fs::create_symlink("first", path("second"));
        QVERIFY(writeTextFile(path("second"), "new").ok());
        QVERIFY(fs::is_symlink(path("second")) && fs::is_symlink(path("first")));
        QCOMPARE(*readTextFile(path("links/real.txt")), std::string("new"));
        fs::create_symlink("links/later.txt", path("dangling"));
        QVERIFY(writeTextFile(path("dangling"), "made").ok());
        QVERIFY(fs::is_symlink(path("dangling")));
        QCOMPARE(*readTextFile(path("links/later.txt")), std::string("made"));
        fs::create_symlink("loop", path("loop"));
        const Status loop = writeTextFile(path("loop"), "x");
        QVERIFY(!loop);
        QVERIFY(fs::is_symlink(path("loop")));
        QCOMPARE(namesIn(m_folder.filePath("links")), QStringList({"later.txt", "real.txt"}));
    }

    void writesIntoADeviceAndSaysWhyItCannot() {
        namespace fs = std::filesystem;
        if (!fs::is_character_file("/dev/full"))
            QSKIP("no /dev/full here");
        // Through a link in a folder of ours, so that a failing test leaves /dev as it is.
        fs::create_symlink("/dev/full", path("full"));
        const Status full = writeTextFile(path("full"), "text");
        QVERIFY(!full);
        QCOMPARE(full.error().message, "cannot write " + path("full").string() + ": No space left on device");
        QVERIFY(fs::is_character_file("/dev/full"));
        QVERIFY(fs::is_symlink(path("full")));
        fs::create_symlink("/dev/null", path("null"));
        QVERIFY(writeTextFile(path("null"), "text").ok());
        QVERIFY(fs::is_character_file("/dev/null"));
        const Status folder = writeTextFile(m_folder.path().toStdString(), "text");
        QVERIFY(!folder);
        QCOMPARE(folder.error().message,
                 "cannot write " + m_folder.path().toStdString() + ": Is a directory");
    }

    void saysWhichFileAndWhy() {
        const auto missing = readTextFile(path("missing"));
        QVERIFY(!missing);
        QCOMPARE(missing.error().message,
                 "cannot open " + path("missing").string() + ": No such file or directory");
        const auto folder = MappedFile::open(m_folder.path().toStdString());
        QVERIFY(!folder);
        QVERIFY(folder.error().message.find("not a regular file") != std::string::npos);
    }

    void aPipeWithoutAWriterIsRefusedAtOnce() {
        QCOMPARE(mkfifo(path("pipe").c_str(), 0600), 0);
        const auto pipe = MappedFile::open(path("pipe"));
        QVERIFY(!pipe);
        QCOMPARE(pipe.error().message, "cannot read " + path("pipe").string() +
                                           ": it is not a regular file; write its content to one");
    }

    void aMovedMappingStaysReadable() {
        QVERIFY(writeTextFile(path("d.txt"), "kept").ok());
        MappedFile first = std::move(MappedFile::open(path("d.txt"))).value();
        const char* address = first.text().data();
        const MappedFile second = std::move(first);
        QCOMPARE(second.text(), std::string_view("kept"));
        QCOMPARE(static_cast<const void*>(second.text().data()), static_cast<const void*>(address));
        QVERIFY(first.bytes().empty());
    }

private:
    static QStringList namesIn(const QString& folder) {
        return QDir(folder).entryList(QDir::Files | QDir::Hidden, QDir::Name);
    }

    std::filesystem::path path(const char* name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    QTemporaryDir m_folder;
};

RETRACESCOPE_TEST(FilesTest);

#include "files_test.moc"
