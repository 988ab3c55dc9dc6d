#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include <QCoreApplication>
#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <retracescope/base/files.h>
#include <retracescope/session/check.h>
#include <retracescope/session/compared.h>
#include <retracescope/session/file.h>
#include <retracescope/session/schema.h>
#include <retracescope/session/sqlite.h>
#include <retracescope/session/writer.h>

#include "tests/core/session/random_session.h"
#include "tests/core/session/session_text.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using test::randomSession;
using test::sessionText;

namespace {

/// Runs SQL on a session file, as a damaging or a newer program would.
void change(const std::filesystem::path& path, const std::string& sql) {
    const std::string copy = path.string() + ".change";
    std::filesystem::rename(path, copy);
    {
        sqlite::Database database(copy, sqlite::Access::Change);
        database.execute(sql.c_str());
    }
    std::filesystem::rename(copy, path);
}

} // namespace

class FileTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path file(const char* name) const { return m_folder.filePath(name).toStdString(); }

    static QString text(const std::string& text) { return QString::fromStdString(text); }

private Q_SLOTS:
    void readsBackWhatWasWrittenInBothCodecs_data() {
        QTest::addColumn<int>("codec");
        QTest::newRow("raw") << 0;
        QTest::newRow("zstd") << 1;
    }

    void readsBackWhatWasWrittenInBothCodecs() {
        QFETCH(int, codec);
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            const Session written = randomSession(seed, seed % 7 == 0 ? 0 : seed * 11);
            QVERIFY(checkSession(written));
            const auto path = file("round_trip.retrace");
            std::filesystem::remove(path);
            {
                auto writer =
                    SessionWriter::create(path, SessionWriter::Use::Whole, static_cast<Codec>(codec));
                QVERIFY(writer);
                QVERIFY((*writer)->append(written));
                QVERIFY((*writer)->close());
            }
            const auto read = readSession(path);
            QVERIFY2(read, read ? "" : read.error().message.c_str());
            QVERIFY((*read)->warnings.empty());
            QCOMPARE(text(sessionText(**read)), text(sessionText(written)));
        }
    }

    void splitsManyRowsIntoChunks() {
        const Session written = randomSession(7, 2 * kChunkRows + 5);
        QVERIFY(writeSession(written, file("big.retrace")));
        const auto read = readSession(file("big.retrace"));
        QVERIFY(read);
        QCOMPARE((*read)->calls.size(), 2 * kChunkRows + 5);
        QVERIFY(sessionText(**read) == sessionText(written));
    }

    void writesPieceByPieceWhatOneAppendWrites() {
        const Session whole = randomSession(21, 300);
        auto writer = SessionWriter::create(file("pieces.retrace"), SessionWriter::Use::Recorded);
        QVERIFY(writer);
        // The first append knows no calls, spans and misses, the second brings them.
        const Session again = randomSession(21, 300);
        Session growing = randomSession(21, 300);
        growing.calls = {};
        growing.spans = {};
        growing.misses.clear();
        QVERIFY((*writer)->append(growing));
        growing.calls = again.calls;
        growing.spans = again.spans;
        growing.kernels = {};
        growing.counters = {};
        growing.instants = {};
        growing.misses = again.misses;
        QVERIFY((*writer)->append(growing));
        QVERIFY((*writer)->close());
        const auto read = readSession(file("pieces.retrace"));
        QVERIFY(read);
        QCOMPARE(text(sessionText(**read)), text(sessionText(whole)));
        QVERIFY(!std::filesystem::exists(file("pieces.retrace-wal")));
    }

    void completesRowsThatLearntSomethingLater() {
        Session session = randomSession(5, 10);
        session.misses.resize(1);
        session.misses[0].function = FunctionId(0u);
        session.misses[0].entry = {};
        auto writer = SessionWriter::create(file("changed.retrace"), SessionWriter::Use::Recorded);
        QVERIFY(writer);
        QVERIFY((*writer)->append(session));
        session.calls = {};
        session.spans = {};
        session.kernels = {};
        session.counters = {};
        session.instants = {};
        session.functions[0].bodyRuns = 17;
        session.entries[0].traceNs = 1234;
        session.entries[0].state = EntryState::Evicted;
        session.entries[0].droppedNs = 99;
        session.misses[0].entry = EntryId(0u);
        session.misses[0].exception = session.strings.intern("shapes differ");
        session.misses[0].traceNs = 1234;
        QVERIFY((*writer)->append(session, {{FunctionId(0u)}, {EntryId(0u)}, {MissId(0u)}}));
        const auto read = readSession(file("changed.retrace")); // still being written
        QVERIFY(read);
        QVERIFY(!(*read)->closedProperly);
        QCOMPARE((*read)->functions[0].bodyRuns, 17);
        QCOMPARE((*read)->entries[0].traceNs, 1234);
        QVERIFY((*read)->entries[0].state == EntryState::Evicted);
        QCOMPARE((*read)->misses[0].entry.value, 0u);
        QCOMPARE(QString::fromStdString(std::string((*read)->text((*read)->misses[0].exception))),
                 "shapes differ");
        QCOMPARE((*read)->calls.size(), std::size_t{10});
    }

    void tellsARunningWriterFromOneThatIsGone() {
        auto writer = SessionWriter::create(file("open.retrace"), SessionWriter::Use::Recorded);
        QVERIFY(writer);
        QVERIFY((*writer)->append(randomSession(5, 10)));
        const auto stateOf = [&] {
            const auto read = readSession(file("open.retrace"));
            return read && !(*read)->closedProperly ? static_cast<int>((*read)->writer) : -1;
        };
        QCOMPARE(stateOf(), static_cast<int>(WriterState::Running));
        (*writer)->abandon();
        writer->reset();
        QCOMPARE(stateOf(), static_cast<int>(WriterState::Unknown));
        // Ours, but not the process of that name now: numbers of processes are given again.
        const std::string pid = std::to_string(QCoreApplication::applicationPid());
        change(file("open.retrace"), "INSERT INTO meta VALUES('writer_pid','" + pid +
                                         "'); UPDATE meta SET value='1' WHERE key='writer_start'");
        QCOMPARE(stateOf(), static_cast<int>(WriterState::Gone));
        change(file("open.retrace"), "UPDATE meta SET value='99999999' WHERE key='writer_pid'");
        QCOMPARE(stateOf(), static_cast<int>(WriterState::Gone));
        change(file("open.retrace"), "UPDATE meta SET value='elsewhere' WHERE key='writer_host'");
        QCOMPARE(stateOf(), static_cast<int>(WriterState::Unknown));
        change(file("open.retrace"), "UPDATE meta SET value='../1' WHERE key='writer_pid'");
        QCOMPARE(stateOf(), static_cast<int>(WriterState::Unknown));
    }

    void writesThroughALinkAndBesideOtherWriters() {
        namespace fs = std::filesystem;
        QTemporaryDir folder;
        const fs::path at = folder.path().toStdString();
        QVERIFY(writeSession(*test::processDataSession(), at / "real.retrace"));
        fs::create_symlink("real.retrace", at / "link.retrace");
        QVERIFY(writeTextFile(at / "link.retrace.part", "another writer's"));
        Session other = randomSession(5, 10);
        QVERIFY(writeSession(other, at / "link.retrace"));
        QVERIFY(fs::is_symlink(at / "link.retrace"));
        QCOMPARE((*readSession(at / "real.retrace"))->calls.size(), std::size_t{10});
        QCOMPARE(*readTextFile(at / "link.retrace.part"), std::string("another writer's"));
        // What fails leaves the file there as it was and nothing beside it.
        Cancel cancel;
        cancel.request();
        QVERIFY(!writeSession(*test::processDataSession(), at / "real.retrace", {cancel, {}}));
        QVERIFY(!writeSession(*test::processDataSession(), at));
        QCOMPARE((*readSession(at / "real.retrace"))->calls.size(), std::size_t{10});
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name),
                 QStringList({"link.retrace", "link.retrace.part", "real.retrace"}));
    }

    void knowsASessionByItsHeader() {
        QVERIFY(writeSession(*test::processDataSession(), file("known.retrace")));
        QVERIFY(isSessionFile(file("known.retrace")));
        QVERIFY(!isSessionFile(file("absent.retrace")));
        QVERIFY(!isSessionFile(m_folder.path().toStdString()));
        QVERIFY(writeTextFile(file("text.retrace"), std::string(200, 'x')));
        QVERIFY(!isSessionFile(file("text.retrace")));
        change(file("known.retrace"), "PRAGMA application_id=7");
        QVERIFY(!isSessionFile(file("known.retrace")));
        const auto read = readSession(file("known.retrace"));
        QVERIFY(!read);
        QVERIFY(read.error().message.find("an SQLite database, but not a Retracescope session") !=
                std::string::npos);
    }

    void opensAFileOfVersion10ThatListsWhatWasCompared() {
        test::SessionBuilder builder;
        const FunctionId f = builder.function("f", "n");
        for (const char* n : {"1", "2", "3"})
            builder.call(f, test::literalArgument("n", "int", n));
        builder.listCompared(1);
        builder.listCompared(2)[1].differences = {{types::MissKind::Evicted, "", "", ""}};
        const SessionPtr written = builder.finish();
        QVERIFY(writeSession(*written, file("old.retrace")));
        change(file("old.retrace"), R"(PRAGMA user_version=1000;
            ALTER TABLE misses DROP COLUMN entries_before;
            CREATE TABLE pyramid(lane INTEGER, depth INTEGER); INSERT INTO pyramid VALUES(0,0);
            INSERT INTO meta VALUES('pyramid_events','1'))");
        const auto read = readSession(file("old.retrace"));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QVERIFY((*read)->warnings.empty());
        const Index index = buildIndex(**read);
        const std::vector<std::size_t> entries{0, 1, 2};
        for (std::size_t row = 0; row < 3; ++row) {
            const Miss& miss = (*read)->misses[row];
            QCOMPARE(miss.entriesBefore, 0u);
            const auto compared = comparedWith(**read, index, miss);
            QCOMPARE(compared.size(), entries[row]);
            for (std::size_t i = 0; i < compared.size(); ++i)
                QCOMPARE(differencesTo(**read, miss, compared[i]),
                         written->misses[row].competing[i].differences);
        }
    }

    void refusesANewerMajorVersionAndNamesBoth() {
        QVERIFY(writeSession(*test::processDataSession(), file("major.retrace")));
        change(file("major.retrace"), "PRAGMA user_version=2003");
        const auto read = readSession(file("major.retrace"));
        QVERIFY(!read);
        QVERIFY(read.error().message.find("version 2.3") != std::string::npos);
        QVERIFY(read.error().message.find("up to version 1.2") != std::string::npos);
    }

    void opensANewerMinorVersionAndSaysWhatItLeftOut() {
        QVERIFY(writeSession(*test::processDataSession(), file("minor.retrace")));
        change(file("minor.retrace"), R"(PRAGMA user_version=1004;
            CREATE TABLE dreams(id INTEGER); ALTER TABLE functions ADD COLUMN colour TEXT;
            INSERT INTO streams VALUES(10,'moods','time_ns:i64'); INSERT INTO chunks(stream,rows,data) VALUES(10,1,x'00');
            INSERT INTO streams VALUES(11,'instants','time_ns:i64 lane:u32 shade:u32');
            INSERT INTO chunks(stream,rows,data) VALUES(11,1,
              x'000800000005000000000000000004000000000000000004000000FFFFFFFF');)");
        const auto read = readSession(file("minor.retrace"));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        std::string warnings;
        for (const std::string& warning : (*read)->warnings)
            warnings += warning + "\n";
        QCOMPARE(text(warnings),
                 "the session is of version 1.4, newer than this program's 1.2: what is new in it was "
                 "left out\n"
                 "column colour of functions is not known here and was left out\n"
                 "table dreams is not known here and was left out\n"
                 "events \"moods\" are not known here and were left out\n"
                 "column shade of instants is not known here and was left out\n");
        QCOMPARE((*read)->calls.size(), std::size_t{5});
        QCOMPARE((*read)->instants.size(), std::size_t{1});
        QCOMPARE((*read)->instants.timeNs[0], 5);
        QVERIFY(!(*read)->instants.name[0].isValid());
    }

    void graphsOfSeveralFlushesFollowEachOther() {
        std::uint64_t seed = 0;
        while (randomSession(seed, 0).graphs.size() < 4)
            ++seed;
        const Session all = randomSession(seed, 0);
        Session growing = randomSession(seed, 0);
        growing.graphs.clear();
        auto writer = SessionWriter::create(file("flushes.retrace"), SessionWriter::Use::Recorded);
        QVERIFY(writer);
        for (const Graph& graph : all.graphs) {
            growing.graphs.push_back(graph);
            QVERIFY((*writer)->append(growing));
        }
        QVERIFY((*writer)->close());
        const auto read = readSession(file("flushes.retrace"));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(text(sessionText(**read)), text(sessionText(all)));
        QVERIFY((*read)->warnings.empty());
    }

    void readingGoesForwardToItsEnd() {
        std::uint64_t seed = 0;
        while (randomSession(seed, 50).graphs.size() < 4)
            ++seed;
        QVERIFY(writeSession(randomSession(seed, 50), file("progress.retrace")));
        std::vector<double> shares;
        Job job;
        job.progress = [&](double share, std::string_view) { shares.push_back(share); };
        QVERIFY(readSession(file("progress.retrace"), job));
        QVERIFY(shares.size() > 6);
        QVERIFY(std::ranges::is_sorted(shares));
        QCOMPARE(shares.back(), 1.0);
    }

    void aGraphThatContradictsItselfKeepsItsNodes() {
        Session session;
        for (const char* name : {"first", "second", "third"}) {
            Graph& graph = session.graphs.emplace_back();
            graph.name = session.strings.intern(name);
            graph.nodes.resize(2);
            graph.nodes[1].op = session.strings.intern("add");
            graph.nodes[1].inputCount = graph.nodes[1].attributeCount = graph.nodes[1].calleeCount = 1;
            graph.inputs.push_back({0, 0, false, {}, {}});
            graph.attributes.push_back({graph.name, graph.name});
            graph.callees.push_back({graph.name, graph.name, GraphId(std::size_t{0})});
            graph.outputs.push_back({1, 0, false, {}, {}});
        }
        const auto readBack = [&](const char* name) {
            auto writer = SessionWriter::create(file(name), SessionWriter::Use::Whole);
            if (!writer || !(*writer)->append(session) || !(*writer)->close())
                qFatal("cannot write");
            auto read = readSession(file(name));
            return read ? *read : nullptr;
        };
        const SessionPtr whole = readBack("whole.retrace");
        QVERIFY(whole && whole->warnings.empty());

        const std::vector<std::function<void(Graph&)>> mistakes{
            [](Graph& graph) { graph.inputs[0].from = 2; },
            [](Graph& graph) { graph.outputs[0].from = 2; },
        };
        for (std::size_t i = 0; i < mistakes.size(); ++i) {
            const Graph sound = session.graphs[1];
            mistakes[i](session.graphs[1]);
            const SessionPtr read = readBack(fmt::format("wrong{}.retrace", i).c_str());
            QVERIFY(read);
            QCOMPARE(read->warnings.size(), std::size_t{1});
            QVERIFY(read->warnings[0].starts_with("1 of 3 graphs have nodes alone"));
            for (std::size_t row = 0; row < 3; ++row) {
                const Graph& graph = read->graphs[row];
                QCOMPARE(graph.nodes.size(), std::size_t{2});
                QCOMPARE(read->text(graph.nodes[1].op), std::string_view("add"));
                const std::size_t parts = row == 1 ? 0 : 1;
                QCOMPARE(std::size_t{graph.nodes[1].inputCount}, parts);
                QCOMPARE(graph.inputs.size(), parts);
                QCOMPARE(graph.attributes.size(), parts);
                QCOMPARE(graph.callees.size(), parts);
                QCOMPARE(graph.outputs.size(), parts);
            }
            session.graphs[1] = sound;
        }
        session.graphs[1].callees[0].graph = GraphId(std::size_t{3});
        const SessionPtr read = readBack("callee.retrace");
        QVERIFY(read);
        QCOMPARE(read->warnings.size(), std::size_t{1});
        QCOMPARE(text(read->warnings[0]), "1 callee of nodes left out: they are no graphs of the file");
        QVERIFY(!read->graphs[1].callees[0].graph.isValid());
        QCOMPARE(read->graphs[1].inputs.size(), std::size_t{1});
    }

    void leavesOutADamagedChunkAndKeepsMissesAtTheirCalls() {
        Session session = randomSession(3, 0);
        session.misses.clear();
        session.graphs.clear(); // chunks of calls alone
        for (Entry& entry : session.entries)
            entry.graph = {};
        auto writer = SessionWriter::create(file("damaged.retrace"), SessionWriter::Use::Recorded);
        QVERIFY(writer);
        for (std::int64_t piece = 0; piece < 3; ++piece) {
            session.calls = {{piece, piece},
                             {1, 1},
                             {LaneId(0u), LaneId(0u)},
                             {FunctionId(0u), FunctionId(0u)},
                             {{}, {}},
                             {Outcome::Hit, Outcome::Hit},
                             {1, 2},
                             {0, 0},
                             {{}, {}}};
            QVERIFY((*writer)->append(session));
        }
        for (std::uint32_t call = 0; call < 6; ++call) {
            Miss miss;
            miss.function = FunctionId(0u);
            miss.call = CallId(call);
            session.misses.push_back(miss);
        }
        session.calls = {};
        QVERIFY((*writer)->append(session));
        QVERIFY((*writer)->close());
        change(file("damaged.retrace"), "UPDATE chunks SET data=x'0102' WHERE id=2");
        const auto read = readSession(file("damaged.retrace"));
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE((*read)->warnings.size(), std::size_t{1});
        QCOMPARE(
            text((*read)->warnings[0]),
            "2 calls were left out, counts are lower bounds: chunk 2 is damaged (ends before column 1 of 9)");
        QCOMPARE((*read)->calls.startNs, (std::vector<std::int64_t>{0, 0, 2, 2}));
        std::vector<std::uint32_t> calls;
        for (const Miss& miss : (*read)->misses)
            calls.push_back(miss.call.value);
        QCOMPARE(calls, (std::vector<std::uint32_t>{0, 1, CallId::kNone, CallId::kNone, 2, 3}));
    }

    void findsTheCallOfAMissByFunctionAndNumber() {
        QVERIFY(writeSession(*test::processDataSession(), file("untied.retrace")));
        change(file("untied.retrace"), "UPDATE misses SET call=NULL");
        const auto read = readSession(file("untied.retrace"));
        QVERIFY(read);
        QCOMPARE(text(sessionText(**read)), text(sessionText(*test::processDataSession())));
    }
};

RETRACESCOPE_TEST(FileTest);

#include "file_test.moc"
