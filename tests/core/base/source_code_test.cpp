#include <map>

#include <QTest>

#include <retracescope/base/source_code.h>

#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

QStringList argumentsOf(const SourceCode& code, std::size_t open) {
    QStringList texts;
    if (const auto call = code.callAt(open)) {
        for (const SourceCall::Piece piece : call->arguments)
            texts += QString::fromStdString(std::string(code.text(piece)));
    } else {
        texts += "not closed";
    }
    return texts;
}

} // namespace

class SourceCodeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void argumentsEndAtCommasOutsideBracketsTextsAndComments_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("none") << QByteArray("f()") << QStringList{};
        QTest::newRow("plain") << QByteArray("f(a, b)") << QStringList{"a", "b"};
        QTest::newRow("inner brackets")
            << QByteArray("f(g(a, b), {c, d}, e[1, 2])") << QStringList{"g(a, b)", "{c, d}", "e[1, 2]"};
        QTest::newRow("texts") << QByteArray("f(\"a, (\", 'b', '\\'', \"\\\")\")")
                               << QStringList{"\"a, (\"", "'b'", "'\\''", "\"\\\")\""};
        QTest::newRow("comments") << QByteArray("f(a, // b, (\n  c /* , d) */)")
                                  << QStringList{"a", "// b, (\n  c /* , d) */"};
        QTest::newRow("digits") << QByteArray("f(1'000, 2)") << QStringList{"1'000", "2"};
        QTest::newRow("raw text") << QByteArray("f(R\"x(a, )\" b)x\", c)")
                                  << QStringList{"R\"x(a, )\" b)x\"", "c"};
        QTest::newRow("a lambda") << QByteArray("f(\"f\", {\"x\"}, [&](int x) { return g(x, 1); })")
                                  << QStringList{"\"f\"", "{\"x\"}", "[&](int x) { return g(x, 1); }"};
        QTest::newRow("never closed") << QByteArray("f(a, (b)") << QStringList{"not closed"};
        QTest::newRow("text never closed") << QByteArray("f(\"a)") << QStringList{"not closed"};
    }
    void argumentsEndAtCommasOutsideBracketsTextsAndComments() {
        QFETCH(const QByteArray, text);
        const SourceCode code(std::string_view(text.constData()));
        QTEST(argumentsOf(code, 1), "arguments");
    }

    void linesCountFromOne() {
        const SourceCode code("one\r\ntwo\n\nfour");
        QCOMPARE(code.line(1), std::string_view("one"));
        QCOMPARE(code.line(2), std::string_view("two"));
        QCOMPARE(code.line(3), std::string_view(""));
        QCOMPARE(code.line(4), std::string_view("four"));
        QCOMPARE(code.line(5), std::string_view(""));
        QCOMPARE(code.line(0), std::string_view(""));
        QCOMPARE(code.lineOf(0), 1U);
        QCOMPARE(code.lineOf(5), 2U);
        QCOMPARE(code.lineOf(code.beginOf(4)), 4U);
    }

    void namesStandBeforeTheBracket() {
        const SourceCode code("rs::Function trainStep (\"f\"); (*p)(x)");
        QCOMPARE(code.nameBefore(code.text().find('(')), std::string_view("trainStep"));
        QCOMPARE(code.nameBefore(code.text().rfind('(')), std::string_view());
    }

    void anInitialisationIsFoundFromAnyOfItsLines() {
        const SourceCode code("Function a(\"f\", {\"x\"});\n"
                              "Function b(\n"
                              "    \"f\",\n"
                              "    [](int x) {\n"
                              "        return x;\n"
                              "    });\n"
                              "call(b, \"f\");\n"
                              "Function c{\"g\"};\n");
        for (const std::uint32_t line : {2U, 3U, 4U, 5U, 6U}) {
            const auto found = findNamed(code, "f", line);
            QVERIFY2(found, std::to_string(line).c_str());
            QCOMPARE(code.lineOf(found->open), 2U);
            QCOMPARE(code.lineOf(found->close), 6U);
            QCOMPARE(code.nameBefore(found->open), std::string_view("b"));
        }
        QCOMPARE(code.nameBefore(findNamed(code, "f", 1)->open), std::string_view("a"));
        QVERIFY(!findNamed(code, "f", 7)); // not its first argument
        QCOMPARE(code.nameBefore(findNamed(code, "g", 8)->open), std::string_view("c"));
        QVERIFY(!findNamed(code, "f", 99));
        QVERIFY(!findNamed(code, "nobody", 4));
    }

    void bracketsAreThoseOfTheCode() {
        const SourceCode code(") f(\")\", g[0]) // )\n{'(', }");
        std::map<std::size_t, std::string_view> texts;
        for (const auto& [close, open] : code.brackets())
            texts[close] = code.text().substr(open, close + 1 - open);
        std::string all;
        for (const auto& [close, text] : texts)
            all += std::string(text) + "|";
        QCOMPARE(all, std::string("[0]|(\")\", g[0])|{'(', }|"));
    }

    void anObjectBeginsWhereverTheCompilerSaysItIs_data() {
        QTest::addColumn<QByteArray>("text"); // @: before what the compiler names
        QTest::addColumn<std::uint32_t>("line");
        QTest::newRow("one line") << QByteArray("F a(\"f\", g@);\n") << 1U;
        QTest::newRow("its last bracket") << QByteArray("\nF a(\"f\",\n  [] {\n  }@);\n") << 2U;
        QTest::newRow("braces") << QByteArray("\nF a{\"f\",\n  [] {\n  }@};\n") << 2U;
        QTest::newRow("a name of its own line") << QByteArray("\nF a(\n  \"f\",\n  [] {\n  }\n@);\n") << 2U;
        QTest::newRow("a name that is no text") << QByteArray("F a(name,\n  [] {\n  }@);\n") << 1U;
        QTest::newRow("inside another call") << QByteArray("add(\n  F(\"f\",\n  [] {\n  }@));\n") << 2U;
        QTest::newRow("its first word") << QByteArray("F @a(\"f\",\n  [] {\n  });\n") << 1U;
        QTest::newRow("the class of a member")
            << QByteArray("struct @S {\n  F a{\"f\",\n  [] {\n  }};\n};\n") << 2U;
        QTest::newRow("the class of two")
            << QByteArray("struct @S {\n  F a{\"f\", g};\n  F b{\"f\", g};\n};\n") << 1U;
        QTest::newRow("the call of a maker") << QByteArray("F a = make@(\n  \"g\", g);\n") << 1U;
        QTest::newRow("no such place") << QByteArray("F a(\"g\", g);\n@") << 2U;
    }
    void anObjectBeginsWhereverTheCompilerSaysItIs() {
        QFETCH(QByteArray, text);
        QFETCH(const std::uint32_t, line);
        const auto at = static_cast<std::size_t>(text.indexOf('@'));
        text.remove(text.indexOf('@'), 1);
        const std::string source = text.toStdString();
        const SourceCode code(source);
        const std::uint32_t named = code.lineOf(at);
        const auto column = static_cast<std::uint32_t>(at - code.beginOf(named) + 1);
        const FirstLines lines(source);
        QCOMPARE(lines.of("f", named, column), line);
        QCOMPARE(lines.of("f", named, 0), named);
        QCOMPARE(lines.of("f", 1000, 1), 1000U);
    }

    void hostileTextEnds() {
        for (const char* text : {"", "(", "((((", "\"", "'", "/*", "R\"(", "R\"", "f(\"\\", "}", ")"}) {
            const SourceCode code(text);
            for (std::size_t open = 0; open <= code.text().size(); ++open)
                QVERIFY(!code.callAt(open) || code.callAt(open)->close < code.text().size());
            findNamed(code, "f", 1);
            FirstLines(text).of("f", 1, 1);
        }
    }
};

RETRACESCOPE_TEST(SourceCodeTest);

#include "source_code_test.moc"
