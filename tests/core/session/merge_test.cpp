#include <QTest>

#include <retracescope/session/merge.h>

#include "tests/core/session/random_session.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// One instant at the start and one at the end.
SessionPtr lasting(std::int64_t startNs, std::int64_t durationNs, const char* format) {
    auto session = std::make_shared<Session>();
    session->imported.format = format;
    session->lanes.push_back({});
    session->instants.timeNs = {startNs, startNs + durationNs};
    session->instants.lane.assign(2, LaneId(0u));
    session->instants.name.assign(2, session->strings.intern("tick"));
    session->instants.args.assign(2, session->strings.intern(""));
    updateExtent(*session);
    return session;
}

} // namespace

class MergeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsAllRowsOfAll() {
        const auto one = std::make_shared<Session>(test::randomSession(1, 40));
        const auto two = std::make_shared<Session>(test::randomSession(2, 30));
        const SessionPtr both[] = {one, two};
        const Session merged = mergeSessions(both);
        QCOMPARE(merged.eventCount(), one->eventCount() + two->eventCount());
        QCOMPARE(merged.misses.size(), one->misses.size() + two->misses.size());
        QCOMPARE(merged.graphs.size(), one->graphs.size() + two->graphs.size());
        const std::size_t row = one->calls.size();
        QCOMPARE(merged.text(merged[merged.calls.function[row]].name),
                 two->text((*two)[two->calls.function[0]].name));
    }

    void filesOfUnrelatedClocksAreWarnedOf_data() {
        QTest::addColumn<qint64>("gapNs");
        QTest::addColumn<qint64>("lengthNs");
        QTest::addColumn<bool>("warns");
        QTest::newRow("side by side") << qint64{-5} * kSecond << qint64{10} * kSecond << false;
        QTest::newRow("one after the other") << qint64{30} * kSecond << qint64{1} * kSecond << false;
        QTest::newRow("long ones, some time apart") << qint64{200} * kSecond << qint64{60} * kSecond << false;
        QTest::newRow("hours apart") << qint64{400 * 3600} * kSecond << qint64{10} * kSecond << true;
    }
    void filesOfUnrelatedClocksAreWarnedOf() {
        QFETCH(const qint64, gapNs);
        QFETCH(const qint64, lengthNs);
        QFETCH(const bool, warns);
        for (const char* format : {"", "chrome trace"}) {
            const SessionPtr late = lasting(lengthNs + gapNs, lengthNs, format);
            const SessionPtr files[] = {late, lasting(0, lengthNs, format)};
            const Session merged = mergeSessions(files);
            const auto& warnings = *format == 0 ? merged.warnings : merged.imported.warnings;
            QCOMPARE(!warnings.empty(), warns);
            QVERIFY(!warns || warnings[0].find("unrelated") != std::string::npos);
        }
    }

    void aFileWithoutEventsLiesNowhere() {
        const auto graphs = std::make_shared<Session>();
        const SessionPtr files[] = {lasting(9'000'000 * kSecond, kSecond, ""), graphs};
        QVERIFY(mergeSessions(files).warnings.empty());
    }
};

RETRACESCOPE_TEST(MergeTest);

#include "merge_test.moc"
