#include <filesystem>
#include <random>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <retracescope/base/files.h>
#include <retracescope/base/units.h>
#include <retracescope/session/file.h>
#include <retracescope/session/sqlite.h>
#include <retracescope/session/writer.h>

#include "tests/core/session/random_session.h"
#include "tests/support/rounds.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "tests/support/use_session.h"

using namespace retracescope;
using namespace retracescope::session;

/// Files that are cut, damaged or made to harm: an error or a sound session, never a crash, and soon.
class HostileFileTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    static constexpr std::size_t kFewEvents = 30;
    static constexpr std::size_t kManyEvents = 700; ///< of each kind: a row has a pyramid
    std::filesystem::path file(const char* name) const { return m_folder.filePath(name).toStdString(); }

    /// What a small session's file holds.
    std::string smallFile(Codec codec, std::size_t events = kFewEvents) const {
        std::filesystem::remove(file("small.retrace"));
        auto writer = SessionWriter::create(file("small.retrace"), SessionWriter::Use::Whole, codec);
        const Session session = test::randomSession(8, events);
        if (!writer || !(*writer)->append(session) || !(*writer)->close())
            qFatal("cannot write the sample");
        writer->reset();
        return *readTextFile(file("small.retrace"));
    }

    /// Opens bytes as a file. A session that opens must be sound, and bear to be looked at.
    bool opens(std::string_view bytes) const {
        if (!writeTextFile(file("hostile.retrace"), bytes))
            qFatal("cannot write");
        const auto read = readSession(file("hostile.retrace"));
        if (!read)
            return false;
        test::useSession(**read);
        return true;
    }

    std::string errorAfter(const std::string& sql) const {
        std::filesystem::remove(file("changed.retrace"));
        if (!writeSession(*test::processDataSession(), file("changed.retrace")))
            qFatal("cannot write");
        std::filesystem::rename(file("changed.retrace"), file("changing.retrace"));
        {
            sqlite::Database database(file("changing.retrace"), sqlite::Access::Change);
            database.execute(sql.c_str());
        }
        std::filesystem::rename(file("changing.retrace"), file("changed.retrace"));
        const auto read = readSession(file("changed.retrace"));
        if (!read)
            return read.error().message.substr(read.error().message.find("retrace: ") + 9);
        return (*read)->warnings.empty() ? "opens" : "opens with: " + (*read)->warnings[0];
    }

private Q_SLOTS:
    void cutAtManyPlacesItIsRefused_data() {
        QTest::addColumn<std::size_t>("events");
        QTest::newRow("few events") << kFewEvents;
        QTest::newRow("many events") << kManyEvents;
    }

    void cutAtManyPlacesItIsRefused() {
        QFETCH(std::size_t, events);
        const std::string whole = smallFile(Codec::Raw, events);
        QVERIFY(opens(whole));
        std::size_t opened = 0;
        for (std::size_t page = 0; page < whole.size(); page += 4096)
            opened += opens(std::string_view(whole).substr(0, page));
        for (std::size_t cut = 0; cut < 4200; cut += cut < 128 ? 1 : 37)
            opened += opens(std::string_view(whole).substr(0, cut));
        QCOMPARE(opened, std::size_t{0});
    }

    void saysWhatIsMissingOrWrongAndWhatToDo() {
        const std::string whole = smallFile(Codec::Raw, kManyEvents);
        const auto errorOf = [&](const std::string& bytes) {
            if (!writeTextFile(file("hostile.retrace"), bytes))
                qFatal("cannot write");
            const auto read = readSession(file("hostile.retrace"));
            return read ? QString() : QString::fromStdString(read.error().message).section("retrace: ", 1);
        };
        const auto size = [](std::size_t bytes) {
            return QString::fromStdString(formatBytes(static_cast<std::int64_t>(bytes)));
        };
        QCOMPARE(errorOf(whole.substr(0, 8192)),
                 QString("it is cut off: of %1 only %2 are there; copy it again, whole")
                     .arg(size(whole.size()), size(8192)));
        std::string overwritten = whole;
        overwritten.replace(4096, 4096, std::string(4096, 'x'));
        const QString damaged = errorOf(overwritten);
        QVERIFY2(damaged.startsWith("it is damaged: ") && damaged.endsWith("or record again"),
                 qPrintable(damaged));
    }

    void flippedBytesNeverHarm_data() {
        QTest::addColumn<int>("codec");
        QTest::addColumn<std::size_t>("events");
        QTest::newRow("raw") << 0 << kFewEvents;
        QTest::newRow("zstd") << 1 << kFewEvents;
        QTest::newRow("raw, many events") << 0 << kManyEvents;
        QTest::newRow("zstd, many events") << 1 << kManyEvents;
    }

    void flippedBytesNeverHarm() {
        QFETCH(int, codec);
        QFETCH(std::size_t, events);
        const std::string whole = smallFile(static_cast<Codec>(codec), events);
        std::mt19937 random(static_cast<unsigned>(codec) + 1);
        const int rounds = test::rounds(events == kFewEvents ? 600 : 150);
        int opened = 0;
        for (int round = 0; round < rounds; ++round) {
            std::string damaged = whole;
            for (unsigned flips = 1 + random() % 8; flips > 0; --flips)
                damaged[random() % damaged.size()] = static_cast<char>(random());
            opened += opens(damaged);
        }
        QVERIFY2(opened > rounds / 12 && opened < rounds, qPrintable(QString::number(opened)));
    }

    void pagesPutInWrongPlacesNeverHarm() {
        const std::string whole = smallFile(Codec::Raw, kManyEvents);
        std::mt19937 random(3);
        const std::size_t pages = whole.size() / 4096;
        for (int round = 0; round < test::rounds(200); ++round) {
            std::string damaged = whole;
            const std::size_t from = random() % pages;
            const std::size_t to = 1 + random() % (pages - 1);
            damaged.replace(to * 4096, 4096, whole, from * 4096, 4096);
            opens(damaged);
        }
    }

    void wrongValuesAreNamed_data() {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("error");
        const auto row = [](const char* name, const char* sql, const char* error) {
            QTest::newRow(name) << sql << error;
        };
        row("id out of range", "UPDATE entries SET function=9 WHERE id=1",
            "entries row 1: function is 9, but there are 1");
        row("negative id", "UPDATE entries SET graph=-5 WHERE id=1", "entries row 1: -5 is no 32-bit number");
        row("missing owner", "UPDATE misses SET function=NULL WHERE id=0",
            "misses row 0: function is missing");
        row("text for a number", "UPDATE entries SET made_ns='soon'",
            "column made_ns should hold an integer");
        row("number for a text", "UPDATE functions SET name=x'00'", "column name should hold a text");
        row("unknown state", "UPDATE entries SET state='sleepy' WHERE id=2",
            "entries row 2: \"sleepy\" is not known here");
        row("unknown kind", "UPDATE misses SET other_kinds='shape,mood' WHERE id=0",
            "misses row 0: \"mood\" is no miss kind");
        row("gap in ids", "DELETE FROM entries WHERE id=1",
            "table entries should count its rows 0, 1, 2, ...: 1 expected, 2 found");
        row("child without parent", "INSERT INTO competing VALUES(77,0,0,NULL)",
            "competing row 77.0: belongs to row 77, but there are 4");
        row("time too large", "UPDATE misses SET time_ns=9000000000000000000 WHERE id=0",
            "misses row 0: time_ns is 9000000000000000000, too large for a time");
        row("text not there", "UPDATE graphs SET name=9999 WHERE id=1",
            "graphs row 1: text 9999 is not in table strings");
        row("negative number of nodes", "UPDATE graphs SET nodes=-1 WHERE id=1",
            "graphs row 1: -1 is no 32-bit number");
        row("nodes that are not there", "UPDATE graphs SET nodes=4294967295 WHERE id=1",
            "graphs row 1: claims more rows of stream graph_nodes than it has");
        row("edges that are not there", "UPDATE graphs SET outputs=9 WHERE id=1",
            "graphs row 1: claims more rows of stream graph_outputs than it has");
        row("nodes without their edges", "UPDATE graphs SET inputs=inputs-1 WHERE id=1",
            "opens with: 1 of 4 graphs have nodes alone: what their nodes count does not add up, or an edge "
            "comes from no node");
        row("parts of no graph", "UPDATE graphs SET outputs=0 WHERE id=1",
            "opens with: 1 row of graph streams left out: no graph claims them");
        row("graph chunk cut", "UPDATE chunks SET data=substr(data,1,30) WHERE stream=6",
            "opens with: 12 graph_inputs are blank: chunk 3 is damaged (column 1 of 5 is cut off)");
        row("graph chunk of an unknown codec",
            "UPDATE chunks SET data=CAST(x'07'||substr(data,2) AS BLOB) WHERE stream=5",
            "opens with: 16 graph_nodes are blank: chunk 2 is damaged (column name: codec 7 is not known)");
        row("graph twice",
            "CREATE TABLE graph_nodes(graph, node, name); INSERT INTO graph_nodes VALUES(0,0,1)",
            "graphs row 0: its parts lie in tables and in streams; one is enough");
        const std::string inTables =
            "UPDATE graphs SET nodes=NULL, inputs=NULL, attributes=NULL, callees=NULL, outputs=NULL;"
            "DELETE FROM chunks WHERE stream>=5; CREATE TABLE graph_nodes(graph, node, name, op);"
            "CREATE TABLE graph_inputs(graph, node, position, source);"
            "INSERT INTO graph_nodes VALUES(0,0,1,1),(1,0,1,1),(1,1,1,1);";
        row("graphs in tables", inTables.c_str(), "opens");
        row("edge from nowhere, in a table", (inTables + "INSERT INTO graph_inputs VALUES(1,1,0,99)").c_str(),
            "graphs row 1: an edge comes from node 99, but there are 2");
        row("text not there, in a table", (inTables + "UPDATE graph_nodes SET op=9999 WHERE graph=0").c_str(),
            "graph_nodes row 0.0: text 9999 is not in table strings");
        row("chunk of no stream", "UPDATE chunks SET stream=99 WHERE stream=0",
            "chunks row 1: stream 99 is not in table streams");
        row("chunk too long", "UPDATE chunks SET rows=1000000 WHERE stream=0",
            "chunks row 1: 1000000 rows, but a chunk holds at most 65536");
        row("chunk cut", "UPDATE chunks SET data=substr(data,1,30) WHERE stream=0",
            "opens with: 5 calls were left out, counts are lower bounds: chunk 1 is damaged (column 1 of 9 "
            "is cut off)");
        row("chunk claims more rows", "UPDATE chunks SET rows=6 WHERE stream=0",
            "opens with: 6 calls were left out, counts are lower bounds: chunk 1 is damaged (column "
            "start_ns: 48 bytes expected, 40 "
            "found)");
        row("a view for a table",
            "DROP TABLE marks; CREATE VIEW marks AS WITH RECURSIVE c(id) AS "
            "(SELECT 0 UNION ALL SELECT id+1 FROM c) SELECT id FROM c",
            "opens");
        row("a generated column",
            "DROP TABLE marks; CREATE TABLE marks(id INTEGER PRIMARY KEY, x, time_ns "
            "GENERATED ALWAYS AS (abs(x)) VIRTUAL); INSERT INTO marks(id,x) VALUES(0,5)",
            "opens with: column x of marks is not known here and was left out");
        row("a wrong version", "PRAGMA user_version=7", "its version number 7 is not one of a session");
    }

    void wrongValuesAreNamed() {
        QFETCH(QString, sql);
        QFETCH(QString, error);
        QCOMPARE(QString::fromStdString(errorAfter(sql.toStdString())), error);
    }

    void aBombOfRowsIsRefusedBeforeItsMemoryIsTaken() {
        // Fifty thousand chunks of one megabyte each that share a few bytes of zeros would be 50 GB.
        const std::string error =
            errorAfter("UPDATE streams SET columns='time_ns:i64' WHERE name='instants';"
                       "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<69000)"
                       "INSERT INTO chunks(stream,rows,data) SELECT 4,65536,x'00' FROM c");
        QVERIFY2(error.find("need more memory") != std::string::npos, error.c_str());
    }
};

RETRACESCOPE_TEST(HostileFileTest);

#include "hostile_file_test.moc"
