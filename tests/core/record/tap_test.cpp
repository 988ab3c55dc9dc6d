#include <thread>

#include <QTest>

#include <retracescope/engine/runtime/call_slots.h>
#include <retracescope/record/tap.h>

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

    void aThreadThatEndsWritesToItsSlotsNoMore() {
        Tap& tap = Tap::instance();
        QVERIFY(tap.open(64, false) != 0);
        static const auto tell = [] {
            runtime::tellCall(*runtime::installation(), {1, 1, 1, runtime::CallOutcome::Hit, 10, 20, 0});
        };
        struct Late { // made before the tap's own, so that it goes after that
            ~Late() { tell(); }
        };
        std::thread([] {
            const thread_local Late late;
            static_cast<void>(&late);
            tell();
            tell();
        }).join();
        const auto threads = tap.threads();
        QCOMPARE(threads.size(), std::size_t{2});
        QCOMPARE(threads[1]->ring.published(), std::size_t{2});
        tap.close();
    }

    /// Slots that were lent for one recording take nothing of what is told to a later one or to somebody
    /// else.
    void slotsServeTheRecordingTheyWereLentForAlone() {
        Tap& tap = Tap::instance();
        for (std::uint32_t recording = 1; recording <= 2; ++recording) {
            QVERIFY(tap.open(64, false) != 0);
            const runtime::Installation* const now = runtime::installation();
            for (std::uint32_t number = 1; number <= recording; ++number)
                runtime::tellCall(*now, {1, 1, number, runtime::CallOutcome::Hit, 10, 20, 0});
            const auto threads = tap.threads();
            QCOMPARE(threads.size(), std::size_t{1});
            QCOMPARE(threads[0]->ring.published(), std::size_t{recording});
            tap.close();
        }
        struct Listener : runtime::Observer {
            void onFunction(const runtime::FunctionFacts&) override {}
            void onMiss(const runtime::MissFacts&) override {}
            void onTraceBegin(runtime::FunctionKey, std::uint64_t) override {}
            void onEntry(const runtime::EntryFacts&) override {}
            void onTraceEnd(const runtime::TraceFacts&) override {}
            void onPhase(const runtime::PhaseFacts&) override {}
            void onDrop(runtime::EntryKey, runtime::DropReason, std::uint64_t) override {}
            void onWarning(runtime::FunctionKey, std::string_view, std::uint64_t) override {}
            void onCall(const runtime::CallFacts& facts) noexcept override { heard += facts.number; }
            std::uint32_t heard = 0;
        } listener;
        runtime::setObserver(&listener);
        runtime::tellCall(*runtime::installation(), {1, 1, 5, runtime::CallOutcome::Hit, 10, 20, 0});
        runtime::setObserver(nullptr);
        QCOMPARE(listener.heard, 5u);
    }
};

RETRACESCOPE_TEST(TapTest);

#include "tap_test.moc"
