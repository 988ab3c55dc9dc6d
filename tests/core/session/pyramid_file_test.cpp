#include <algorithm>
#include <filesystem>
#include <limits>
#include <random>

#include <QTemporaryDir>
#include <QTest>

#include <retracescope/session/codec.h>
#include <retracescope/session/file.h>
#include <retracescope/session/pyramid.h>
#include <retracescope/session/sqlite.h>
#include <retracescope/session/writer.h>

#include "tests/core/session/random_session.h"
#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;

namespace {

/// Random events so close to each other that they nest and that several depths of each lane are long.
Session denseSession(std::uint64_t seed) {
    Session session = test::randomSession(seed, 4000);
    const auto closer = [](std::vector<std::int64_t>& times) {
        for (std::int64_t& time : times)
            time /= 300;
    };
    closer(session.calls.startNs);
    closer(session.spans.startNs);
    closer(session.kernels.startNs);
    updateExtent(session);
    return session;
}

bool equal(const PyramidLevel& a, const PyramidLevel& b) {
    return a.widthBits == b.widthBits && a.number == b.number && a.busyNs == b.busyNs && a.count == b.count &&
           a.last == b.last && a.category == b.category && a.categoryNs == b.categoryNs;
}

/// The categories' own texts are left out: two sessions number texts differently.
bool equal(const Pyramid& a, const Pyramid& b) {
    const auto sameLevels = [](const RowPyramid& x, const RowPyramid& y) {
        return x.baseNs == y.baseNs &&
               std::ranges::equal(x.levels, y.levels,
                                  [](const auto& l, const auto& m) { return equal(l, m); });
    };
    return std::ranges::equal(
        a.rows, b.rows, [&](const auto& x, const auto& y) { return std::ranges::equal(x, y, sameLevels); });
}

/// The finest levels of a built pyramid, as a file would bring them.
StoredPyramid finestOf(const Pyramid& pyramid) {
    StoredPyramid stored;
    for (std::size_t lane = 0; lane < pyramid.rows.size(); ++lane) {
        for (std::size_t depth = 0; depth < pyramid.rows[lane].size(); ++depth) {
            if (!pyramid.rows[lane][depth].levels.empty())
                stored.rows.push_back({LaneId(lane), static_cast<std::uint32_t>(depth),
                                       pyramid.rows[lane][depth].levels.front()});
        }
    }
    return stored;
}

/// Columns of a level's blob, uncompressed.
struct Columns {
    std::vector<std::uint32_t> number;
    std::vector<float> busyNs;
    std::vector<std::uint32_t> count;
    std::vector<std::uint32_t> category;
    std::vector<float> categoryNs;

    std::vector<std::byte> blob() const {
        std::vector<std::byte> out;
        ColumnEncoder encoder;
        const auto append = [&](const auto& values) {
            encoder.append(std::as_bytes(std::span(values)), 4, Codec::Raw, 0, out);
        };
        append(number), append(busyNs), append(count), append(category), append(categoryNs);
        return out;
    }
};

} // namespace

Q_DECLARE_METATYPE(Columns)

class PyramidFileTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::filesystem::path path() const { return m_folder.filePath("p.retrace").toStdString(); }

    void write(std::uint64_t seed = 3) const {
        if (const Status status = writeSession(denseSession(seed), path()); !status)
            qFatal("%s", status.error().message.c_str());
    }

    SessionPtr read() const {
        auto session = readSession(path());
        if (!session)
            qFatal("%s", session.error().message.c_str());
        return *session;
    }

    /// Opens the changed file: must tell what is wrong with the pyramid, leave it out and build another.
    void verifyRefused(const QString& reason) const {
        const SessionPtr session = read();
        QString warnings;
        for (const std::string& warning : session->warnings)
            warnings += QString::fromStdString(warning) + '\n';
        QVERIFY2(
            warnings.endsWith("the stored time pyramid does not serve and is built anew (" + reason + ")\n"),
            qPrintable(warnings));
        QVERIFY(!session->storedPyramid);
        QVERIFY(equal(pyramidOf(*session), buildPyramid(*session)));
    }

private Q_SLOTS:
    void whatIsStoredEqualsWhatIsBuilt() {
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            write(seed);
            const SessionPtr session = read();
            QVERIFY(session->warnings.empty());
            QVERIFY(session->storedPyramid);
            const Pyramid built = buildPyramid(denseSession(seed));
            const StoredPyramid expected = finestOf(built);
            QVERIFY(expected.rows.size() >= 4);
            QCOMPARE(session->storedPyramid->rows.size(), expected.rows.size());
            for (std::size_t i = 0; i < expected.rows.size(); ++i)
                QVERIFY(equal(session->storedPyramid->rows[i].finest, expected.rows[i].finest));
            QVERIFY(equal(pyramidOf(*session), buildPyramid(*session)));
        }
    }

    void aStoredRowIsTakenAndNotBuilt() {
        Session session = denseSession(1);
        StoredPyramid stored = finestOf(buildPyramid(session));
        for (StoredPyramid::Row& row : stored.rows)
            std::ranges::fill(row.finest.busyNs, 0.5f);
        session.storedPyramid = std::make_shared<StoredPyramid>(stored);
        QVERIFY(equal(finestOf(pyramidOf(session)).rows.back().finest, stored.rows.back().finest));
        QVERIFY(!equal(pyramidOf(session), buildPyramid(session)));
    }

    void aStoredRowThatDoesNotFitItsEventsIsBuilt_data() {
        QTest::addColumn<int>("change");
        QTest::newRow("an event counted a bin early") << 0;
        QTest::newRow("a bin moved") << 1;
        QTest::newRow("a last bin behind all events") << 2;
        QTest::newRow("a category of other events") << 3;
        QTest::newRow("a category that is not there") << 4;
        QTest::newRow("an event too few") << 5;
        QTest::newRow("wider bins") << 6;
    }

    void aStoredRowThatDoesNotFitItsEventsIsBuilt() {
        QFETCH(int, change);
        Session session = denseSession(1);
        const Pyramid built = buildPyramid(session);
        StoredPyramid stored = finestOf(built);
        for (StoredPyramid::Row& row : stored.rows) {
            PyramidLevel& level = row.finest;
            const std::size_t middle = level.size() / 2;
            if (change == 0)
                ++level.count[middle], ++level.last[middle], --level.count[middle + 1];
            else if (change == 1)
                ++level.number[0];
            else if (change == 2)
                level.number.back() = 0xfffffff0;
            else if (change == 3)
                level.category[middle] = CategoryId(built.index.categories.size() - 1),
                level.category.back() = CategoryId(0u), level.category.front() = CategoryId(0u);
            else if (change == 4)
                level.category[middle] = CategoryId(built.index.categories.size());
            else if (change == 5)
                --level.last.back();
            else
                ++level.widthBits;
        }
        session.storedPyramid = std::make_shared<StoredPyramid>(stored);
        QVERIFY(equal(pyramidOf(session), built));
    }

    void aPyramidThatIsDamagedOrOfOtherEventsIsBuiltAnewWithAWarning_data() {
        QTest::addColumn<QString>("sql");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const char* sql, const char* reason) {
            QTest::newRow(name) << sql << reason;
        };
        row("empty data", "UPDATE pyramid SET data=x''", "pyramid row 0.0: ends before column 1 of 5");
        row("cut data", "UPDATE pyramid SET data=substr(data,1,20)",
            "pyramid row 0.0: column 1 of 5 is cut off");
        row("longer data", "UPDATE pyramid SET data=CAST(data||x'00' AS BLOB)",
            "pyramid row 0.0: has 1 bytes too many");
        row("no data", "UPDATE pyramid SET data=NULL", "column data should hold a blob");
        row("text for data", "UPDATE pyramid SET data='bins'", "column data should hold a blob");
        row("unknown lane", "UPDATE pyramid SET lane=77 WHERE lane=0 AND depth=0",
            "pyramid row 77.0: there are 3 lanes");
        row("text for a lane", "UPDATE pyramid SET lane='one' WHERE lane=0 AND depth=0",
            "column lane should hold an integer");
        row("negative depth", "UPDATE pyramid SET depth=-1 WHERE lane=0 AND depth=0",
            "pyramid row 0.-1: -1 is no 32-bit number");
        row("a row twice",
            "CREATE TABLE p AS SELECT * FROM pyramid UNION ALL SELECT * FROM pyramid; DROP TABLE pyramid;"
            "ALTER TABLE p RENAME TO pyramid",
            "the rows of table pyramid are not in order");
        row("no width", "UPDATE pyramid SET width_bits=NULL", "pyramid row 0.0: no bin is 2^-1 ns wide");
        row("too wide", "UPDATE pyramid SET width_bits=61", "pyramid row 0.0: no bin is 2^61 ns wide");
        row("no bins", "UPDATE pyramid SET bins=0", "pyramid row 0.0: 0 bins for 20000 events");
        row("bins without end", "UPDATE pyramid SET bins=4000000000",
            "pyramid row 0.0: 4000000000 bins for 20000 events");
        row("no key column", "DROP TABLE pyramid; CREATE TABLE pyramid(lane); INSERT INTO pyramid VALUES(0)",
            "table pyramid lacks its key column depth");
        row("fewer events than it was built from", "DELETE FROM chunks WHERE stream=1",
            "pyramid row 0.0: built from 20000 events, now there are 16000");
        row("not said from how many events", "DELETE FROM meta WHERE key='pyramid_events'",
            "pyramid row 0.0: built from -1 events, now there are 20000");
    }

    void aPyramidThatIsDamagedOrOfOtherEventsIsBuiltAnewWithAWarning() {
        QFETCH(QString, sql);
        QFETCH(QString, reason);
        write();
        sqlite::Database(path(), sqlite::Access::Change).execute(qPrintable(sql));
        verifyRefused(reason);
    }

    void columnsThatCannotBeAreBuiltAnewWithAWarning_data() {
        QTest::addColumn<Columns>("columns");
        QTest::addColumn<QString>("reason");
        const Columns sound{{0, 1}, {1, 1}, {300, 300}, {0, 0}, {1, 1}};
        const auto row = [&](const char* name, const char* reason, auto&& change) {
            Columns columns = sound;
            change(columns);
            QTest::newRow(name) << columns << "pyramid row 0.0: " + QString(reason);
        };
        row("bins out of order", "bin 1 is out of order", [](Columns& c) { c.number = {1, 1}; });
        row("busy for longer than a bin", "bin 1 covers more time than it has",
            [](Columns& c) { c.busyNs[1] = 1100; });
        row("busy for less than nothing", "bin 0 covers more time than it has",
            [](Columns& c) { c.busyNs[0] = -1; });
        row("a time that is no number", "bin 0 covers more time than it has",
            [](Columns& c) { c.categoryNs[0] = std::numeric_limits<float>::quiet_NaN(); });
        row("a time without end", "bin 1 covers more time than it has",
            [](Columns& c) { c.busyNs[1] = std::numeric_limits<float>::infinity(); });
        row("nothing starts in the first bin", "0 events up to bin 0 of 20000 left",
            [](Columns& c) { c.count[0] = 0; });
        row("more events than there are", "4294967595 events up to bin 1 of 20000 left",
            [](Columns& c) { c.count[1] = 0xffffffff; });
        row("a longer column", "column busy_ns: 8 bytes expected, 12 found",
            [](Columns& c) { c.busyNs.push_back(0); });
    }

    void columnsThatCannotBeAreBuiltAnewWithAWarning() {
        QFETCH(Columns, columns);
        QFETCH(QString, reason);
        write();
        {
            const std::vector<std::byte> data = columns.blob();
            sqlite::Database database(path(), sqlite::Access::Change);
            sqlite::Statement(database,
                              "UPDATE pyramid SET width_bits=10, bins=2, data=? WHERE lane=0 AND depth=0")
                .run(std::span<const std::byte>(data));
        }
        verifyRefused(reason);
    }

    void flippedBytesInItNeverHarm() {
        write();
        std::mt19937 random(4);
        sqlite::Database database(path(), sqlite::Access::Change);
        sqlite::Statement select(database, "SELECT data FROM pyramid WHERE lane=0 AND depth=0");
        QVERIFY(select.step());
        const std::vector<std::byte> whole(select.blob(0).begin(), select.blob(0).end());
        while (select.step()) {
        }
        int refused = 0;
        const int rounds = test::rounds(100);
        for (int round = 0; round < rounds; ++round) {
            std::vector<std::byte> data = whole;
            data[random() % data.size()] ^= static_cast<std::byte>(1 + random() % 255);
            sqlite::Statement(database, "UPDATE pyramid SET data=? WHERE lane=0 AND depth=0")
                .run(std::span<const std::byte>(data));
            const SessionPtr session = read();
            QCOMPARE(session->warnings.size(), session->storedPyramid ? std::size_t{0} : std::size_t{1});
            refused += session->storedPyramid == nullptr;
            const Pyramid pyramid = pyramidOf(*session);
            std::vector<PixelSlice> pixels(300);
            sampleRow(pyramid.index.lanes[0].rows[0], pyramid.rows[0][0], session->originNs, session->endNs,
                      pixels);
            for (const PixelSlice& pixel : pixels)
                QVERIFY(!pixel.category.isValid() || pixel.category.value < pyramid.index.categories.size());
        }
        QVERIFY(refused > 0 && refused < rounds);
    }

    void aFileWithoutOneOpensAndBuildsIt() {
        write();
        sqlite::Database(path(), sqlite::Access::Change).execute("DROP TABLE pyramid");
        const SessionPtr session = read();
        QVERIFY(session->warnings.empty() && !session->storedPyramid);
        QVERIFY(equal(pyramidOf(*session), buildPyramid(denseSession(3))));
    }

    void aRecordingStoresNone() {
        std::filesystem::remove(path());
        auto writer = SessionWriter::create(path(), SessionWriter::Use::Recorded);
        QVERIFY(writer);
        QVERIFY((*writer)->append(denseSession(3)));
        QVERIFY((*writer)->close());
        const SessionPtr session = read();
        QVERIFY(session->warnings.empty() && !session->storedPyramid);
        QVERIFY(equal(pyramidOf(*session), buildPyramid(denseSession(3))));
    }

    void aSessionThatIsWrittenAgainGetsAPyramidOfItsEvents() {
        Session session = denseSession(2);
        StoredPyramid wrong = finestOf(buildPyramid(session));
        for (StoredPyramid::Row& row : wrong.rows)
            std::ranges::fill(row.finest.busyNs, 0.5f);
        session.storedPyramid = std::make_shared<StoredPyramid>(std::move(wrong));
        QVERIFY(writeSession(session, path()));
        QVERIFY(read()->storedPyramid);
        QVERIFY(equal(pyramidOf(*read()), buildPyramid(session)));
    }
};

RETRACESCOPE_TEST(PyramidFileTest);

#include "pyramid_file_test.moc"
