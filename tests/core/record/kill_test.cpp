#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include <retracescope/base/clock.h>
#include <retracescope/base/files.h>
#include <retracescope/record/recovery.h>
#include <retracescope/record/ring_file.h>
#include <retracescope/session/file.h>

#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;

namespace {

/// A line of the recording program: by that time it had made that many calls, and its threads had waited that
/// long for a processor.
struct Progress {
    long long ns;
    long long calls;
    long long waitedNs;
};

struct KilledRun {
    std::int64_t killedNs = 0;
    std::vector<Progress> progress;
};

/// Starts the program, kills it `life` after its first words, returns what it had told.
KilledRun runAndKill(const std::string& session, std::chrono::milliseconds life) {
    int pipeEnds[2];
    if (pipe(pipeEnds) != 0)
        qFatal("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipeEnds[1], STDOUT_FILENO);
        close(pipeEnds[0]);
        execl(RECORDING_PROGRAM, RECORDING_PROGRAM, session.c_str(), nullptr);
        _exit(127);
    }
    close(pipeEnds[1]);
    KilledRun run;
    std::atomic<bool> hasBegun{false};
    std::thread reader([&] {
        FILE* lines = fdopen(pipeEnds[0], "r");
        Progress line{};
        while (std::fscanf(lines, "%lld %lld %lld", &line.ns, &line.calls, &line.waitedNs) == 3) {
            run.progress.push_back(line);
            hasBegun = true;
        }
        std::fclose(lines);
    });
    for (int i = 0; i < 1000 && !hasBegun; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(life);
    run.killedNs = monotonicNs();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    reader.join();
    return run;
}

/// Calls that were made at least `ns` before the kill.
long long callsBefore(const KilledRun& run, std::int64_t ns) {
    long long calls = 0;
    for (const Progress& line : run.progress) {
        if (line.ns <= run.killedNs - ns)
            calls = line.calls;
    }
    return calls;
}

/// How late the recorder may be within the last `windowNs` because others had the processor: the longest time
/// in which the program told nothing, and four times what its threads are known to have waited, since the
/// wait that the kill ends is not known. Next to nothing on an idle machine.
std::int64_t lateness(const KilledRun& run, std::int64_t windowNs) {
    const auto& lines = run.progress;
    const auto first = std::ranges::upper_bound(lines, run.killedNs - windowNs, {}, &Progress::ns);
    std::int64_t longest = run.killedNs - lines.back().ns;
    for (auto line = first; line != lines.end(); ++line)
        longest = std::max<std::int64_t>(longest, line->ns - (line == lines.begin() ? line : line - 1)->ns);
    const auto before = first == lines.begin() ? first : first - 1;
    return longest + 4 * (lines.back().waitedNs - before->waitedNs);
}

} // namespace

class KillTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aKilledProgramLeavesAllButTheLastTenthOfASecond() {
        QTemporaryDir folder;
        std::mt19937 random(4);
        constexpr std::int64_t kTenthNs = 100'000'000;
        for (int round = 0; round < test::rounds(20); ++round) {
            const std::string path = folder.filePath(QString("killed%1.retrace").arg(round)).toStdString();
            const std::chrono::milliseconds life(random() % 500);
            const KilledRun run = runAndKill(path, life);
            QVERIFY2(!run.progress.empty(), "the program told nothing");
            QVERIFY(isSessionFile(path));
            const auto session = readSession(path);
            QVERIFY2(session, session ? "" : session.error().message.c_str());
            QCOMPARE((*session)->warnings.size(), std::size_t{1});
            QVERIFY((*session)->warnings[0].ends_with("copy and move all together"));
            QVERIFY(!(*session)->closedProperly);
            QVERIFY((*session)->writer == WriterState::Gone);
            QVERIFY((*session)->calls.size() <= 51 * (1 + run.progress.size()));
            const long long owed = callsBefore(run, kTenthNs + lateness(run, 3 * kTenthNs));
            const auto found = static_cast<long long>((*session)->calls.size());
            QVERIFY2(found >= owed,
                     qPrintable(QString("round %1: %2 calls of %3").arg(round).arg(found).arg(owed)));
            // A second reader sees the same: nothing depends on who opens it first.
            QCOMPARE((*readSession(path))->calls.size(), (*session)->calls.size());
        }
    }

    void whatAKilledProgramHadPublishedIsTakenFromItsRings() {
        QTemporaryDir folder;
        std::mt19937 random(5);
        int taken = 0;
        for (int round = 0; round < test::rounds(200); ++round) {
            const std::string path = folder.filePath(QString("killed%1.retrace").arg(round)).toStdString();
            const KilledRun run = runAndKill(path, std::chrono::milliseconds(random() % 120));
            QVERIFY2(!run.progress.empty(), "the program told nothing");
            const auto session = record::openRecording(path);
            QVERIFY2(session, session ? "" : session.error().message.c_str());
            const Session& s = **session;
            QVERIFY(!s.closedProperly);
            const auto found = static_cast<long long>(s.calls.size());
            QVERIFY2(found >= run.progress.back().calls,
                     qPrintable(
                         QString("round %1: %2 of %3").arg(round).arg(found).arg(run.progress.back().calls)));
            QCOMPARE(s.functions.size(), std::size_t{1});
            // Each call once: the program makes them one after the other.
            std::vector<std::uint32_t> numbers = s.calls.number;
            std::ranges::sort(numbers);
            for (std::size_t i = 0; i < numbers.size(); ++i)
                QCOMPARE(numbers[i], static_cast<std::uint32_t>(i + 1));
            std::size_t traced = 0;
            for (std::size_t row = 0; row < s.calls.size(); ++row) {
                QVERIFY(s.calls.entry[row].isValid());
                traced += s.calls.outcome[row] == Outcome::Traced;
            }
            QVERIFY(s.misses.size() == traced || s.misses.size() == traced + 1); // one was being traced
            for (std::size_t row = 0; row < traced; ++row) {
                QVERIFY(s.misses[row].entry.isValid());
                QVERIFY(s.misses[row].call.isValid());
                QVERIFY(s.misses[row].traceNs != kNotRecorded);
            }
            QVERIFY(s.entries.size() >= traced);
            QCOMPARE(s.lanes.size(), std::size_t{1});
            taken += found > static_cast<long long>((*readSession(path))->calls.size());
            QCOMPARE((*record::openRecording(path))->calls.size(), s.calls.size());
            std::filesystem::remove(path);
            std::filesystem::remove(record::ringFileOf(path));
        }
        QVERIFY2(taken > 0, "no ring held anything: the test tests nothing");
    }

    void whatWasWrittenButNotYetReleasedCountsOnce() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("killed.retrace").toStdString();
        runAndKill(path, std::chrono::milliseconds(60)); // a few thousand calls: no ring has gone round
        const auto before = record::openRecording(path);
        QVERIFY(before.ok());
        const std::filesystem::path beside = record::ringFileOf(path);
        std::string bytes = *readTextFile(beside);
        int rings = 0;
        for (std::size_t at = record::kRegionAlignment; at < bytes.size();) {
            auto* region = reinterpret_cast<record::RegionHeader*>(bytes.data() + at);
            rings += region->kind == record::RegionKind::Ring && region->tail != 0;
            region->tail = 0; // as a kill between the flush and the release leaves it
            at += region->bytes;
        }
        QVERIFY(rings > 0);
        QVERIFY(writeTextFile(beside, bytes).ok());
        const auto after = record::openRecording(path);
        QVERIFY(after.ok());
        QCOMPARE((*after)->calls.size(), (*before)->calls.size());
        QCOMPARE((*after)->misses.size(), (*before)->misses.size());
        QCOMPARE((*after)->spans.size(), (*before)->spans.size());
    }

    void ringsThatAreDamagedCostOnlyWhatTheyHold() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("killed.retrace").toStdString();
        runAndKill(path, std::chrono::milliseconds(60));
        const std::filesystem::path beside = record::ringFileOf(path);
        const std::string whole = *readTextFile(beside);
        const std::size_t written = (*readSession(path))->calls.size();
        std::mt19937 random(6);
        for (int round = 0; round < test::rounds(200); ++round) {
            std::string damaged = whole;
            if (round % 4 == 0) {
                damaged.resize(random() % whole.size());
            } else {
                for (int i = 0; i < 1 << random() % 10; ++i) // mostly where there is something
                    damaged[random() % (round % 2 == 0 ? whole.size() : std::size_t{16384})] =
                        static_cast<char>(random());
            }
            QVERIFY(writeTextFile(beside, damaged).ok());
            const auto session = record::openRecording(path);
            QVERIFY2(session, session ? "" : session.error().message.c_str());
            QVERIFY((*session)->calls.size() >= written);
        }
        std::string other = whole;
        other[offsetof(record::RingFileHeader, recording)] ^= 1;
        QVERIFY(writeTextFile(beside, other).ok());
        const auto session = record::openRecording(path);
        QVERIFY(session.ok());
        QCOMPARE((*session)->calls.size(), written);
        QVERIFY((*session)->warnings.back().find("is of another recording") != std::string::npos);
    }

    void aRunningRecordingCanBeReadAtAnyTime() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("running.retrace").toStdString();
        std::thread killer([&] { runAndKill(path, std::chrono::milliseconds(1200)); });
        std::size_t before = 0;
        int grew = 0;
        for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            if (!isSessionFile(path))
                continue;
            const auto session = readSession(path);
            if (!session) {
                killer.join();
                QFAIL(session.error().message.c_str());
            }
            const std::size_t now = (*session)->calls.size();
            if (now < before) {
                killer.join();
                QFAIL("calls got lost");
            }
            grew += now > before;
            before = now;
        }
        killer.join();
        QVERIFY2(grew >= 3, qPrintable(QString::number(grew)));
    }
};

RETRACESCOPE_TEST(KillTest);

#include "kill_test.moc"
