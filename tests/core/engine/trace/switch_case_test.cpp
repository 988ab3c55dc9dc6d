#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

class SwitchCaseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesTheBranchWithThatNumber() {
        const auto chosen = [](const Tensor& index, const Tensor& x) {
            return switchCase(
                index, [&] { return x; }, [&] { return x * 2.0f; }, [&] { return x * 3.0f; },
                [&] { return x * 4.0f; }, [&] { return -x; });
        };
        Function f("f", {"index", "x"}, chosen);
        const Tensor x = constant(1.5f);
        const std::vector<float> expected{1.5f, 3.0f, 4.5f, 6.0f, -1.5f};
        for (int i = -3; i < 9; ++i) { // all numbers outside take the last
            const float value = expected[i < 0 || i > 4 ? 4 : static_cast<std::size_t>(i)];
            QCOMPARE(f(constant(i), x).scalar<float>(), value);
            QCOMPARE(chosen(constant(i), x).scalar<float>(), value);
        }
        QCOMPARE(f(constant(std::int64_t{3}), x).scalar<float>(), 6.0f);
        QCOMPARE(f.traceCount(), 2U); // int32 and int64
    }

    void anyNumberOfBranches() {
        const Variable count(constant(0), {"count"});
        std::vector<std::function<void()>> branches;
        for (int i = 0; i < 20; ++i)
            branches.emplace_back([&count, i] { count.assign(constant(i)); });
        Function f("f", {"index"}, [&](Tensor index) { switchCase(index, branches); });
        for (int i = 0; i < 20; ++i) {
            f(constant(i));
            QCOMPARE(count.read().scalar<std::int32_t>(), i);
        }
        Function one("one", {"index"},
                     [](Tensor index) { return switchCase(index, [] { return constant(7); }); });
        QCOMPARE(one(constant(-5)).scalar<std::int32_t>(), 7);
    }

    void branchesAssignLocals() {
        Function f("f", {"index"}, [](Tensor index) {
            Local y = 0;
            switchCase(
                index, [&] { y = 10; }, [&] { y = 20; }, [] {});
            return y;
        });
        QCOMPARE(f(constant(0)).scalar<std::int32_t>(), 10);
        QCOMPARE(f(constant(1)).scalar<std::int32_t>(), 20);
        QCOMPARE(f(constant(2)).scalar<std::int32_t>(), 0);
    }

    void gradientsGoThrough() {
        Function f("f", {"index", "x"}, [](Tensor index, Tensor x) {
            const Tensor y = switchCase(
                index, [&] { return x * x; }, [&] { return x * x * x; }, [&] { return x; });
            return gradients(y, {x})[0];
        });
        QCOMPARE(f(constant(0), constant(3.0f)).scalar<float>(), 6.0f);
        QCOMPARE(f(constant(1), constant(3.0f)).scalar<float>(), 27.0f);
        QCOMPARE(f(constant(2), constant(3.0f)).scalar<float>(), 1.0f);
    }

    void branchesThatDifferAreNamed() {
        Function f("f", {"index", "x"}, [](Tensor index, Tensor x) {
            return switchCase(
                index, [&] { return x; }, [&] { return x; }, [&] { return x; },
                [&] { return cast(x, DType::Int32); });
        });
        VERIFY_CONTAINS(
            errorOf([&] { f(constant(0), constant(1.0f)); }),
            "[switch_case] result is float32[] in branch 2, but int32[] in branch 3; both must agree "
            "in structure and dtype (switch_case_test.cpp:");
        VERIFY_CONTAINS(errorOf([] { switchCase(constant(1.0f), [] { return constant(1); }); }),
                        "[switch_case] expected an integer scalar as index, got float32[] "
                        "(switch_case_test.cpp:");
        VERIFY_CONTAINS(errorOf([] { switchCase(constant(0), std::vector<std::function<void()>>()); }),
                        "[switch_case] expected at least one branch, got none");
    }
};

RETRACESCOPE_TEST(SwitchCaseTest);
#include "switch_case_test.moc"
