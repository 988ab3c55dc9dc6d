#include <algorithm>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/base/clock.h>
#include <retracescope/base/files.h>
#include <retracescope/record/recorder.h>
#include <retracescope/session/compared.h>
#include <retracescope/session/file.h>
#include <retracescope/session/sqlite.h>
#include <retracescope/session/table_reader.h>

#include "tests/core/record/fake_engine.h"
#include "tests/support/error_of.h"
#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using test::FakeFunction;

namespace {

std::string missText(const Session& session, const Index& index, const Miss& miss) {
    std::string text = fmt::format("{} call {} ", session.text(session[miss.function].name), miss.callNumber);
    text += miss.call.isValid() ? fmt::format("at row {}", miss.call.value) : "no row";
    text +=
        miss.entry.isValid() ? fmt::format(" -> {}", session.text(session[miss.entry].name)) : " -> nothing";
    for (const types::MissKind kind : miss.otherKinds)
        text += fmt::format(" {}", types::missKindName(kind));
    for (const EntryId compared : comparedWith(session, index, miss)) {
        for (const types::Difference& d : differencesTo(session, miss, compared))
            text += fmt::format(" [{}: {} {} -> {}]", session.text(session[compared].name), d.path, d.before,
                                d.after);
    }
    if (!session.text(miss.exception).empty())
        text += fmt::format(" failed: {}", session.text(miss.exception));
    return text + "\n";
}

std::string missesText(const Session& session) {
    const Index index = buildIndex(session);
    std::string text;
    for (const Miss& miss : session.misses)
        text += missText(session, index, miss);
    return text;
}

auto isUsers(const Session& session) {
    return [&](const Mark& mark) { return session.text(mark.kind) == "user"; };
}

/// The spans of a session as "category name", indented by nesting.
std::string spansText(const Session& session) {
    std::string text;
    for (std::size_t row = 0; row < session.spans.size(); ++row)
        text += fmt::format("{} {}\n", session.text(session.spans.category[row]),
                            session.text(session.spans.name[row]));
    return text;
}

} // namespace

class RecorderTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path file(const char* name) const { return m_folder.filePath(name).toStdString(); }

    SessionPtr read(const char* name) const {
        auto session = readSession(file(name));
        if (!session)
            qFatal("%s", session.error().message.c_str());
        for (const std::string& warning : (*session)->warnings)
            qWarning("%s", warning.c_str());
        return *session;
    }

private Q_SLOTS:
    void theRingOfAThreadThatEndedServesTheNextOne() {
        constexpr int kThreads = 60;
        std::uintmax_t largest = 0;
        {
            Recorder recorder(file("threads.retrace"));
            FakeFunction f("f");
            f.call(2);
            for (int i = 0; i < kThreads; ++i) {
                std::thread([&] { f.hit(2, 10); }).join();
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                largest = std::max(largest,
                                   std::filesystem::file_size(file("threads.retrace").string() + "-rings"));
            }
        }
        // Each has a ring of 1 MiB until what it held is written: at most 50 ms, of which a few overlap.
        QVERIFY2(largest < std::uintmax_t{kThreads / 2} << 20, qPrintable(QString::number(largest)));
        const SessionPtr session = read("threads.retrace");
        QCOMPARE(session->calls.size(), std::size_t{1 + 10 * kThreads});
        QCOMPARE(session->lanes.size(), std::size_t{1 + kThreads});
    }

    void aForkedChildRecordsNothing() {
        {
            Recorder recorder(file("forked.retrace"));
            FakeFunction f("f");
            f.call(2);
            const pid_t child = fork();
            if (child == 0) {
                f.hit(2, 1000);
                FakeFunction("of the child").call(3);
                _exit(runtime::observer() == nullptr ? 0 : 1);
            }
            int status = -1;
            QCOMPARE(waitpid(child, &status, 0), child);
            QCOMPARE(status, 0);
            f.hit(2, 5);
        }
        const SessionPtr session = read("forked.retrace");
        QCOMPARE(session->calls.size(), std::size_t{6});
        QCOMPARE(session->functions.size(), std::size_t{1});
        QVERIFY(!std::filesystem::exists(file("forked.retrace").string() + "-rings"));
    }

    void aForkedChildMayRecordItself() {
#if defined(__SANITIZE_THREAD__)
        QSKIP("the thread sanitizer lets a forked child start no threads");
#endif
        {
            Recorder recorder(file("parent.retrace"));
            FakeFunction f("f");
            f.call(2);
            const pid_t child = fork();
            if (child == 0) {
                try {
                    const std::string refusal =
                        test::errorOf<RecorderError>([&] { Recorder(file("parent.retrace")); });
                    if (refusal.find("another process is recording there") == std::string::npos)
                        _exit(3);
                    Recorder own(file("child.retrace"));
                    FakeFunction g("g");
                    g.call(3);
                    g.hit(3, 4);
                    own.close();
                    _exit(own.failure().empty() && runtime::observer() == nullptr ? 0 : 1);
                } catch (const std::exception&) {
                    _exit(2);
                }
            }
            int status = -1;
            QCOMPARE(waitpid(child, &status, 0), child);
            QCOMPARE(status, 0);
            f.hit(2, 5);
        }
        for (const auto& [name, calls] : {std::pair("parent.retrace", 6), std::pair("child.retrace", 5)}) {
            const SessionPtr session = read(name);
            QCOMPARE(session->calls.size(), static_cast<std::size_t>(calls));
            QCOMPARE(session->functions.size(), std::size_t{1});
        }
    }

    void recordsCallsMissesEntriesAndGraphs() {
        {
            Recorder recorder(file("lesson.retrace"));
            FakeFunction f("process");
            f.call(2);
            f.hit(2);
            f.call(3);
            f.fail(7, "[add] shapes differ");
        }
        const SessionPtr session = read("lesson.retrace");
        QVERIFY(session->closedProperly);
        QCOMPARE(QString::fromStdString(missesText(*session)),
                 "process call 1 at row 0 -> process_1 first_call\n"
                 "process call 3 at row 2 -> process_2 [process_1: x.shape[0] 2 -> 3]\n"
                 "process call 4 at row 3 -> nothing [process_1: x.shape[0] 2 -> 7] [process_2: x.shape[0] 3 "
                 "-> 7] "
                 "failed: [add] shapes differ\n");
        QCOMPARE(session->calls.outcome,
                 (std::vector{Outcome::Traced, Outcome::Hit, Outcome::Traced, Outcome::Error}));
        QCOMPARE(session->calls.number, (std::vector<std::uint32_t>{1, 2, 3, 4}));
        QCOMPARE(session->functions[0].bodyRuns, 3);
        QVERIFY(session->entries[0].traceNs > 200'000);
        QVERIFY(session->calls.traceNs[0] >= session->entries[0].traceNs);
        QCOMPARE(session->entries[0].nodeCount, 2);
        const Graph& graph = (*session)[session->entries[1].graph];
        QCOMPARE(QString::fromStdString(std::string(session->text(graph.nodes[1].op))), "add");
        QCOMPARE(QString::fromStdString(std::string(session->text(graph.nodes[1].type))), "float32[3]");
        QCOMPARE(graph.nodes[1].line, 12u);
        QCOMPARE(graph.nodes[1].inputCount, 2u);
        const Stack& stack = (*session)[session->calls.stack[0]];
        QCOMPARE(stack.frames.at(0).line, 20u);
        QCOMPARE(QString::fromStdString(std::string(session->fact("recording", "events"))), "9");
        QCOMPARE(QString::fromStdString(std::string(session->fact("recording", "dropped"))), "0");
        QVERIFY(std::stod(std::string(session->fact("recording", "overhead_ns"))) > 0);
    }

    void subtractsInnerTracesFromOuterOnes() {
        {
            Recorder recorder(file("nested.retrace"));
            FakeFunction inner("inner");
            FakeFunction outer("outer");
            outer.call(2, {&inner});
        }
        const SessionPtr session = read("nested.retrace");
        QCOMPARE(QString::fromStdString(spansText(*session)),
                 "optimise fold constants\ntrace inner\noptimise fold constants\ntrace outer\n");
        const Index index = buildIndex(*session);
        const auto functions = summarizeFunctions(*session, index);
        std::int64_t wholeNs = 0;
        for (std::size_t row = 0; row < session->spans.size(); ++row) {
            if (session->text(session->spans.name[row]) == "outer")
                wholeNs = session->spans.durationNs[row];
        }
        const std::int64_t sum = functions[0].tracingNs + functions[1].tracingNs;
        QVERIFY(wholeNs >= 400'000);
        QVERIFY2(std::abs(sum - wholeNs) <= wholeNs / 100,
                 qPrintable(QString("%1 %2").arg(sum).arg(wholeNs)));
        // Times from different flushes stay nested.
        QVERIFY(session->calls.startNs[0] >= session->calls.startNs[1]);
    }

    void notesDropsMarksAndWarnings() {
        {
            Recorder recorder(file("marks.retrace"));
            FakeFunction f("f");
            f.call(2);
            recorder.mark("epoch 2");
            f.drop(2, runtime::DropReason::Cleared);
            runtime::observer()->onWarning(0, "5 traces in the last 5 calls", 0);
        }
        const SessionPtr session = read("marks.retrace");
        std::string text;
        for (const Mark& mark : session->marks)
            text += fmt::format("{}: {}\n", session->text(mark.kind), session->text(mark.text));
        QCOMPARE(QString::fromStdString(text), "user: epoch 2\nclear: f_1 left the cache\n"
                                               "warning: 5 traces in the last 5 calls\n");
        QVERIFY(session->entries[0].state == EntryState::Cleared);
        QCOMPARE(session->logs.size(), std::size_t{1});
    }

    void recordsNodeTimesWhenAsked() {
        {
            Recorder recorder(file("nodes.retrace"), {.nodeTimes = true});
            FakeFunction f("f");
            f.call(2);
        }
        const SessionPtr session = read("nodes.retrace");
        QCOMPARE(session->kernels.size(), std::size_t{1}); // the argument took no time
        QCOMPARE(session->kernels.node[0], 1u);
        QVERIFY(session->kernels.durationNs[0] > 0);
        QCOMPARE(QString::fromStdString(std::string(session->text(session->kernels.name[0]))), "add");
    }

    void aMissCostsTheSameHoweverManyEntriesThereAre() {
        const auto rowsOf = [&](int traces) {
            const auto path = file("many.retrace");
            {
                Recorder recorder(path, {.keepSource = false});
                FakeFunction f("f");
                for (int length = 100; length < 100 + traces; ++length)
                    f.call(length);
            }
            sqlite::Database database(path, sqlite::Access::Read);
            std::int64_t rows = 0;
            for (const std::string& table : tableNames(database)) {
                if (table == "chunks") // as many as there were flushes
                    continue;
                sqlite::Statement count(database, "SELECT count(*) FROM " + table);
                count.step();
                rows += count.integer(0);
            }
            return rows;
        };
        const std::int64_t few = rowsOf(20);
        const std::int64_t more = rowsOf(120);
        const std::int64_t most = rowsOf(220);
        QCOMPARE(most - more, more - few);
        QVERIFY2(more - few <= 100 * 30, qPrintable(QString::number(more - few)));
        QCOMPARE(read("many.retrace")->misses.back().entriesBefore, 219u);
    }

    void recordsThreadsInLanesOfTheirOwn() {
        constexpr int kThreads = 4;
        const auto hits = static_cast<std::uint32_t>(test::rounds(20'000));
        {
            Recorder recorder(file("threads.retrace"));
            std::vector<std::thread> threads;
            for (int i = 0; i < kThreads; ++i)
                threads.emplace_back([i, hits] {
                    if (i == 0)
                        pthread_setname_np(pthread_self(), "loader");
                    FakeFunction f(fmt::format("f{}", i));
                    f.call(2);
                    for (std::uint32_t n = 0; n < hits / 100; ++n) {
                        f.hit(2, 100);
                        std::this_thread::yield();
                    }
                });
            for (std::thread& thread : threads)
                thread.join();
        }
        const SessionPtr session = read("threads.retrace");
        QCOMPARE(session->lanes.size(), std::size_t{kThreads});
        // The name of the program, which a thread has unless somebody names it, is no thread's own.
        QCOMPARE(std::ranges::count(session->lanes, StringId(), &Lane::name) +
                     std::ranges::count(session->lanes, session->strings.find(""), &Lane::name),
                 kThreads - 1);
        QCOMPARE(std::ranges::count(session->lanes, session->strings.find("loader"), &Lane::name), 1);
        const Index index = buildIndex(*session);
        const std::string dropped(session->fact("recording", "dropped"));
        std::size_t rows = 0;
        for (const auto& calls : index.callsOfFunction) {
            rows += calls.size();
            QVERIFY(std::ranges::all_of(calls, [&](CallId call) {
                return session->calls.lane[call.value] == session->calls.lane[calls.front().value];
            }));
        }
        QCOMPARE(rows + std::stoul(dropped), std::size_t{kThreads * (hits + 1)});
    }

    void countsWhatFindsNoRoomAndSaysSo() {
        {
            Recorder recorder(file("flood.retrace"), {.ringRecords = 64});
            FakeFunction f("f");
            f.call(2);
            f.hit(2, static_cast<std::uint32_t>(test::rounds(1'000'000)));
            for (int i = 0; i < 20; ++i) { // the gap is told with the next call that finds room
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                f.hit(2);
            }
        }
        const SessionPtr session = read("flood.retrace");
        const std::size_t dropped = std::stoul(std::string(session->fact("recording", "dropped")));
        QVERIFY(dropped > 0);
        QCOMPARE(session->calls.size() + dropped, static_cast<std::size_t>(test::rounds(1'000'000) + 21));
        QVERIFY(!session->marks.empty());
        QCOMPARE(QString::fromStdString(std::string(session->text(session->marks[0].kind))), "dropped");
    }

    void countsTheNodesOfAGraphThatTheRingCannotHold() {
        {
            Recorder recorder(file("large.retrace"), {.nodeTimes = true, .ringRecords = 64});
            std::thread([] { // a thread of its own has a ring of this size
                FakeFunction f("f");
                f.call(2);
                std::vector<std::uint64_t> boundaries{ticks()};
                for (int node = 0; node < 1000; ++node) // each second node takes no time
                    boundaries.push_back(boundaries.back() + 5000 * static_cast<std::uint64_t>(node % 2));
                runtime::observer()->onNodes(f.entryOf(2), boundaries);
                f.hit(2);
            })
                .join();
        }
        const SessionPtr session = read("large.retrace");
        QCOMPARE(QString::fromStdString(std::string(session->fact("recording", "dropped"))), "500");
        QCOMPARE(session->marks.size(), std::size_t{1});
        QVERIFY(session->text(session->marks[0].text).starts_with("500 events on "));
    }

    void aMarkOfARecorderThatHasEndedGoesToNobody() {
        Recorder first(file("first.retrace"));
        first.mark("mine");
        first.close();
        Recorder second(file("second.retrace"));
        first.mark("too late");
        second.mark("the second's");
        second.close();
        const SessionPtr one = read("first.retrace");
        const SessionPtr two = read("second.retrace");
        QCOMPARE(one->marks.size(), std::size_t{1});
        QCOMPARE(two->marks.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(std::string(two->text(two->marks[0].text))), "the second's");
    }

    void aRecordingThatGoesOnReadsAsSuch() {
        Recorder recorder(file("running.retrace"));
        FakeFunction f("f");
        f.call(2);
        const SessionPtr running = read("running.retrace");
        QVERIFY(!running->closedProperly);
        QVERIFY(running->writer == WriterState::Running);
        QVERIFY(running->warnings.empty());
        recorder.close();
        QVERIFY(read("running.retrace")->closedProperly);
    }

    void recordsThroughALink() {
        namespace fs = std::filesystem;
        for (int round = 0; round < 2; ++round) { // what the link leads to is there the second time
            if (round == 0)
                fs::create_symlink("target.retrace", file("link.retrace"));
            Recorder recorder(file("link.retrace"));
            FakeFunction f("f");
            f.call(2);
            recorder.close();
            QVERIFY(fs::is_symlink(file("link.retrace")));
            QCOMPARE(read("target.retrace")->calls.size(), std::size_t{1});
        }
    }

    void endsSafelyWhileOtherThreadsCall() {
        std::atomic<bool> stop{false};
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&stop, i] {
                FakeFunction f(fmt::format("f{}", i));
                for (int n = 0; !stop; ++n)
                    n % 50 == 0 ? f.call(2 + n / 50 % 20) : f.hit(2 + n / 50 % 20, 3);
            });
        for (int i = 0; i < 10; ++i) {
            Recorder recorder(file("cycle.retrace"));
            std::this_thread::sleep_for(std::chrono::milliseconds(15));
            recorder.close();
            recorder.close();
            QVERIFY(read("cycle.retrace")->closedProperly);
        }
        stop = true;
        for (std::thread& thread : threads)
            thread.join();
        QVERIFY(read("cycle.retrace")->calls.size() > 0);
    }

    void keepsTheTextOfSourceFiles() {
        QVERIFY(writeTextFile(file("body.cpp"), "int main() {}\n"));
        {
            Recorder recorder(file("source.retrace"));
            FakeFunction f("f", file("body.cpp").string());
            f.call(2);
        }
        const SessionPtr session = read("source.retrace");
        QCOMPARE(session->sources.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(std::string(session->text(session->sources[0].text))),
                 "int main() {}\n");
        {
            Recorder recorder(file("source.retrace"), {.keepSource = false});
            FakeFunction f("f", file("body.cpp").string());
            f.call(2);
        }
        QVERIFY(read("source.retrace")->sources.empty());
    }

    void refusesPlacesItCannotWriteAndFilesThatAreNoSessions() {
        QVERIFY_EXCEPTION_THROWN(Recorder(file("no/such/folder.retrace")), RecorderError);
        QVERIFY_EXCEPTION_THROWN(Recorder(""), RecorderError);
        QVERIFY(writeTextFile(file("letter.txt"), "dear reader"));
        QVERIFY_EXCEPTION_THROWN(Recorder(file("letter.txt")), RecorderError);
        QCOMPARE(QString::fromStdString(*readTextFile(file("letter.txt"))), "dear reader");
        Recorder recorder(file("one.retrace"));
        QVERIFY_EXCEPTION_THROWN(Recorder(file("two.retrace")), UsageError);
        QVERIFY_EXCEPTION_THROWN(Recorder(file("two.retrace"), {.ringRecords = 100}), UsageError);
    }

    void aRecorderThatIsRefusedLeavesAnOlderSessionAsItIs() {
        {
            const Recorder first(file("first.retrace"));
            FakeFunction f("f", "body.cpp");
            f.call(2);
        }
        const Recorder second(file("second.retrace"));
        QVERIFY_EXCEPTION_THROWN(Recorder(file("first.retrace")), UsageError);
        const SessionPtr session = read("first.retrace");
        QVERIFY(session->closedProperly);
        QCOMPARE(session->calls.size(), std::size_t{1});
    }

    void recordingLeavesCountsToTheThreadThatCalls() {
        QCOMPARE(QProcess::execute(OWNED_COUNTS_PROGRAM, {m_folder.path()}), 0);
        QCOMPARE(read("owned.retrace")->calls.size(), std::size_t{19 * 200});
    }

    void aFullDiskStopsTheRecordingAndNotTheProgram() {
        // A program of its own, since it may not write large files any more.
        QCOMPARE(QProcess::execute(FULL_DISK_PROGRAM, {m_folder.path()}), 0);
        const SessionPtr full = read("full.retrace");
        QVERIFY(!full->closedProperly);
        QVERIFY(full->writer != session::WriterState::Running);
        QVERIFY(full->calls.size() > 1000);
        QVERIFY(std::ranges::none_of(full->marks, isUsers(*full)));
        // The next recording is its own: the stopped one takes nothing from it and does not end it.
        const SessionPtr next = read("next.retrace");
        QVERIFY(next->closedProperly);
        QCOMPARE(next->calls.size(), std::size_t{400});
        QVERIFY(std::ranges::none_of(next->marks, isUsers(*next)));
    }
};

RETRACESCOPE_TEST(RecorderTest);

#include "recorder_test.moc"
