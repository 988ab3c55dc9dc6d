// NVIDIA's own walk over a buffer against ours. Runs where CUPTI is installed, or with the library that
// RETRACESCOPE_CUPTI names; no GPU is needed.
#include <random>

#include <QTest>

#include <retracescope/engine/gpu/activity_decoder.h>
#include <retracescope/engine/gpu/cupti.h>

#include "tests/core/engine/gpu/activity_buffer.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::gpu;
using test::ActivityBuffer;

class ActivityOracleTest : public QObject {
    Q_OBJECT

private:
    std::optional<Cupti> m_cupti;

    /// Offsets of the records that CUPTI finds, and where it stops.
    std::vector<std::size_t> theirs(std::vector<std::uint8_t>& bytes) const {
        std::vector<std::size_t> offsets;
        void* record = nullptr;
        while (m_cupti->table.getNextRecord(bytes.data(), bytes.size(), &record) == 0)
            offsets.push_back(static_cast<std::size_t>(static_cast<std::uint8_t*>(record) - bytes.data()));
        return offsets;
    }

    /// How many records ours walks over.
    std::size_t ours(const std::vector<std::uint8_t>& bytes) const {
        std::vector<Activity> activities;
        const DecodeReport r = decodeActivities(bytes, m_cupti->apiVersion, {}, test::testName, activities);
        std::size_t count = r.decoded + r.withoutTimes + r.endsBeforeStart + r.outsideWindow;
        for (const auto& [kind, records] : r.skipped)
            count += records;
        return count;
    }

private Q_SLOTS:
    void initTestCase() {
        const QByteArray path = qgetenv("RETRACESCOPE_CUPTI");
        auto cupti = loadCupti(path.isEmpty() ? nullptr : path.constData());
        if (!cupti)
            QSKIP(cupti.error().message.c_str());
        m_cupti = std::move(*cupti);
    }

    void everyKindHasTheSizeThatCuptiSays() {
        for (const std::uint32_t kind : sizedKinds()) {
            ActivityBuffer buffer(m_cupti->apiVersion);
            buffer.record(kind).record(39).record(kind).record(39);
            const auto found = theirs(buffer.storage());
            QVERIFY2(found == buffer.offsets(),
                     qPrintable(QString("kind %1: CUPTI finds %2 of 4 records").arg(kind).arg(found.size())));
            QCOMPARE(ours(buffer.storage()), 4U);
        }
    }

    void randomBuffersAreWalkedAlike() {
        std::mt19937 random(7);
        for (int round = 0; round < 2000; ++round) {
            ActivityBuffer buffer(m_cupti->apiVersion);
            for (int i = 1 + static_cast<int>(random() % 8); i > 0; --i)
                buffer.record(sizedKinds()[random() % sizedKinds().size()]);
            auto& bytes = buffer.storage();
            bytes.resize(bytes.size() - std::min<std::size_t>(bytes.size(), random() % 40 * (random() % 2)));
            if (bytes.empty())
                continue;
            QCOMPARE(ours(bytes), theirs(bytes).size());
        }
    }
};

RETRACESCOPE_TEST(ActivityOracleTest);

#include "activity_oracle_test.moc"
