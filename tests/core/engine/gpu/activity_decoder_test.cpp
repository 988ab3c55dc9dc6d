#include <random>

#include <QTest>

#include <retracescope/base/check.h>
#include <retracescope/engine/gpu/activity_decoder.h>

#include "tests/core/engine/gpu/activity_buffer.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::gpu;
using test::ActivityBuffer;

class ActivityDecoderTest : public QObject {
    Q_OBJECT

private:
    static constexpr std::uint32_t kApi = 130001;

    static std::vector<Activity> decoded(std::span<const std::uint8_t> bytes, DecodeReport* report = nullptr,
                                         TimeWindow window = {}, std::uint32_t api = kApi) {
        std::vector<Activity> activities;
        const DecodeReport made = decodeActivities(bytes, api, window, test::testName, activities);
        if (report)
            *report = made;
        return activities;
    }

private Q_SLOTS:
    void readsAKernel() {
        ActivityBuffer buffer(kApi);
        buffer.kernel(1000, 7, 1).u64(144, 55).u32(156, 9);
        const auto all = decoded(buffer.bytes());
        QCOMPARE(all.size(), 1U);
        QCOMPARE(all[0].kind, ActivityKind::ConcurrentKernel);
        QCOMPARE(all[0].startNs, 1000);
        QCOMPARE(all[0].endNs, 1100);
        QCOMPARE(all[0].context, 1U);
        QCOMPARE(all[0].stream, 7U);
        QCOMPARE(all[0].correlation, 77U);
        QCOMPARE(all[0].graphNode, 55U);
        QCOMPARE(all[0].graph, 9U);
        QCOMPARE(all[0].name, std::string("_Z4reluPfi"));
    }

    void readsCopiesSetsAndCalls() {
        ActivityBuffer buffer(kApi);
        buffer.record(1).u32(4, 2).u64(8, 4096).u64(16, 10).u64(24, 20).u32(32, 3).u32(36, 4).u32(40, 5).u32(
            44, 6);
        buffer.record(2).u64(8, 64).u64(16, 30).u64(24, 40).u32(40, 8).u32(44, 9);
        buffer.record(5).u32(4, 211).u64(8, 50).u64(16, 60).u32(32, 12);
        buffer.record(39).u64(8, 1234567890123ULL).u32(16, 12);
        buffer.record(38).u32(4, 3).u64(8, 70).u64(16, 80).u32(24, 13).u32(28, 1).u32(32, kNoId);
        buffer.record(49).u32(4, 1).u32(12, 14).u64(24, 512).u64(32, 90).u32(52, 2);
        const auto all = decoded(buffer.bytes());
        QCOMPARE(all.size(), 6U);
        QCOMPARE(all[0].bytes, 4096U);
        QCOMPARE(all[0].detail, 2U);
        QCOMPARE(all[0].device, 3U);
        QCOMPARE(all[0].stream, 5U);
        QCOMPARE(all[0].correlation, 6U);
        QCOMPARE(all[1].bytes, 64U);
        QCOMPARE(all[1].stream, 8U);
        QCOMPARE(all[2].detail, 211U);
        QCOMPARE(all[2].correlation, 12U);
        QCOMPARE(all[3].externalId, 1234567890123ULL);
        QCOMPARE(all[3].correlation, 12U);
        QCOMPARE(all[4].detail, 3U);
        QCOMPARE(all[4].stream, kNoId);
        QCOMPARE(all[5].startNs, 90);
        QCOMPARE(all[5].bytes, 512U);
        QCOMPARE(all[5].device, 2U);
    }

    void skipsAndCountsKindsThatCarryNothing() {
        ActivityBuffer buffer(kApi);
        buffer.record(11).record(11).record(8).kernel(5, 1, 2);
        DecodeReport report;
        const auto all = decoded(buffer.bytes(), &report);
        QCOMPARE(all.size(), 1U);
        QCOMPARE(report.decoded, 1U);
        QCOMPARE(report.skipped, (std::map<std::uint32_t, std::size_t>{{8, 1}, {11, 2}}));
        QCOMPARE(report.bytesLeft, 0U);
    }

    void countsTimesThatCannotBe() {
        ActivityBuffer buffer(kApi);
        buffer.kernel(0, 1, 1).u64(24, 0); // the device's buffer was exhausted
        buffer.kernel(500, 1, 1).u64(24, 400);
        buffer.kernel(50, 1, 1);
        buffer.kernel(5000, 1, 1);
        buffer.kernel(600, 1, 1);
        DecodeReport report;
        const auto all = decoded(buffer.bytes(), &report, {100, 1000});
        QCOMPARE(all.size(), 1U);
        QCOMPARE(all[0].startNs, 600);
        QCOMPARE(report.withoutTimes, 1U);
        QCOMPARE(report.endsBeforeStart, 1U);
        QCOMPARE(report.outsideWindow, 2U);
    }

    void anUnknownKindEndsTheBuffer() {
        ActivityBuffer buffer(kApi);
        buffer.kernel(1, 1, 1).kernel(2, 1, 1).u32(0, 4711).kernel(3, 1, 1);
        DecodeReport report;
        QCOMPARE(decoded(buffer.bytes(), &report).size(), 1U);
        QCOMPARE(report.stoppedAtKind, 4711U);
        QCOMPARE(report.bytesLeft, 2 * activityRecordSize(10, kApi));
    }

    void aBufferCutAnywhereLosesOnlyTheCutRecord() {
        ActivityBuffer buffer(kApi);
        buffer.kernel(1, 1, 1).record(1).u64(16, 5).u64(24, 6).kernel(3, 1, 1);
        for (std::size_t size = 0; size <= buffer.bytes().size(); ++size) {
            // A copy of exactly that size, so that a sanitizer sees every byte read too many.
            const std::vector<std::uint8_t> cut(buffer.bytes().begin(),
                                                buffer.bytes().begin() + static_cast<long>(size));
            DecodeReport report;
            const auto all = decoded(cut, &report);
            std::size_t whole = 0;
            while (whole < 3 && (whole + 1 < 3 ? buffer.offsets()[whole + 1] : buffer.bytes().size()) <= size)
                ++whole;
            QCOMPARE(all.size(), whole);
            QCOMPARE(report.bytesLeft, size - (whole < 3 ? buffer.offsets()[whole] : size));
            QCOMPARE(report.stoppedAtKind, 0U);
        }
    }

    void randomBytesNeverReachBehindTheBuffer() {
        std::mt19937 random(20261129);
        for (int round = 0; round < 3000; ++round) {
            ActivityBuffer buffer(kApi);
            for (int i = 0; i < 4; ++i) {
                const std::uint32_t kind = sizedKinds()[random() % sizedKinds().size()];
                buffer.record(kind);
                for (std::size_t at = 4; at < activityRecordSize(kind, kApi); at += 4)
                    buffer.u32(at, static_cast<std::uint32_t>(random()) % 100);
            }
            auto& bytes = buffer.storage();
            for (int flips = static_cast<int>(random() % 20); flips > 0; --flips)
                bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
            bytes.resize(random() % (bytes.size() + 1));
            bytes.shrink_to_fit();
            DecodeReport report;
            const auto all = decoded(bytes, &report);
            QCOMPARE(all.size(), report.decoded);
            QVERIFY(report.bytesLeft <= bytes.size());
        }
    }

    void sizesGrowWithTheVersion() {
        for (const std::uint32_t kind : sizedKinds()) {
            std::size_t before = 0;
            for (const std::uint32_t api :
                 {20U, 21U, 22U, 23U, 24U, 26U, 28U, 130001U, 130101U, 130202U, 130301U, 130401U, 130500U}) {
                const std::size_t size = activityRecordSize(kind, api);
                QVERIFY(size >= before && size % 8 == 0 && size > 0);
                before = size;
            }
        }
        QCOMPARE(activityRecordSize(10, 28), 208U);
        QCOMPARE(activityRecordSize(10, 130001), 216U);
        QCOMPARE(activityRecordSize(10, 130500), 248U);
        QCOMPARE(activityRecordSize(4711, 28), 0U);
    }

    void refusesAVersionItDoesNotKnow() {
        QVERIFY(knowsApiVersion(20) && knowsApiVersion(130001) && !knowsApiVersion(18) &&
                !knowsApiVersion(140000));
        std::vector<Activity> none;
        try {
            decodeActivities({}, 140000, {}, test::testName, none);
            QFAIL("a version that is not known was taken");
        } catch (const UsageError& error) {
            QVERIFY(std::string(error.what()).find("140000") != std::string::npos);
        }
    }
};

RETRACESCOPE_TEST(ActivityDecoderTest);

#include "activity_decoder_test.moc"
