#include <regex>
#include <set>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

#include <retracescope/report/explain_text.h>
#include <retracescope/report/html_report.h>
#include <retracescope/report/json_answers.h>
#include <retracescope/report/markdown_report.h>
#include <retracescope/report/session_tables.h>

#include "tests/support/golden_text.h"
#include "tests/support/session_builder.h"
#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

QString mismatch(const std::string& text, const std::string& name) {
    return QString::fromStdString(test::goldenMismatch(text, "report/" + name));
}

diagnose::DiagnosisPtr lesson() {
    return diagnose::diagnose(test::processDataSession());
}

/// A session whose names try to break out of every format.
diagnose::DiagnosisPtr hostileNames() {
    test::SessionBuilder builder;
    const auto f = builder.function("a<b>|`\"\x1b[31m&\n#", "x", "dir/<script>.py", 3);
    builder.call(f, test::tensorArgument("x", "float32", {2}));
    builder.call(f, test::tensorArgument("x", "float32", {3}));
    builder.session().imported.warnings.push_back("<img src=x onerror=alert(1)>");
    return diagnose::diagnose(builder.finish());
}

/// Every time and share that a text names, such as "2.00 ms" and "46 %".
std::set<std::string> numbersIn(const std::string& text) {
    static const std::regex number("[0-9.]+ (ns|µs|ms|s|%)");
    std::set<std::string> found;
    for (std::sregex_iterator it(text.begin(), text.end(), number), end; it != end; ++it)
        found.insert(it->str());
    return found;
}

} // namespace

class ReportsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void markdownTellsTheLesson() {
        QCOMPARE(mismatch(report::markdownReport(*lesson()), "process_data.md"), QString());
    }

    void htmlTellsTheLesson() {
        QCOMPARE(mismatch(report::htmlReport(*lesson()), "process_data.html"), QString());
    }

    void jsonTellsTheLesson() {
        QCOMPARE(mismatch(report::reportJson(*lesson()), "process_data.json"), QString());
    }

    void aReportWithoutCallsDividesNoTime() {
        test::SessionBuilder builder;
        const session::SessionPtr spans = builder.finish();
        builder.session().imported.format = "chrome trace";
        builder.session().endNs = spans->originNs + 5'000'000;
        const auto diagnosis = diagnose::diagnose(spans);
        QVERIFY(diagnosis->time.totalNs > 0);
        QVERIFY(report::markdownReport(*diagnosis).find("Outside traced functions") == std::string::npos);
        QVERIFY(report::htmlReport(*diagnosis).find("class=\"bar\"") == std::string::npos);
        QVERIFY(report::markdownReport(*lesson()).find("## Time") != std::string::npos);
        QVERIFY(report::htmlReport(*lesson()).find("class=\"bar\"") != std::string::npos);
    }

    void htmlIsWellFormedAndNeedsNothingFromOutside() {
        for (const auto& diagnosis : {lesson(), hostileNames()}) {
            const std::string html = report::htmlReport(*diagnosis);
            QString text = QString::fromStdString(html);
            text.replace(QRegularExpression("<(meta[^>]*)>"), "<\\1/>"); // the one element without an end tag
            text.remove("<!DOCTYPE html>");
            QXmlStreamReader reader(text);
            while (!reader.atEnd())
                reader.readNext();
            QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
            QVERIFY(html.find("http") == std::string::npos);
            QVERIFY(html.find("<script") == std::string::npos);
            QVERIFY(html.find("<img") == std::string::npos);
            QVERIFY(html.find("prefers-color-scheme: dark") != std::string::npos);
        }
    }

    void everyTimeInMarkdownStandsInHtmlToo() {
        const std::string html = report::htmlReport(*lesson());
        const std::set<std::string> inHtml = numbersIn(html);
        for (const std::string& number : numbersIn(report::markdownReport(*lesson())))
            QVERIFY2(inHtml.contains(number), number.c_str());
    }

    void namesCannotBreakATableOrATerminal() {
        const auto diagnosis = hostileNames();
        const std::string markdown = report::markdownReport(*diagnosis);
        QVERIFY(markdown.find("<img") == std::string::npos || markdown.find("\\<img") != std::string::npos);
        QVERIFY(markdown.find('\x1b') == std::string::npos);
        QVERIFY(report::functionTable(*diagnosis).text().find('\x1b') == std::string::npos);
        QCOMPARE(std::ranges::count(report::functionTable(*diagnosis).text(), '\n'), 2);
    }

    void explanationsSayWhereTheCallStands() {
        test::SessionBuilder builder;
        const session::FunctionId f = builder.function("f", "n", "model.cpp", 12);
        for (const char* n : {"1", "2", "3"})
            builder.call(f, test::literalArgument("n", "int", n));
        session::Session& session = builder.session();
        session.stacks.push_back(
            {{{session.strings.intern("main"), session.strings.intern("/src/main.cpp"), 40}}});
        session.misses[1].stack = session::StackId(0u);
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const std::string at = report::explainText(*diagnosis, session::MissId(1u));
        QVERIFY(at.find("  called at main.cpp:40\n") != std::string::npos);
        QVERIFY(at.find("  edit (pass_array, main.cpp:40): ") != std::string::npos);
        const std::string unknown = report::explainText(*diagnosis, session::MissId(2u));
        QVERIFY(unknown.find("  defined at model.cpp:12\n") != std::string::npos);
        QVERIFY(unknown.find("  edit (pass_array, model.cpp:12): ") != std::string::npos);
        const std::string markdown = report::markdownReport(*diagnosis);
        QVERIFY(markdown.find("called at main.cpp:40. Cost") != std::string::npos);
        QVERIFY(markdown.find("**Edit** (pass_array, main.cpp:40): ") != std::string::npos);
    }

    void comparedEntriesAreListedFromTheNearestOnAndCounted() {
        test::SessionBuilder builder;
        const session::FunctionId f = builder.function("f", "n, mode");
        using test::operator+;
        const auto call = [&](int n, const char* mode) {
            builder.call(f, test::literalArgument("n", "int", std::to_string(n)) +
                                test::literalArgument("mode", "str", mode));
        };
        for (int n = 0; n < 39; ++n)
            call(n, "a");
        call(39, "b");
        call(40, "b");
        const auto diagnosis = diagnose::diagnose(builder.finish());
        const auto misses = QJsonDocument::fromJson(
            QByteArray::fromStdString(report::explainJson(*diagnosis, {session::MissId(40u)}, {})))["misses"];
        const QJsonArray compared = misses[0]["compared"].toArray();
        QCOMPARE(misses[0]["compared_total"].toInt(), 40);
        QCOMPARE(compared.size(), 32);
        QCOMPARE(compared[0]["entry"].toInt(), 40);
        QCOMPARE(compared[0]["differences"].toArray().size(), 1);
        QCOMPARE(compared[1]["entry"].toInt(), 1);
        QCOMPARE(compared[1]["differences"].toArray().size(), 2);
        const std::string text = report::explainText(*diagnosis, session::MissId(40u));
        QVERIFY2(text.find("  compared with f #40: n.value: 39 -> 40  (nearest)\n"
                           "  compared with f #1: n.value: 0 -> 40, mode.value: a -> b\n") !=
                     std::string::npos,
                 text.c_str());
        QVERIFY(text.find("  and with 37 more; --all lists them\n") != std::string::npos);
    }

    void theTimesOfAColumnHaveOneUnit() {
        report::Table table({{"Name"}, {"Time", report::Align::Right}, {"At", report::Align::Right, 3}});
        table.addRow({"a", report::TimeCell{35}, report::TimeCell{1'000'010}});
        table.addRow({"b", report::TimeCell{36'204'000}, report::TimeCell{0}});
        table.addRow({"c", report::TimeCell{session::kNotRecorded}, report::TimeCell{2'500'000}});
        QCOMPARE(QString::fromStdString(table.text()), QString("Name  Time, ms   At, ms\n"
                                                               "a       < 0.01  1.00001\n"
                                                               "b        36.20        0\n"
                                                               "c            –  2.50000\n"));
        QVERIFY(QString::fromStdString(table.html()).contains("<th class=\"num\">Time, ms</th>"));
    }

    void aTableAlignsByCharactersNotBytes() {
        report::Table table({{"Name"}, {"Time", report::Align::Right}, {"Unused"}, {"Note"}});
        table.addRow({"µ-kernel", "828 µs", "", "first"});
        table.addRow({"sum", "2.10 ms", "", ""});
        QCOMPARE(QString::fromStdString(table.text()), QString("Name         Time  Note\n"
                                                               "µ-kernel   828 µs  first\n"
                                                               "sum       2.10 ms\n"));
    }
};

RETRACESCOPE_TEST(ReportsTest);

#include "reports_test.moc"
