#include <QTest>

#include "app/gui/history.h"
#include "app/gui/options.h"
#include "tests/support/test_main.h"

namespace retracescope::test {

using namespace gui;

class OptionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOptionIsUnderstood() {
        const auto options = parseOptions(
            {QStringLiteral("a.retrace"), QStringLiteral("--perspective=graph"), QStringLiteral("--select"),
             QStringLiteral("f=train,call=120"), QStringLiteral("--theme"), QStringLiteral("dark"),
             QStringLiteral("--size"), QStringLiteral("1280x720"), QStringLiteral("--screenshot"),
             QStringLiteral("out"), QStringLiteral("b.json")});
        QVERIFY(options.ok());
        QCOMPARE(options->files, (QStringList{QStringLiteral("a.retrace"), QStringLiteral("b.json")}));
        QCOMPARE(options->perspective, QStringLiteral("graph"));
        QCOMPARE(options->select->function, QStringLiteral("train"));
        QCOMPARE(*options->select->call, 120);
        QCOMPARE(*options->theme, views::ThemeName::Dark);
        QCOMPARE(*options->size, QSize(1280, 720));
        QCOMPARE(options->screenshot, QStringLiteral("out"));
    }

    void wrongUseIsOneLineThatSaysWhatToDo_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("message");
        QTest::newRow("unknown") << QStringList{"--nonsense"}
                                 << "unknown option '--nonsense'; see retracescope --help";
        QTest::newRow("no value") << QStringList{"--theme"}
                                  << "--theme needs a value; see retracescope --help";
        QTest::newRow("theme") << QStringList{"--theme", "blue"} << "--theme takes light or dark, not 'blue'";
        QTest::newRow("size") << QStringList{"--size", "8x8"}
                              << "--size takes WIDTHxHEIGHT from 1024x640 to 16384x16384, not '8x8'";
        QTest::newRow("select") << QStringList{"--select", "call=3"}
                                << "--select needs a function: f=NAME, in 'call=3'";
        QTest::newRow("number") << QStringList{"--select", "f=a,call=0"}
                                << "--select takes f=NAME,entry=N,call=N with N from 1, not 'f=a,call=0'";
    }

    void wrongUseIsOneLineThatSaysWhatToDo() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, message);
        const auto options = parseOptions(arguments);
        QVERIFY(!options.ok());
        QCOMPARE(QString::fromStdString(options.error().message), message);
    }

    void historyMergesEqualNeighboursAndForgetsWhatLiesAhead() {
        History history;
        const auto place = [](const char* view) { return Place{QLatin1String(view), {}}; };
        history.visit(place("a"));
        history.visit(place("a"));
        history.visit(place("b"));
        history.visit(place("c"));
        QCOMPARE(history.back()->viewId, QStringLiteral("b"));
        QCOMPARE(history.back()->viewId, QStringLiteral("a"));
        QVERIFY(!history.canGoBack());
        history.visit(place("d"));
        QVERIFY(!history.canGoForward());
        for (int i = 0; i < 500; ++i)
            history.visit(place(i % 2 == 0 ? "x" : "y"));
        int steps = 0;
        while (history.back())
            ++steps;
        QCOMPARE(steps, 199);
    }
};

RETRACESCOPE_TEST(OptionsTest);

} // namespace retracescope::test

#include "options_test.moc"
