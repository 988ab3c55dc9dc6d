#include <QTemporaryDir>
#include <QTest>

#include <retracescope/record/event_bytes.h>
#include <retracescope/record/journal.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::record;

namespace {

RareEvent eventOf(RareFacts facts) {
    return {ThreadIdentity{3, 4711, "worker"}, std::move(facts)};
}

std::vector<std::byte> bytesOf(const RareEvent& event) {
    std::vector<std::byte> bytes;
    appendBytes(event.thread, event.facts, bytes);
    return bytes;
}

RareEvent someMiss() {
    MissEvent miss;
    miss.facts.function = 7;
    miss.facts.callNumber = 12;
    miss.facts.at = 99;
    miss.facts.request = {{"x.shape[0]", types::ComponentKind::Dimension, "2", false},
                          {"x.shape[1]", types::ComponentKind::Dimension, "None", true}};
    miss.facts.requestText = "(x=float32[2,None])";
    miss.facts.otherKinds = {types::MissKind::FirstCall, types::MissKind::NotExplained};
    miss.file = "train.cpp";
    miss.function = "main";
    return eventOf(std::move(miss));
}

} // namespace

class JournalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eventsComeBackAsTheyWere() {
        const auto read = eventFrom(bytesOf(someMiss()));
        QVERIFY(read.has_value());
        QCOMPARE(read->thread.number, 3u);
        QCOMPARE(read->thread.systemId, 4711);
        QCOMPARE(read->thread.name, std::string("worker"));
        const auto& miss = std::get<MissEvent>(read->facts);
        const RareEvent event = someMiss();
        const auto& wanted = std::get<MissEvent>(event.facts);
        QCOMPARE(miss.facts.callNumber, wanted.facts.callNumber);
        QVERIFY(miss.facts.request == wanted.facts.request);
        QVERIFY(miss.facts.otherKinds == wanted.facts.otherKinds);
        QCOMPARE(miss.facts.requestText, wanted.facts.requestText);
        QCOMPARE(miss.file, wanted.file);
        for (RareFacts facts : {RareFacts(FunctionEvent()), RareFacts(TraceBeginEvent{1, 2}),
                                RareFacts(EntryEvent()), RareFacts(TraceEndEvent()), RareFacts(PhaseEvent()),
                                RareFacts(DropEvent{5, runtime::DropReason::Evicted, 6}),
                                RareFacts(WarningEvent{1, "text", 2}), RareFacts(MarkEvent{"mark", 3})}) {
            const auto again = eventFrom(bytesOf(eventOf(facts)));
            QVERIFY(again.has_value());
            QCOMPARE(again->facts.index(), facts.index());
            QVERIFY(bytesOf(*again) == bytesOf(eventOf(facts)));
        }
    }

    void brokenBytesAreNoEvent() {
        const std::vector<std::byte> bytes = bytesOf(someMiss());
        for (std::size_t size = 0; size < bytes.size(); ++size)
            QVERIFY(!eventFrom(std::span(bytes).first(size)).has_value());
        std::vector<std::byte> longer = bytes;
        longer.push_back(std::byte{0});
        QVERIFY(!eventFrom(longer).has_value());
        std::vector<std::byte> unknown = bytes;
        unknown[4 + 8 + 4 + 6] = std::byte{200}; // what kind of event it is
        QVERIFY(!eventFrom(unknown).has_value());
    }

    void goesRoundInItsRoom() {
        QTemporaryDir folder;
        const auto made = RingFile::create(folder.filePath("rings").toStdString(), 1);
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        Journal journal(*made);
        const std::vector<std::byte> event = bytesOf(eventOf(MarkEvent{std::string(100'000, 'x'), 1}));
        int kept = 0;
        while (journal.append(event))
            ++kept;
        QCOMPARE(kept, static_cast<int>(Journal::kBytes / 100'045));
        for (int round = 0; round < 100; ++round) { // what is released makes room for as much
            journal.release(journal.position());
            for (int i = 0; i < kept; ++i)
                QVERIFY(journal.append(event));
        }
        QVERIFY(!journal.append(event));
    }

    void withoutAFileNothingIsKept() {
        Journal journal(nullptr);
        QVERIFY(!journal.append(bytesOf(someMiss())));
        QCOMPARE(journal.position(), std::uint64_t{0});
        journal.release(0);
    }
};

RETRACESCOPE_TEST(JournalTest);

#include "journal_test.moc"
