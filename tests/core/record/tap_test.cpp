#include <retracescope/record/tap.h> // before Qt, whose word "slots" it uses

#include <QTest>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::record;

namespace {

std::vector<std::string> textsOf(const std::list<RareEvent>& events) {
    std::vector<std::string> texts;
    for (const RareEvent& event : events)
        texts.push_back(std::get<MarkEvent>(event.facts).text);
    return texts;
}

} // namespace

class TapTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eventsComeInOrderAndLieWhereUsedOnesDid() {
        Tap& tap = Tap::instance();
        const std::uint64_t recording = tap.open(64, false);
        QVERIFY(recording != 0);
        for (const char* text : {"a", "b", "c"})
            tap.mark(recording, text);
        TakenEvents first = tap.takeEvents();
        QCOMPARE(textsOf(first.events), (std::vector<std::string>{"a", "b", "c"}));
        const RareEvent* const place = &first.events.front();

        tap.mark(recording, "d"); // while the others are still being read
        TakenEvents second = tap.takeEvents(std::move(first.events));
        QCOMPARE(textsOf(second.events), std::vector<std::string>{"d"});

        for (const char* text : {"e", "f", "g", "h"}) // one more than there are places
            tap.mark(recording, text);
        const TakenEvents third = tap.takeEvents(std::move(second.events));
        QCOMPARE(textsOf(third.events), (std::vector<std::string>{"e", "f", "g", "h"}));
        QCOMPARE(&third.events.front(), place);
        tap.close();
        QVERIFY(tap.takeEvents().events.empty());
    }
};

RETRACESCOPE_TEST(TapTest);

#include "tap_test.moc"
