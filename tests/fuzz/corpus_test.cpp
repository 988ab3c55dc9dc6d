#include <filesystem>

#include <QTest>

#include <retracescope/base/files.h>

#include "tests/support/test_main.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace retracescope::test {

/// A fuzz target without a fuzzer: whatever once was found, or shows a feature to start from.
class CorpusTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFileOfTheCorpusIsAnswered();
};

void CorpusTest::everyFileOfTheCorpusIsAnswered() {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(RETRACESCOPE_CORPUS)) {
        const auto bytes = readTextFile(entry.path());
        QVERIFY(bytes.ok());
        QCOMPARE(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()),
                 0);
        ++files;
    }
    QVERIFY2(files > 0, "the corpus is empty");
}

RETRACESCOPE_TEST(CorpusTest);

} // namespace retracescope::test

#include "corpus_test.moc"
