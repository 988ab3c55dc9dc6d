#include <deque>
#include <random>

#include <QTest>

#include <retracescope/record/ring.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::record;

namespace {

runtime::CallFacts call(std::uint32_t number, std::uint64_t traceTicks = 0) {
    return {7,
            9,
            number,
            runtime::CallOutcome::Hit,
            100 * std::uint64_t{number},
            100 * std::uint64_t{number} + 30,
            traceTicks};
}

/// What the engine does for each call: true if the slots took it.
bool tell(Ring& ring, const runtime::CallFacts& facts) {
    if (ring.callSlots().take(facts))
        return true;
    ring.pushCall(facts);
    return false;
}

std::vector<std::string> drained(Ring& ring) {
    std::vector<std::string> all;
    ring.drainTo(ring.published(), [&](const RingRecord& record, const auto& following) {
        switch (kindOf(record)) {
        case RecordKind::Call:
            all.push_back("call " + std::to_string(record.number));
            break;
        case RecordKind::TraceTime:
            all.push_back("trace time " + std::to_string(durationOf(record)));
            break;
        case RecordKind::Nodes:
            all.push_back(
                "nodes " + std::to_string(record.number) + " last " +
                std::to_string(std::bit_cast<std::array<std::uint32_t, Ring::kNodesPerRecord>>(
                    following((record.number - 1) /
                              Ring::kNodesPerRecord))[(record.number - 1) % Ring::kNodesPerRecord]));
            break;
        case RecordKind::Gap:
            all.push_back("gap " + std::to_string(record.number));
            break;
        }
    });
    return all;
}

} // namespace

class RingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void callsNeedNobodyButTheOneThatFillsAHalf() {
        Ring ring(16);
        std::vector<std::uint32_t> asked;
        std::vector<std::uint32_t> woke;
        for (std::uint32_t number = 1; number <= 18; ++number) {
            if (ring.callSlots().take(call(number)))
                continue;
            asked.push_back(number);
            if (ring.pushCall(call(number)))
                woke.push_back(number);
        }
        QCOMPARE(asked,
                 (std::vector<std::uint32_t>{1, 8, 17, 18})); // the first, the half, and beyond the end
        QCOMPARE(woke, std::vector<std::uint32_t>{8});
        QCOMPARE(ring.dropped(), 2u);
        QVERIFY(ring.isHalfFull());
        QCOMPARE(drained(ring).size(), std::size_t{16});
        ring.release();
        QVERIFY(!ring.isHalfFull());
    }

    void aCallIsWrittenAsItWasTold() {
        Ring ring(16);
        const runtime::CallFacts facts{3, 4, 5, runtime::CallOutcome::Error, 1000, 1250, 0};
        for (int i = 0; i < 2; ++i) // by the ring, then by its slots
            tell(ring, facts);
        int seen = 0;
        ring.drainTo(ring.published(), [&](const RingRecord& record, const auto&) {
            ++seen;
            QVERIFY(kindOf(record) == RecordKind::Call);
            QCOMPARE(record.begin, 1000u);
            QCOMPARE(durationOf(record), 250u);
            QCOMPARE(record.function, 3u);
            QCOMPARE(record.entry, 4u);
            QCOMPARE(record.number, 5u);
            QCOMPARE(record.detail, static_cast<std::uint32_t>(runtime::CallOutcome::Error));
        });
        QCOMPARE(seen, 2);

        tell(ring, {3, 4, 6, runtime::CallOutcome::Hit, 1000, 999, 0}); // by two clocks
        ring.drainTo(ring.published(), [&](const RingRecord& record, const auto&) {
            ++seen;
            QVERIFY(kindOf(record) == RecordKind::Call);
            QCOMPARE(durationOf(record), 0u);
        });
        QCOMPARE(seen, 3);
    }

    void aLossIsToldBeforeWhatFollowsIt() {
        Ring ring(8);
        for (std::uint32_t number = 1; number <= 10; ++number)
            tell(ring, call(number));
        QCOMPARE(drained(ring).size(), std::size_t{8});
        ring.release();
        for (std::uint32_t number = 11; number <= 12; ++number)
            tell(ring, call(number));
        QCOMPARE(drained(ring), (std::vector<std::string>{"gap 2", "call 11", "call 12"}));
    }

    void nodesThatDoNotFitLeaveAGapThoughCallsStillFit() {
        Ring ring(16);
        tell(ring, call(1));
        std::vector<std::uint64_t> boundaries(140);
        for (std::size_t i = 0; i < boundaries.size(); ++i)
            boundaries[i] = i;
        ring.pushNodes(9, boundaries); // 18 records
        QVERIFY(!tell(ring, call(2)));
        QVERIFY(tell(ring, call(3)));
        QCOMPARE(drained(ring), (std::vector<std::string>{"call 1", "gap 139", "call 2", "call 3"}));
        QCOMPARE(ring.dropped(), 139u);
    }

    /// Whatever is pushed, drained and released when: all comes out in order, or is counted in a gap where it
    /// is missing.
    void randomUseLosesNothingUncounted() {
        std::mt19937 random(7);
        const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
        for (int round = 0; round < 200; ++round) {
            Ring ring(std::size_t{1} << (2 + below(5)));
            std::deque<std::string> expected; // with "" for what was lost
            std::vector<std::string> got;
            std::uint32_t number = 0;
            const auto drain = [&] {
                for (std::string& each : drained(ring))
                    got.push_back(std::move(each));
            };
            for (int step = 0; step < 400; ++step) {
                const std::uint64_t before = ring.dropped();
                switch (below(8)) {
                case 0:
                    drain();
                    break;
                case 1:
                    ring.release();
                    break;
                case 2: {
                    const std::uint32_t nodes = 1 + below(40);
                    std::vector<std::uint64_t> boundaries;
                    for (std::uint64_t i = 0; i <= nodes; ++i)
                        boundaries.push_back(i * 3);
                    ring.pushNodes(9, boundaries);
                    if (ring.dropped() == before)
                        expected.push_back("nodes " + std::to_string(nodes) + " last 3");
                    else
                        expected.insert(expected.end(), nodes, "");
                    break;
                }
                case 3:
                    tell(ring, call(++number, 5));
                    if (ring.dropped() == before) {
                        expected.push_back("trace time 5");
                        expected.push_back("call " + std::to_string(number));
                    } else {
                        expected.push_back("");
                    }
                    break;
                default:
                    tell(ring, call(++number));
                    expected.push_back(ring.dropped() == before ? "call " + std::to_string(number) : "");
                }
            }
            drain();
            ring.release();
            tell(ring, call(++number)); // what comes after a loss tells it
            expected.push_back("call " + std::to_string(number));
            drain();
            for (const std::string& each : got) {
                if (each.starts_with("gap ")) {
                    for (int lost = std::stoi(each.substr(4)); lost > 0; --lost) {
                        QVERIFY(!expected.empty());
                        QCOMPARE(expected.front(), std::string());
                        expected.pop_front();
                    }
                } else {
                    QVERIFY(!expected.empty());
                    QCOMPARE(each, expected.front());
                    expected.pop_front();
                }
            }
            QVERIFY(expected.empty());
        }
    }
};

RETRACESCOPE_TEST(RingTest);

#include "ring_test.moc"
