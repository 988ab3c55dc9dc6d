#include <QFontDatabase>
#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTest>

#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"
#include "views/shared/data_table.h"
#include "views/shared/diff_view.h"
#include "views/shared/fact_table.h"
#include "views/shared/focus_ring.h"
#include "views/shared/glyphs.h"
#include "views/shared/icons.h"
#include "views/shared/latest_job.h"
#include "views/shared/numbers.h"
#include "views/shared/theme_style.h"
#include "views/shared/widgets.h"

namespace retracescope::test {

using namespace views;

class SharedTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLongCellTakesNoRoomFromNarrowColumns() {
        ViewState state;
        FactTable table(state);
        table.resize(400, 100);
        table.setContent(
            {QStringLiteral("Call"), QStringLiteral("At"), QStringLiteral("Why")},
            {{{QStringLiteral("call 1000")}, {QStringLiteral("3.20 ms")}, {QString(300, QLatin1Char('w'))}}},
            {0, 0, 1});
        const std::vector<int> widths = table.columnWidths();
        const QFontMetrics metrics(textFont(TextSize::Body));
        QVERIFY(widths[0] >= metrics.horizontalAdvance(QStringLiteral("call 1000")) + 16);
        QVERIFY(widths[1] >= metrics.horizontalAdvance(QStringLiteral("3.20 ms")) + 16);
        QVERIFY(widths[0] + widths[1] + widths[2] <= 398);
        QVERIFY(widths[2] > 200);
    }

    void aLinkElidesAndTellsTheWholeInItsToolTip() {
        Link link(QStringLiteral("a_file_with_a_rather_long_name.cpp:1234"));
        link.show();
        link.resize(link.sizeHint());
        QCOMPARE(link.text(), QStringLiteral("a_file_with_a_rather_long_name.cpp:1234"));
        QVERIFY(link.toolTip().isEmpty());
        link.resize(90, 18);
        QVERIFY(link.text().contains(QChar(0x2026)));
        QCOMPARE(link.toolTip(), QStringLiteral("a_file_with_a_rather_long_name.cpp:1234"));
        QVERIFY(link.minimumSizeHint().width() < link.sizeHint().width());
    }

    void initTestCase() { QVERIFY(QFontDatabase::families().contains(QStringLiteral("DejaVu Sans"))); }

    void everyTextTokenCanBeRead() {
        for (const ThemeName name : {ThemeName::Light, ThemeName::Dark}) {
            const Theme t = makeTheme(name);
            QStringList poor;
            const auto check = [&](const char* what, const QColor& text, const QColor& ground) {
                if (contrast(text, ground) < 4.5)
                    poor += QStringLiteral("%1 %2").arg(QLatin1String(what)).arg(contrast(text, ground));
            };
            for (const QColor& ground :
                 {t.window, t.view, t.raised, t.header, t.alt, t.hover, t.accentTint}) {
                check("text", t.text, ground);
                check("muted", t.muted, ground);
            }
            for (const QColor& ground : {t.window, t.view, t.raised})
                check("accent", t.accent, ground);
            check("onAccent", t.onAccent, t.accent);
            for (const Meaning& m :
                 {t.hit, t.miss, t.relaxed, t.error, t.expected, t.execute, t.kernel, t.warning}) {
                check("meaning on view", m.text, t.view);
                check("meaning on tint", m.text, m.tint);
                check("meaning on raised", m.text, t.raised);
                check("meaning on selection", m.text, t.accentTint);
                check("on fill", t.textOn(m.fill), m.fill);
                check("text on tint", t.text, m.tint);
            }
            QVERIFY2(poor.isEmpty(), qPrintable(poor.join(QStringLiteral(", "))));
        }
    }

    void everyTokenOfTheStyleSheetIsKnown() {
        for (const ThemeName name : {ThemeName::Light, ThemeName::Dark})
            QVERIFY(!makeTheme(name).styleSheet().contains(QLatin1Char('@')));
    }

    void aThemeSwitchPolishesAWidgetNotOncePerWidgetAboveIt() {
        struct Counter : QObject {
            int changes = 0;
            bool eventFilter(QObject*, QEvent* event) override {
                changes += event->type() == QEvent::StyleChange ? 1 : 0;
                return false;
            }
        } counter;
        applyTheme(makeTheme(ThemeName::Light));
        QWidget top;
        QWidget* parent = &top;
        for (int depth = 0; depth < 10; ++depth)
            parent = new QFrame(parent);
        auto* leaf = makeLabel(QStringLiteral("text"), "muted", parent);
        top.show();
        leaf->installEventFilter(&counter);
        applyTheme(makeTheme(ThemeName::Dark));
        QVERIFY2(counter.changes <= 2, qPrintable(QString::number(counter.changes)));
        QCOMPARE(leaf->palette().color(QPalette::WindowText), makeTheme(ThemeName::Dark).muted);
    }

    void printedPartsAddUpToThePrintedTotal() {
        const std::vector<std::int64_t> parts{3'333'333'333, 3'333'333'333, 3'333'333'334};
        const auto texts = partsThatAddUp(parts, timeUnitFor(10'000'000'000));
        QCOMPARE(texts, (std::vector<QString>{QStringLiteral("3.33 s"), QStringLiteral("3.33 s"),
                                              QStringLiteral("3.34 s")}));
    }

    void printedPartsAgreeWithTheTableThatShowsThemToo() {
        // To two decimals the parts would read 1.00 in a table, and one of them 1.01 where they have to add
        // up.
        const std::vector<std::int64_t> parts{1'004'400, 1'004'400, 1'004'400};
        const TimeUnit table = timeUnitFor(3'013'200);
        const TimeUnit unit = timeUnitOfParts(3'013'200);
        QCOMPARE(unit.text(3'013'200), QStringLiteral("3.013 ms"));
        double sum = 0;
        for (const QString& text : partsThatAddUp(parts, unit)) {
            const QString number = text.section(QLatin1Char(' '), 0, 0);
            sum += number.toDouble();
            QVERIFY2(number.startsWith(table.number(1'004'400)), qPrintable(number));
        }
        QCOMPARE(QString::number(sum, 'f', 3), QStringLiteral("3.013"));
        // Little and nothing read as in a column, too.
        const auto small = partsThatAddUp(std::vector<std::int64_t>{3'000'000, 100, 0}, unit);
        QCOMPARE(small[1], unit.text(100));
        QCOMPARE(small[1], QStringLiteral("< 0.001 ms"));
        QCOMPARE(small[2], unit.text(0));
        QCOMPARE(timeUnitOfParts(900).text(35), QStringLiteral("35 ns"));
    }

    void aColumnOfTimesHasOneUnitWhichItsTitleNames() {
        QStandardItemModel source(2, 2);
        source.setHorizontalHeaderLabels({QStringLiteral("Name"), QStringLiteral("Tracing")});
        source.setData(source.index(0, 1), QVariant::fromValue<qlonglong>(11'520'000'000), Qt::DisplayRole);
        source.setData(source.index(1, 1), QVariant::fromValue<qlonglong>(20'000'000), Qt::DisplayRole);
        FormattedModel model;
        model.setSourceModel(&source);
        model.setFormats({CellFormat::Text, CellFormat::ColumnTime});
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("Tracing, s"));
        QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("11.52"));
        QCOMPARE(model.index(1, 1).data().toString(), QStringLiteral("0.02"));
        model.sort(1, Qt::AscendingOrder);
        QCOMPARE(model.index(0, 1).data().toString(), QStringLiteral("0.02"));
        QVERIFY(model.tabSeparated().contains(QStringLiteral("11520000000")));
    }

    void aColumnOfZerosNamesNoUnit() {
        QStandardItemModel source(1, 1);
        source.setHorizontalHeaderLabels({QStringLiteral("Failed calls")});
        source.setData(source.index(0, 0), QVariant::fromValue<qlonglong>(0), Qt::DisplayRole);
        FormattedModel model;
        model.setSourceModel(&source);
        model.setFormats({CellFormat::ColumnTime});
        QCOMPARE(model.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("Failed calls"));
        QCOMPARE(model.index(0, 0).data().toString(), QStringLiteral("0"));
    }

    void unknownTimesAreNeverZero() {
        QCOMPARE(durationText(session::kNotRecorded), QStringLiteral("not recorded"));
    }

    void iconsFollowThePalette() {
        applyTheme(makeTheme(ThemeName::Light));
        const QIcon open = icon(QStringLiteral("open"));
        const QImage light = open.pixmap(16, 16).toImage();
        applyTheme(makeTheme(ThemeName::Dark));
        const QImage dark = open.pixmap(16, 16).toImage();
        QVERIFY(light != dark);
        const auto strongest = [](const QImage& image) {
            QColor best(Qt::transparent);
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (image.pixelColor(x, y).alpha() > best.alpha())
                        best = image.pixelColor(x, y);
                }
            }
            return best;
        };
        QVERIFY(strongest(light).lightness() < 80);
        QVERIFY(strongest(dark).lightness() > 180);
    }

    void aLongEditLineGoesOnInTheNextRow() {
        ViewState state;
        DiffView view(state);
        diagnose::Edit edit;
        edit.kind = "input_signature";
        edit.lines = {{'-', "short"}, {'+', std::string(200, 'a')}};
        view.resize(400, 10);
        view.show();
        view.setEdit(edit, QStringLiteral("train.py:41"));
        const int narrow = view.height();
        view.resize(1600, narrow);
        QTRY_VERIFY(view.height() < narrow);
        QCOMPARE(view.plainText(),
                 QStringLiteral("- short\n+ ") + QString(200, QLatin1Char('a')) + QLatin1Char('\n'));
    }

    void theFocusRingFollowsTheKeyboardAndHidesForTheMouse() {
        ViewState state;
        QWidget window;
        window.resize(300, 100);
        QPushButton first(QStringLiteral("one"), &window);
        QPushButton second(QStringLiteral("two"), &window);
        first.setGeometry(20, 20, 80, 26);
        second.setGeometry(120, 20, 80, 26);
        FocusRing ring(state, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        first.setFocus();
        QVERIFY(!ring.isVisible());
        QTest::keyClick(&first, Qt::Key_Tab);
        QVERIFY(ring.isVisible());
        QCOMPARE(ring.target(), &second);
        QCOMPARE(ring.geometry(), second.geometry().adjusted(-4, -4, 4, 4));
        QTest::mouseClick(&window, Qt::LeftButton, {}, QPoint(5, 5));
        QVERIFY(!ring.isVisible());
    }

    void onlyTheLatestJobBringsItsResult() {
        auto jobs = std::make_unique<Jobs>();
        LatestJob job(*jobs);
        QSignalSpy ended(&job, &LatestJob::ended);
        QSignalSpy cancelled(&job, &LatestJob::cancelled);
        std::vector<int> results;
        const auto run = [&](int value) {
            job.run(
                QStringLiteral("counts"), [value](const Job&) { return value; },
                [&](int result) { results.push_back(result); });
        };
        run(1);
        run(2);
        QVERIFY(job.isRunning());
        QTRY_VERIFY(jobs->isIdle());
        QTest::qWait(1); // what the first one sent has come, too
        QCOMPARE(results, std::vector<int>{2});
        QVERIFY(!job.isRunning());
        QCOMPARE(cancelled.count(), 0); // dropped is not cancelled
        run(3);
        jobs->cancel(jobs->running().front().id); // in the status bar
        QVERIFY(!job.isRunning());
        QCOMPARE(cancelled.count(), 1);
        QCOMPARE(ended.count(), 3);
        run(4);
        jobs.reset(); // the window goes: its state first, then its views
        QCOMPARE(results, std::vector<int>{2});
    }

    void aCallIsDrawnByWhatHappenedToIt() {
        const auto session = processDataSession();
        const auto index = session::buildIndex(*session);
        std::vector<Glyph> glyphs;
        for (std::size_t call = 0; call < session->calls.size(); ++call)
            glyphs.push_back(glyphOfCall(*session, session::CallId(call), index.missOfCall[call]));
        QCOMPARE(glyphs,
                 (std::vector{Glyph::Expected, Glyph::Trace, Glyph::Hit, Glyph::Trace, Glyph::Trace}));
    }
};

RETRACESCOPE_TEST(SharedTest);

} // namespace retracescope::test

#include "shared_test.moc"
