#include <sstream>

#include <QTest>

#include <retracescope/session/lane_names.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;

namespace {

/// One lane per line: process id, thread id, process name, thread name; "-" is none. Returns "process: name"
/// lines.
std::string named(const std::string& text, LaneKind kind = LaneKind::Thread) {
    Session session;
    std::istringstream lines(text);
    const auto intern = [&](const std::string& word) {
        return word == "-" ? StringId() : session.strings.intern(word);
    };
    std::string pid, tid, process, name;
    while (lines >> pid >> tid >> process >> name)
        session.lanes.push_back({kind, intern(name), intern(process), intern(pid), intern(tid)});
    std::string out;
    for (const LaneName& lane : laneNames(session))
        out += (lane.process.empty() ? "" : lane.process + ": ") + lane.name + "\n";
    return out;
}

} // namespace

class LaneNamesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void threadsOfARecordingAreMainAndWorkers() {
        QCOMPARE(named("100 100 - main\n100 107 - -\n100 108 - -\n100 109 - loader\n"),
                 "main\nworker 1 (tid 107)\nworker 2 (tid 108)\nloader\n");
    }

    void equalNamesGetNumbers() {
        QCOMPARE(named("1 7 chrome pool\n1 8 chrome pool\n1 9 chrome io\n"),
                 "chrome: pool 1 (tid 7)\nchrome: pool 2 (tid 8)\nchrome: io\n");
    }

    void withoutAMainThreadTheIdIsTheName() {
        QCOMPARE(named("5 31 - -\n5 32 - -\n"), "thread 31\nthread 32\n");
        QCOMPARE(named("0 0 - -\n"), "thread 0\n");
        QCOMPARE(named("- - - -\n"), "unnamed\n");
        QCOMPARE(named("Spans Profiler - -\n3 4 - -\n"), "Spans: Profiler\nprocess 3: thread 4\n");
    }

    void theThreadWithTheIdOfItsProcessIsMain() {
        QCOMPARE(named("5 5 - -\n5 32 - -\n"), "main\nworker 1 (tid 32)\n");
    }

    void processesAreToldApart() {
        QCOMPARE(named("1 1 python -\n2 2 python -\n3 4 - -\n"),
                 "python (pid 1): main\npython (pid 2): main\nprocess 3: thread 4\n");
        QCOMPARE(named("1 1 python -\n3 3 browser -\n"), "python: main\nbrowser: main\n");
    }

    void seriesOfOneNameAreToldApartToo() {
        QCOMPARE(named("1 - - memory\n1 - - memory\n", LaneKind::Counter), "memory 1\nmemory 2\n");
    }
};

RETRACESCOPE_TEST(LaneNamesTest);

#include "lane_names_test.moc"
