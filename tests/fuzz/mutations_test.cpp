#include <algorithm>
#include <random>

#include <QTest>

#include "tests/core/importers/small_files.h"
#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace retracescope::test {

namespace {

void run(const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// One to four changes of a kind that a fuzzer makes: flip, insert, remove, repeat a piece, splice in another
/// file.
std::string mutated(std::string bytes, const std::string& other, std::mt19937& random) {
    for (auto changes = 1 + random() % 4; changes > 0; --changes) {
        const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
        const std::size_t length =
            bytes.empty() ? 0 : random() % std::min<std::size_t>(bytes.size() - at, 24);
        switch (random() % 5) {
        case 0:
            if (!bytes.empty())
                bytes[at] = static_cast<char>(random());
            break;
        case 1:
            bytes.insert(at, 1, "\"{}[],:\\0-9eE\x0a\xff"[random() % 16]);
            break;
        case 2:
            bytes.erase(at, length);
            break;
        case 3:
            bytes.insert(at, bytes.substr(at, length));
            break;
        default:
            bytes.insert(at, other.substr(0, random() % (other.size() + 1)));
            break;
        }
    }
    return bytes;
}

} // namespace

/// The import target without a fuzzer: a fixed number of mutations from a fixed seed.
class MutationsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mutationsOfSmallFilesAreAnswered();
};

void MutationsTest::mutationsOfSmallFilesAreAnswered() {
    std::mt19937 random(20240607);
    const std::vector<SmallFile> files = allSmallFiles();
    for (int round = 0; round < rounds(300); ++round) {
        for (const SmallFile& file : files)
            run(mutated(file.bytes, files[random() % files.size()].bytes, random));
    }
}

RETRACESCOPE_TEST(MutationsTest);

} // namespace retracescope::test

#include "mutations_test.moc"
