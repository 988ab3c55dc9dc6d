#include <functional>
#include <memory>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

/// Functions that are moved, empty, or let go of while they run.
class LifetimesTest : public QObject {
    Q_OBJECT

    using OfTensor = Function<Tensor(Tensor)>;

private Q_SLOTS:
    void whatIsMovedFromIsCopied() {
        OfTensor f("twice", {"x"}, [](Tensor x) { return x * 2.0f; });
        OfTensor g = std::move(f);
        OfTensor h("thrice", {"x"}, [](Tensor x) { return x * 3.0f; });
        h = std::move(g);
        for (const OfTensor* each : {&f, &g, &h})
            QCOMPARE((*each)(constant(4.0f)).scalar<float>(), 8.0f);
        QCOMPARE(f.traceCount(), std::size_t{1});
    }

    void anEmptyCallableIsRefused() {
        const auto message = [](auto callable) {
            return errorOf([&] { Function f("nothing", {"x"}, callable); });
        };
        VERIFY_CONTAINS(message(std::function<Tensor(Tensor)>()),
                        "[nothing] expected a callable, got an empty one (lifetimes_test.cpp:");
        VERIFY_CONTAINS(message(static_cast<Tensor (*)(Tensor)>(nullptr)), "[nothing] expected a callable");
    }

    void aBodyMayLetGoOfItsFunction() {
        std::unique_ptr<OfTensor> f;
        f = std::make_unique<OfTensor>("f", std::vector<ParameterName>{"x"}, [&f](Tensor x) {
            f.reset();
            return x + 1.0f;
        });
        QCOMPARE((*f)(constant(1.0f)).scalar<float>(), 2.0f);
        QVERIFY(f == nullptr);

        runFunctionsEagerly(true);
        f = std::make_unique<OfTensor>("f", std::vector<ParameterName>{"x"}, [&f](Tensor x) {
            f.reset();
            return x + 2.0f;
        });
        QCOMPARE((*f)(constant(1.0f)).scalar<float>(), 3.0f);
        runFunctionsEagerly(false);
    }

    void hostCodeMayLetGoOfTheFunctionThatRunsIt() {
        std::unique_ptr<OfTensor> f;
        bool letsGo = false;
        f = std::make_unique<OfTensor>("f", std::vector<ParameterName>{"x"}, [&](Tensor x) {
            hostCall(
                "look",
                [&](const Tensor&) {
                    if (letsGo)
                        f.reset();
                },
                x);
            return x * 5.0f;
        });
        QCOMPARE((*f)(constant(1.0f)).scalar<float>(), 5.0f);
        letsGo = true; // on a hit
        QCOMPARE((*f)(constant(2.0f)).scalar<float>(), 10.0f);
        QVERIFY(f == nullptr);
    }
};

RETRACESCOPE_TEST(LifetimesTest);

#include "lifetimes_test.moc"
