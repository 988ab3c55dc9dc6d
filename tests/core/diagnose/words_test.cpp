#include <QTest>

#include <retracescope/diagnose/words.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using test::SessionBuilder;
using types::MissKind;

namespace {

QString text(std::string_view words) {
    return QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
}

StackId stackAt(Session& session, const char* file, std::uint32_t line) {
    session.stacks.push_back({{{session.strings.intern("main"), session.strings.intern(file), line}}});
    return StackId(session.stacks.size() - 1);
}

} // namespace

class WordsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pathsAreCutAtTheirLastPart_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QString>("owner");
        QTest::addColumn<QString>("part");
        QTest::addColumn<int>("axis");
        const auto row = [](const char* path, const char* owner, const char* part, int axis) {
            QTest::newRow(path) << QByteArray(path) << QString(owner) << QString(part) << axis;
        };
        row("x.dtype", "x", "dtype", -1);
        row("xs[1].shape[12]", "xs[1]", "shape", 12);
        row("d['a.b'].len", "d['a.b']", "len", -1);
        row("capture['a.b']", "capture['a.b']", "", -1);
        row("ambient.graph", "ambient", "graph", -1);
        row("callable identity", "callable identity", "", -1);
        row("", "", "", -1);
    }
    void pathsAreCutAtTheirLastPart() {
        QFETCH(const QByteArray, path);
        const diagnose::PathParts parts = diagnose::splitPath(path.constData());
        QTEST(text(parts.owner), "owner");
        QTEST(text(parts.part), "part");
        QTEST(parts.axis, "axis");
    }

    void pathsReadAsWords_data() {
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QString>("inside");
        QTest::addColumn<QString>("atStart");
        const auto row = [](const char* path, const char* inside, const char* atStart) {
            QTest::newRow(path) << QByteArray(path) << QString(inside) << QString(atStart);
        };
        row("x.shape[0]", "x axis 0", "x axis 0");
        row("step.value", "step", "step");
        row("x.dtype", "x dtype", "x dtype");
        row("xs.len", "the length of xs", "The length of xs");
        row("d['k'].keys", "the keys of d['k']", "The keys of d['k']");
        row("x.rank", "the number of axes of x", "The number of axes of x");
        row("c.identity", "the object in c", "The object in c");
        row("v.alias", "the alias number of v", "The alias number of v");
        row("x.device", "the device of x", "The device of x");
        row("x.name", "the name of x", "The name of x");
        row("v.trainable", "the trainability of v", "The trainability of v");
        row("ambient.scope", "the scope it is called in", "The scope it is called in");
        row("the x.shape[1]", "the x axis 1", "the x axis 1"); // the user's name
        row("capture['s']", "capture['s']", "capture['s']");
    }
    void pathsReadAsWords() {
        QFETCH(const QByteArray, path);
        QTEST(text(diagnose::pathInWords(path.constData())), "inside");
        QTEST(text(diagnose::pathAtStart(path.constData())), "atStart");
    }

    void differencesAreSentencesThatAgreeInNumber() {
        const auto words = [](const char* path, const char* before, const char* after) {
            return text(diagnose::differenceInWords({MissKind::Shape, path, before, after}));
        };
        QCOMPARE(words("x.shape[0]", "2", "3"), "x axis 0 was 2, is 3");
        QCOMPARE(words("xs.len", "2", "3"), "The length of xs was 2, is 3");
        QCOMPARE(words("d.keys", "'a'", "'a', 'b'"), "The keys of d were {'a'}, are {'a', 'b'}");
        QCOMPARE(words("d.keys", "{a}", "none"), "The keys of d were {a}, are none");
    }

    void countsAreWordsUpToTen() {
        QCOMPARE(text(diagnose::countInWords(0)), "no");
        QCOMPARE(text(diagnose::countInWords(10)), "ten");
        QCOMPARE(text(diagnose::countInWords(11)), "11");
        QCOMPARE(text(diagnose::countInWords(-1)), QString::fromUtf8("−1"));
        QCOMPARE(text(diagnose::capitalized("two")), "Two");
        QCOMPARE(text(diagnose::capitalized("")), "");
    }

    void namesAreThoseOfTheProgram() {
        SessionBuilder builder;
        const FunctionId f = builder.function("step", "x");
        QCOMPARE(text(diagnose::nameOf(builder.session(), f)), "step");
        builder.session().functions[0].name = {};
        builder.session().functions[0].qualifiedName = builder.session().strings.intern("Model.step");
        QCOMPARE(text(diagnose::nameOf(builder.session(), f)), "Model.step");
    }

    void placesLeaveOutTheFolder() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x", "/src/net/train.cpp", 31);
        QCOMPARE(text(diagnose::placeInWords(builder.session(), f)), "train.cpp, line 31");
        QCOMPARE(text(diagnose::placeInWords(builder.session(), builder.function("g", "x", "train.cpp", 0))),
                 "train.cpp");
        QCOMPARE(text(diagnose::placeInWords(builder.session(), builder.function("h", "x", "", 7))), "");
        QCOMPARE(text(diagnose::shortPlace("C:\\src\\train.cpp", 12)), "train.cpp:12");
        QCOMPARE(text(diagnose::shortPlace("", 12)), "");
        QCOMPARE(text(diagnose::shortPlace("a/b.cpp", 0)), "b.cpp");
    }

    void theStandardLibraryIsNobodysPlace() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x", "/usr/include/c++/12/bits/stl_construct.h", 97);
        QCOMPARE(text(diagnose::definitionPlace(builder.session(), f).file), "");
        QCOMPARE(text(diagnose::placeInWords(builder.session(), f)), "");
        Miss miss;
        miss.stack = stackAt(builder.session(), "/usr/include/c++/12/bits/invoke.h", 60);
        QCOMPARE(diagnose::callPlace(builder.session(), miss).line, 0U);
    }

    void aMissStandsWhereItsCallDoes() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x");
        const CallId call = builder.call(f, test::request("x=int:1"));
        Session& session = builder.session();
        QCOMPARE(text(diagnose::callPlace(session, session.misses[0]).file), "");
        session.calls.stack[call.value] = stackAt(session, "main.cpp", 40);
        QCOMPARE(diagnose::callPlace(session, session.misses[0]).line, 40U);
        session.misses[0].stack = stackAt(session, "main.cpp", 41);
        QCOMPARE(diagnose::callPlace(session, session.misses[0]).line, 41U);
        session.stacks.back().frames.clear();
        QCOMPARE(diagnose::callPlace(session, session.misses[0]).line, 0U);
    }

    void typesAreToldApart() {
        QVERIFY(diagnose::isNumberType("int") && diagnose::isNumberType("double"));
        QVERIFY(!diagnose::isNumberType("bool") && !diagnose::isNumberType("str"));
        QVERIFY(diagnose::isNumericDtype("uint8") && diagnose::isNumericDtype("bfloat16"));
        QVERIFY(!diagnose::isNumericDtype("string") && !diagnose::isNumericDtype("bool"));
        QVERIFY(diagnose::isFloatDtype("float16") && !diagnose::isFloatDtype("int32"));
    }

    void relaxingIsAnOption() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x");
        QVERIFY(!diagnose::relaxes(builder.session(), f));
        builder.session().functions[0].options =
            builder.session().strings.intern("jit_compile=True, reduce_retracing=True");
        QVERIFY(diagnose::relaxes(builder.session(), f));
        builder.session().functions[0].options = builder.session().strings.intern("reduce_retracing=False");
        QVERIFY(!diagnose::relaxes(builder.session(), f));
    }

    void aTextsFirstLine() {
        QCOMPARE(text(diagnose::firstLine("one\ntwo")), "one");
        QCOMPARE(text(diagnose::firstLine("one")), "one");
    }
};

RETRACESCOPE_TEST(WordsTest);

#include "words_test.moc"
