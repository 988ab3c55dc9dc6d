#include <cmath>

#include <QTest>

#include <retracescope/diagnose/key_distance.h>

#include "tests/core/diagnose/request_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;
using test::SessionBuilder;

class KeyDistanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The distance of the second call's request to the first's key.
    void countsEachComponentThatDiffers_data() {
        QTest::addColumn<QString>("calls");
        QTest::addColumn<QStringList>("differing"); // paths that weigh as their history says
        QTest::addColumn<int>("lacking");           // components that one side lacks
        const auto row = [](const char* name, const char* calls, const QStringList& differing, int lacking) {
            QTest::newRow(name) << QString(calls) << differing << lacking;
        };
        row("the same", "x=tensor:float32[2]|x=tensor:float32[2]", {}, 0);
        row("a value", "n=int:1|n=int:2", {"n.value"}, 0);
        row("all that differs", "x=tensor:float32[2,3]|x=tensor:int32[2,4]", {"x.dtype", "x.shape[1]"}, 0);
        row("an open axis accepts any", "x=tensor:float32[None]|x=tensor:float32[7]", {}, 0);
        row("but asks for an open one", "x=tensor:float32[7]|x=tensor:float32[None]", {"x.shape[0]"}, 0);
        row("an axis more", "x=tensor:float32[2]|x=tensor:float32[2,3]", {"x.rank"}, 1);
        row("an axis less", "x=tensor:float32[2,3]|x=tensor:float32[2]", {"x.rank"}, 1);
        row("what an open axis alone had is not missed", "x=tensor:float32[2,None]|x=tensor:float32[2]",
            {"x.rank"}, 0);
        row("another argument", "x=int:1|x=int:1 y=int:2", {}, 2);
    }
    void countsEachComponentThatDiffers() {
        QFETCH(const QString, calls);
        QFETCH(const QStringList, differing);
        QFETCH(const int, lacking);
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x");
        std::vector<SignatureId> keys;
        for (const QString& call : calls.split('|')) {
            Signature key;
            key.components = test::request(call);
            keys.emplace_back(builder.session().signatures.size());
            builder.session().signatures.push_back(key);
        }
        for (const char* call : {"x=float:1", "n=int:1", "n=int:2"})
            builder.call(f, test::request(call));
        const SessionPtr session = builder.finish();
        const diagnose::History history(*session, buildIndex(*session), f);
        double expected = lacking * std::log(2.0);
        for (const QString& path : differing)
            expected += history.weight(path.toStdString());
        diagnose::KeyDistance distance(*session);
        QCOMPARE(distance.between(keys[1], keys[0], history), expected);
        QCOMPARE(distance.between(keys[1], keys[0], history), expected); // again, now known
    }

    void anOpenRankMissesNoAxis() {
        SessionBuilder builder;
        const FunctionId f = builder.function("f", "x");
        const SignatureId asked(builder.session().signatures.size());
        Signature key;
        key.components = test::request("x=tensor:float32[2,3]");
        builder.session().signatures.push_back(key);
        key.components = test::request("x=tensor:float32[]");
        key.components.back().open = true; // its rank
        builder.session().signatures.push_back(key);
        const SessionPtr session = builder.finish();
        const diagnose::History history(*session, buildIndex(*session), f);
        diagnose::KeyDistance distance(*session);
        QCOMPARE(distance.between(asked, SignatureId(asked.value + 1), history), 0.0);
        QVERIFY(distance.between(SignatureId(asked.value + 1), asked, history) > 0);
    }

    void weightsOfOneFunctionAreNotThoseOfTheNext() {
        SessionBuilder builder; // x.dtype never moves in f, and all the time in g
        const FunctionId f = builder.function("f", "x");
        const FunctionId g = builder.function("g", "x");
        for (const char* call : {"x=float:1", "x=float:2", "x=float:3"})
            builder.call(f, test::request(call));
        for (const char* call : {"x=float:1", "x=int:1", "x=float:4"})
            builder.call(g, test::request(call));
        const SessionPtr session = builder.finish();
        const Index index = buildIndex(*session);
        const diagnose::History ofF(*session, index, f);
        const diagnose::History ofG(*session, index, g);
        const SignatureId one = session->misses[0].request;   // x=float:1
        const SignatureId other = session->misses[4].request; // x=int:1
        diagnose::KeyDistance distance(*session);
        QCOMPARE(distance.between(one, other, ofF), ofF.weight("x.type"));
        distance.forgetWeights();
        QCOMPARE(distance.between(one, other, ofG), ofG.weight("x.type"));
        QVERIFY(ofF.weight("x.type") != ofG.weight("x.type"));
    }
};

RETRACESCOPE_TEST(KeyDistanceTest);

#include "key_distance_test.moc"
