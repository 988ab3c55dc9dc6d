#include <filesystem>

#include <QTemporaryDir>
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
        QVERIFY(!std::filesystem::exists(path("c.txt.part")));
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
    std::filesystem::path path(const char* name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

    QTemporaryDir m_folder;
};

RETRACESCOPE_TEST(FilesTest);

#include "files_test.moc"
