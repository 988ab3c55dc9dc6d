#include <QTest>

#include <optional>
#include <thread>

#include <retracescope/retracescope.h>

#include "tests/support/event_text.h"
#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

/// What is told while it lives, as "5 of 9 at call 9".
class Told {
public:
    Told()
        : m_before(setRetracingHandler([this](const RetracingWarning& warning) {
              last = toText(warning);
              text += (text.empty() ? "" : ", ") + std::to_string(warning.traces) + " of " +
                      std::to_string(warning.calls) + " at " + std::to_string(call);
          })) {}
    ~Told() { setRetracingHandler(std::move(m_before)); }

    int call = 0;
    std::string text;
    std::string last; ///< of the warnings, as text

private:
    trace::RetracingHandler m_before;
};

/// Calls a new function once per letter: T with a new number, H with the last one.
std::string told(const std::string& calls, const std::string& name, const Policy& policy = {},
                 bool askFirst = false) {
    Told told;
    FunctionOptions options;
    options.policy = policy;
    Function f(
        name, {"n"}, [](int n) { return constant(n); }, options);
    int number = 0;
    if (askFirst)
        f.concrete(0);
    for (const char call : calls) {
        ++told.call;
        number += call == 'T';
        f(number);
    }
    return told.text;
}

std::string repeated(const std::string& part, int times) {
    std::string result;
    for (int i = 0; i < times; ++i)
        result += part;
    return result;
}

} // namespace

class RetracingDetectorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void warnsFromTheFifthTraceOnTwice() { // measured on TensorFlow
        QCOMPARE(told("TTTT", "t4"), std::string());
        QCOMPARE(told(repeated("T", 12), "t12"), std::string("5 of 5 at 5, 6 of 6 at 6"));
        QCOMPARE(told(repeated("TH", 12), "th"), std::string("5 of 9 at 9, 6 of 11 at 11"));
        QCOMPARE(told(repeated("THH", 8), "thh"), std::string("5 of 13 at 13, 5 of 13 at 16"));
        QCOMPARE(told(repeated("THHH", 12), "thhh"), std::string());
        QCOMPARE(told("TTTT" + repeated("H", 6) + "T", "six"), std::string("5 of 11 at 11"));
        QCOMPARE(told("TTTT" + repeated("H", 7) + "T", "seven"), std::string());
    }

    void leadingHitsFollowThePolicy() {
        const std::string calls = repeated("H", 20) + "TTTTT";
        QCOMPARE(told(calls, "leading", Policy::tensorflow(), true),
                 std::string("5 of 24 at 24, 6 of 25 at 25"));
        QCOMPARE(told(calls, "leading_own", {}, true), std::string("5 of 5 at 25"));
    }

    void aFunctionMadeAnewInALoopIsOneFunction() {
        Told told;
        for (told.call = 1; told.call <= 5; ++told.call)
            Function("anew", {"x"}, [](Tensor x) { return x; })(constant(1.0f));
        QCOMPARE(told.text, std::string("5 of 5 at 5"));
    }

    void failedAndInnerCallsDoNotCount() {
        Told told;
        Function inner("inner_of_many", {"n"}, [](int n) {
            if (n < 0)
                throw UsageError("[inner] negative");
            return constant(n);
        });
        for (int n = 1; n <= 4; ++n)
            inner(n);
        for (int n = 1; n <= 4; ++n)
            QVERIFY_EXCEPTION_THROWN(inner(-n), UsageError);
        Function outer("outer_of_many", {"n"}, [&](int n) { return inner(n); });
        for (int n = 5; n <= 8; ++n)
            outer(n);
        QCOMPARE(told.text, std::string());
        inner(9);
        QCOMPARE(told.text, std::string("5 of 5 at 0"));
    }

    void saysWhyTheLastOneHadToTrace() {
        Told told;
        Function numbers("numbers", {"x", "n"}, [](Tensor x, int) { return x; });
        for (int n = 1; n <= 5; ++n)
            numbers(ones({n == 5 ? 6 : 8}), n == 5 ? 4 : n);
        QCOMPARE(
            told.last,
            std::string(
                "5 out of the last 5 calls to 'numbers' had to trace, the last one for x.shape[0]: 8 -> 6"));
        Function shapes("shapes", {"x"}, [](Tensor x) { return x; });
        for (int n = 1; n <= 5; ++n)
            shapes(zeros(Shape(std::vector<std::int64_t>(static_cast<std::size_t>(n), n))));
        QCOMPARE(told.last,
                 std::string(
                     "5 out of the last 5 calls to 'shapes' had to trace, the last one for x.rank: 4 -> 5"));
        for (int n = 1; n <= 5; ++n)
            Function("made_anew", {"x"}, [](Tensor x) { return x; })(constant(1.0f));
        QCOMPARE(told.last,
                 std::string("5 out of the last 5 calls to 'made_anew' had to trace, the last one for a "
                             "function made anew: make it once, outside of the loop"));
    }

    void atMostThreeDifferencesAreNamed() {
        Told told;
        Function many("many_numbers", {"a", "b", "c", "d", "e"},
                      [](int a, int, int, int, int) { return constant(a); });
        for (int n = 1; n <= 5; ++n)
            many(n, n, n, n, n);
        QCOMPARE(told.last,
                 std::string("5 out of the last 5 calls to 'many_numbers' had to trace, the last one for "
                             "a.value: 4 -> 5, b.value: 4 -> 5, c.value: 4 -> 5 and 2 more"));
    }

    void aRecordingHoldsTheWarning() {
        Told told;
        test::EventText events;
        Function f("recorded_many", {"n"}, [](int n) { return constant(n); });
        for (int n = 0; n < 5; ++n)
            f(n);
        QVERIFY(events.text().find("warns: 5 out of the last 5 calls to 'recorded_many' had to trace") !=
                std::string::npos);
    }

    void hitsOfSeveralThreadsAreCounted() {
        Told told;
        Function f("threads_many", {"n"}, [](int n) { return constant(n); });
        for (int n = 0; n < 4; ++n)
            f(n);
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int k = 0; k < 100; ++k)
                    f(3);
            });
        for (std::thread& thread : threads)
            thread.join();
        f(4); // the three oldest traces leave the window
        QCOMPARE(told.text, std::string());
        for (int n = 5; n <= 7; ++n)
            f(n);
        QCOMPARE(told.text, std::string("5 of 405 at 0"));
    }
};

RETRACESCOPE_TEST(RetracingDetectorTest);

#include "retracing_detector_test.moc"
