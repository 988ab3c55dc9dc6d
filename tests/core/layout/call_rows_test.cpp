#include <algorithm>
#include <random>
#include <sstream>

#include <QTest>

#include <retracescope/layout/call_rows.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::layout;

namespace {

/// "a 0-10, b 5-15": thread, start and end of each call.
std::vector<CallSpan> calls(const std::string& text) {
    std::vector<CallSpan> result;
    std::istringstream in(text);
    char thread = 0;
    char dash = 0;
    CallSpan call;
    while (in >> thread >> call.startNs >> dash >> call.endNs) {
        call.thread = session::LaneId(static_cast<std::uint32_t>(thread - 'a'));
        result.push_back(call);
        in >> dash; // the comma
    }
    return result;
}

std::string rowsOf(const std::string& text) {
    std::string out;
    for (const std::size_t row : callRows(calls(text)))
        out += std::to_string(row) + " ";
    return out;
}

} // namespace

class CallRowsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void callsOneAfterTheOtherShareARow() { QCOMPARE(rowsOf("a 0-10, b 10-20, a 25-30"), "0 0 0 "); }

    void aRecursionLiesBelowItsCaller() {
        QCOMPARE(rowsOf("a 0-10, a 1-9, a 2-3, a 4-5, a 12-13"), "0 1 2 2 0 ");
    }

    void callsOfOtherThreadsGetRowsOfTheirOwn() {
        QCOMPARE(rowsOf("a 0-10, b 2-4, b 5-15, a 11-12"), "0 1 1 0 ");
    }

    void aCallThatRecursKeepsTheRowsBelowItFree() {
        // b begins when the row below a is still empty, but a will need it.
        QCOMPARE(rowsOf("a 0-10, b 1-3, a 4-9"), "0 2 1 ");
    }

    void randomCallsNeverShareARowAndKeepTheirOrderOfNesting() {
        std::mt19937 random(3);
        for (int round = 0; round < 50; ++round) {
            std::vector<CallSpan> spans;
            for (int i = 0; i < 120; ++i) {
                const auto start = static_cast<std::int64_t>(random() % 400);
                spans.push_back({start, start + static_cast<std::int64_t>(random() % 60),
                                 session::LaneId(static_cast<std::uint32_t>(random() % 4))});
            }
            std::ranges::sort(spans, [](const CallSpan& a, const CallSpan& b) {
                return a.startNs != b.startNs ? a.startNs < b.startNs : a.endNs > b.endNs;
            });
            const auto rows = callRows(spans);
            for (std::size_t i = 0; i < spans.size(); ++i) {
                for (std::size_t k = i + 1; k < spans.size(); ++k)
                    QVERIFY(rows[i] != rows[k] || spans[i].endNs <= spans[k].startNs);
            }
        }
    }
};

RETRACESCOPE_TEST(CallRowsTest);

#include "call_rows_test.moc"
