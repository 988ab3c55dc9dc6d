#include <deque>
#include <random>

#include <QTest>

#include <fmt/format.h>

#include <retracescope/record/ring.h>

#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using record::Ring;
using record::RingGap;
using record::RingNodes;
using runtime::CallFacts;
using runtime::CallOutcome;

namespace {

std::string textOf(const CallFacts& call) {
    return fmt::format("call {} {} {} {}-{} {}", call.entry, call.number, static_cast<int>(call.outcome),
                       call.begin, call.end, call.traceTicks);
}

std::string nodesText(std::uint32_t entry, std::uint64_t begin, const std::vector<std::uint64_t>& ticks) {
    return fmt::format("nodes {} {}: {}", entry, begin, fmt::join(ticks, " "));
}

/// What the drainer gets, one text per event; functions that hits leave out are 0.
std::vector<std::string> drained(Ring& ring) {
    std::vector<std::string> texts;
    struct Take {
        std::vector<std::string>& texts;
        void operator()(const CallFacts& call) const { texts.push_back(textOf(call)); }
        void operator()(const RingGap& gap) const {
            texts.push_back(fmt::format("gap {} {}", gap.count, gap.begin));
        }
        void operator()(const RingNodes& nodes, const auto& ticksOf) const {
            std::vector<std::uint64_t> ticks;
            for (std::uint32_t node = 0; node < nodes.count; ++node)
                ticks.push_back(ticksOf(node));
            texts.push_back(nodesText(nodes.entry, nodes.begin, ticks));
        }
    };
    ring.drainTo(ring.published(), Take{texts});
    return texts;
}

/// Calls as threads make them, and all that is unusual: nested, long, long ago, failed, traced.
class Calls {
public:
    explicit Calls(std::uint32_t seed) : m_random(seed) {}

    CallFacts next() {
        m_now +=
            oneOf(std::uint64_t{50}, std::uint64_t{4000}, std::uint64_t{1} << 31, std::uint64_t{1} << 40);
        CallFacts call{7, 1 + below(5), ++m_number, CallOutcome::Hit, m_now, 0, 0};
        if (below(4) == 0) // reported after what it held
            call.begin -= oneOf(std::uint64_t{300}, std::uint64_t{1} << 31, std::uint64_t{1} << 33);
        call.end = call.begin + oneOf(std::uint64_t{0}, std::uint64_t{90}, std::uint64_t{0xffffffff},
                                      std::uint64_t{1} << 32);
        if (below(10) == 0)
            call.outcome = static_cast<CallOutcome>(below(4));
        if (below(20) == 0)
            call.entry = 0;
        if (below(20) == 0)
            call.traceTicks = std::uint64_t{1} << below(60);
        return call;
    }

    std::uint32_t below(std::uint32_t count) { return m_random() % count; }

private:
    std::uint64_t oneOf(auto... values) {
        const std::array<std::uint64_t, sizeof...(values)> all{values...};
        return all[below(sizeof...(values))];
    }

    std::mt19937 m_random;
    std::uint64_t m_now = std::uint64_t{1} << 50;
    std::uint32_t m_number = 0;
};

} // namespace

class RingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void givesBackWhatWasPushed() {
        for (int seed = 0; seed < test::rounds(100); ++seed) {
            Calls calls(static_cast<std::uint32_t>(seed));
            Ring ring(1024);
            for (int round = 0; round < 40; ++round) {
                std::vector<std::string> pushed;
                for (std::uint32_t i = calls.below(200); i > 0; --i) {
                    if (calls.below(20) > 0) {
                        const CallFacts call = calls.next();
                        ring.pushCall(call);
                        pushed.push_back(textOf(call));
                        continue;
                    }
                    std::vector<std::uint64_t> boundaries{calls.next().begin};
                    std::vector<std::uint64_t> ticks;
                    for (std::uint32_t node = 1 + calls.below(9); node > 0; --node) {
                        ticks.push_back(calls.below(2) * calls.below(5000));
                        boundaries.push_back(boundaries.back() + ticks.back());
                    }
                    ring.pushNodes(3, boundaries);
                    pushed.push_back(nodesText(3, boundaries[0], ticks));
                }
                if (calls.below(5) == 0)
                    ring.discard();
                else
                    QCOMPARE(drained(ring), pushed);
            }
            QCOMPARE(ring.dropped(), std::uint64_t{0});
        }
    }

    void aHitTakesOneSlotAndAnyOtherCallThree() {
        const CallFacts hit{7, 1, 1, CallOutcome::Hit, 1000, 1050, 0};
        CallFacts traced = hit;
        traced.outcome = CallOutcome::Traced;
        traced.traceTicks = 40;
        Ring ring(64);
        ring.pushCall(hit);
        QCOMPARE(ring.published(), Ring::kHitSlots);
        ring.pushCall(traced);
        QCOMPARE(ring.published(), Ring::kHitSlots + Ring::kCallSlots);
        QCOMPARE(Ring::kHitSlots * Ring::kSlotBytes, std::size_t{16});
    }

    void whatFindsNoRoomIsCountedAndToldBeforeWhatComesNext() {
        Ring ring(64);
        std::uint32_t number = 0;
        const auto hit = [&] {
            ++number;
            return CallFacts{7, 1, number, CallOutcome::Hit, 100 * number, 100 * number + 50, 0};
        };
        for (int i = 0; i < 70; ++i)
            ring.pushCall(hit());
        ring.pushNodes(1, std::vector<std::uint64_t>{9000, 9000, 9010, 9030}); // two of the three ran
        QCOMPARE(ring.dropped(), std::uint64_t{8});
        QCOMPARE(drained(ring).size(), std::size_t{64});
        const CallFacts next = hit();
        ring.pushCall(next);
        QCOMPARE(drained(ring), (std::vector<std::string>{"gap 8 6500", textOf(next)}));
        QCOMPARE(ring.dropped(), std::uint64_t{8});
        ring.discard();
        QCOMPARE(ring.dropped(), std::uint64_t{0});
    }

    void nodesOfALongRunKeepTheirTimesToOnePartIn4Billion() {
        Ring ring(64);
        const std::uint64_t longest = (std::uint64_t{1} << 35) + 12345;
        ring.pushNodes(1, std::vector<std::uint64_t>{1000, 1000 + longest, 1003 + longest});
        const std::vector<std::uint64_t> expected{longest >> 4 << 4, 1u << 4}; // a node that ran stays one
        QCOMPARE(drained(ring), std::vector<std::string>{nodesText(1, 1000, expected)});
    }
};

RETRACESCOPE_TEST(RingTest);

#include "ring_test.moc"
