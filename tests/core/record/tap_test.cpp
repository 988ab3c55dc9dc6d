#include <thread>

#include <QTest>

#include <retracescope/base/clock.h>
#include <retracescope/engine/runtime/call_slots.h>
#include <retracescope/record/event_bytes.h>
#include <retracescope/record/tap.h>
#include <retracescope/retracescope.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::record;

namespace {

std::vector<std::string> textsOf(const EventQueue& events) {
    std::vector<std::string> texts;
    events.forEach([&](std::span<const std::byte> bytes, const EventQueue::SharedGraph&) {
        const auto event = eventFrom(bytes);
        texts.push_back(event ? std::get<MarkEvent>(event->facts).text : "no event");
    });
    return texts;
}

/// An entry told to the tap, with a graph that nobody else holds; `gone` tells when it is freed.
std::weak_ptr<const ir::Graph> tellEntry(Tap& tap, int captures, int nodes = 0) {
    const auto graph = std::make_shared<ir::Graph>("g");
    for (int i = 0; i < nodes; ++i)
        graph->addInput(types::tensorType(DType::Float32, Shape{2}), "x");
    for (int i = 0; i < captures; ++i)
        graph->addCapture(ones({3}));
    runtime::EntryFacts facts;
    facts.entry = 1;
    facts.graph = graph;
    tap.onEntry(facts);
    return graph;
}

} // namespace

class TapTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eventsComeInOrder() {
        Tap& tap = Tap::instance();
        const std::uint64_t recording = tap.open(64, false);
        QVERIFY(recording != 0);
        for (const char* text : {"a", "b", "c"})
            tap.mark(recording, text);
        TakenEvents first = tap.takeEvents();
        QCOMPARE(textsOf(first.events), (std::vector<std::string>{"a", "b", "c"}));

        tap.mark(recording, "d"); // while the others are still being read
        TakenEvents second = tap.takeEvents(std::move(first.events));
        QCOMPARE(textsOf(second.events), std::vector<std::string>{"d"});

        std::vector<std::string> many(5000, std::string(100, 'e'));
        many[2500] = std::string(200'000, 'f');
        for (const std::string& text : many)
            tap.mark(recording, text);
        const TakenEvents third = tap.takeEvents(std::move(second.events));
        QVERIFY(textsOf(third.events) == many);
        tap.close();
        QVERIFY(tap.takeEvents().events.empty());
    }

    /// A graph that the tap holds alone goes at the next entry, where it was made, or when nothing comes.
    void usedGraphsGoWhereTheyWereMade() {
        Tap& tap = Tap::instance();
        QVERIFY(tap.open(64, false) != 0);
        const auto one = tellEntry(tap, 0);
        const auto two = tellEntry(tap, 0);
        const auto heavy = tellEntry(tap, 1);
        TakenEvents taken = tap.takeEvents();
        int graphs = 0;
        taken.events.forEach([&](auto, const EventQueue::SharedGraph& graph) { graphs += graph ? 1 : 0; });
        QCOMPARE(graphs, 3);
        QVERIFY(!one.expired() && !two.expired() && !heavy.expired());

        taken = tap.takeEvents(std::move(taken.events));
        QVERIFY(heavy.expired()); // tensors are not kept
        QVERIFY(!one.expired() && !two.expired());
        const auto three = tellEntry(tap, 0);
        QVERIFY(!one.expired() && two.expired());

        taken = tap.takeEvents(std::move(taken.events)); // takes the third
        QVERIFY(!one.expired());
        taken = tap.takeEvents(std::move(taken.events));
        QVERIFY(!one.expired() && !three.expired());
        taken = tap.takeEvents(std::move(taken.events)); // nothing came since
        QVERIFY(one.expired() && three.expired());
        tap.close();
    }

    /// However often there was nothing to do in between.
    void roomForUsedGraphsComesBackWhenTheyGo() {
        Tap& tap = Tap::instance();
        QVERIFY(tap.open(64, false) != 0);
        for (int round = 0; round < 400; ++round) {
            const auto graph = tellEntry(tap, 0, 1000);
            TakenEvents taken = tap.takeEvents();
            taken = tap.takeEvents(std::move(taken.events));
            QVERIFY2(!graph.expired(), std::to_string(round).c_str());
            taken = tap.takeEvents(std::move(taken.events));
            QVERIFY(graph.expired());
        }
        tap.close();
    }

    void whatTheEngineDoesToTellIsACostOfRecording() {
        Tap& tap = Tap::instance();
        QVERIFY(tap.open(64, false) != 0);
        constexpr std::uint64_t kGathering = 1'000'000'000;
        const auto costs = [&](const auto& tell) {
            const std::uint64_t before = tap.ticksSpent();
            tell(ticks() - kGathering);
            return tap.ticksSpent() - before;
        };
        const auto function = costs([&](std::uint64_t since) {
            runtime::FunctionFacts facts;
            facts.since = since;
            tap.onFunction(facts);
        });
        const auto miss = costs([&](std::uint64_t since) {
            runtime::MissFacts facts;
            facts.since = since;
            tap.onMiss(facts);
        });
        const auto entry = costs([&](std::uint64_t since) {
            runtime::EntryFacts facts;
            facts.since = since;
            tap.onEntry(facts);
        });
        QVERIFY(function >= kGathering && miss >= kGathering && entry >= kGathering);
        tap.close();
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
