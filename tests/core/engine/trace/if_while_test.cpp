#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

namespace {

using V = std::vector<float>;

/// What three ways of saying it make of a number.
Tensor sorted(const Tensor& x) {
    Local y = x;
    If(
        x > 0.0f, [&] { y = x * 2.0f; }, [&] { return x < -10.0f; }, [&] { y = x - 1.0f; }, [&] { y = -x; });
    return y;
}

/// Steps of the Collatz sequence.
Tensor collatz(const Tensor& n) {
    Local value = n;
    Local steps = 0;
    While([&] { return value > 1; },
          [&] {
              If(
                  equal(mod(value, 2), 0), [&] { value = floorDiv(value, 2); },
                  [&] { value = value * 3 + 1; });
              steps += 1;
          });
    return steps;
}

float at(const Tensor& x) {
    return x.scalar<float>();
}
std::int32_t whole(const Tensor& x) {
    return x.scalar<std::int32_t>();
}

} // namespace

class IfWhileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void branchesAssignLocals() {
        Function f("f", {"x"}, [](Tensor x) { return sorted(x); });
        for (const float x : {3.0f, -3.0f, -30.0f})
            QCOMPARE(at(f(constant(x))), at(sorted(constant(x))));
        QCOMPARE(at(f(constant(3.0f))), 6.0f);
        QCOMPARE(at(f(constant(-3.0f))), 3.0f);
        QCOMPARE(at(f(constant(-30.0f))), -31.0f);
        QCOMPARE(f.bodyRuns(), 1U);
    }

    void loopsNestAndBranch() {
        Function f("f", {"n"}, [](Tensor n) { return collatz(n); });
        for (const int n : {1, 6, 27})
            QCOMPARE(whole(f(constant(n))), whole(collatz(constant(n))));
        QCOMPARE(whole(f(constant(27))), 111);
        QCOMPARE(f.bodyRuns(), 1U);
        Function pairs("pairs", {"n"}, [](Tensor n) {
            Local count = 0;
            Local i = 0;
            While([&] { return i < n; },
                  [&] {
                      Local j = 0; // declared inside: no value of the outer loop
                      While([&] { return j < i; },
                            [&] {
                                count += 1;
                                j += 1;
                            });
                      i += 1;
                  });
            return count;
        });
        QCOMPARE(whole(pairs(constant(5))), 10);
    }

    void onlyWhatIsAssignedIsAValueOfTheLoop() {
        Function f("f", {"n", "x"}, [](Tensor n, Tensor x) {
            Local step = x * 2.0f; // read only
            Local limit = n;       // read by the condition only
            Local i = 0;
            Local sum = 0.0f;
            While([&] { return i < limit; },
                  [&] {
                      sum += step * x;
                      i += 1;
                  });
            return sum + step;
        });
        QCOMPARE(at(f(constant(3), constant(0.5f))), 2.5f);
        const ir::Graph& graph = f.concreteFunctions()[0]->graph();
        for (ir::NodeId node = 0; node < graph.nodeCount(); ++node)
            if (graph.node(node).op == ir::Op::While)
                QCOMPARE(graph.resultsOf(node).size(), 2U); // i and sum
    }

    void whatOneBranchAloneAssignsKeepsItsValueInTheOther() {
        Function f("f", {"p", "x"}, [](Tensor p, Tensor x) {
            Local a = x;
            Local b = x;
            If(
                p, [&] { a = x + 1.0f; },
                [&] {
                    b = x + 2.0f;
                    b = b * 2.0f;
                });
            return std::tuple(a, b);
        });
        const auto [a, b] = f(constant(true), constant(1.0f));
        QCOMPARE(at(a), 2.0f);
        QCOMPARE(at(b), 1.0f);
        const auto [c, d] = f(constant(false), constant(1.0f));
        QCOMPARE(at(c), 1.0f);
        QCOMPARE(at(d), 6.0f);
    }

    void condsAndLoopsWithValuesAssignLocalsToo() {
        Function f("f", {"n"}, [](Tensor n) {
            Local last = 0;
            const Tensor sum = whileLoop([&](const Tensor& v) { return v < n; },
                                         [&](const Tensor& v) {
                                             last = v;
                                             return v + cond(
                                                            v > 2, [] { return constant(3); },
                                                            [&] {
                                                                last = v * 10;
                                                                return constant(1);
                                                            });
                                         },
                                         constant(0));
            return std::tuple(sum, last);
        });
        const auto [sum, last] = f(constant(4));
        QCOMPARE(whole(sum), 6);
        QCOMPARE(whole(last), 3);
        const auto [short1, short2] = f(constant(2));
        QCOMPARE(whole(short1), 2);
        QCOMPARE(whole(short2), 10);
    }

    void rangesAndRows() {
        Function f("f", {"n", "x"}, [](Tensor n, Tensor x) {
            Local sum = 0.0f;
            For(n, [&](const Tensor& i) { sum = sum * 2.0f + cast(i, DType::Float32); });
            Local longest = 0.0f;
            ForEach(x, [&](const Tensor& row) { longest = maximum(longest, reduceSum(row)); });
            return std::tuple(sum, longest);
        });
        const auto [sum, longest] = f(constant(5), constant({{3.0f, 2.0f}, {4.0f, -1.0f}, {2.0f, 2.0f}}));
        QCOMPARE(at(sum), 26.0f);
        QCOMPARE(at(longest), 5.0f);
        Local hosted = 0;
        For(3, [&](const Tensor& i) { hosted += cast(i, DType::Int32); });
        QCOMPARE(whole(hosted), 3);
        VERIFY_CONTAINS(errorOf([] { ForEach(constant(1.0f), [](const Tensor&) {}); }),
                        "[ForEach] expected a tensor with a leading axis to go along, got float32[]");
    }

    void aLoopEndsEarly() {
        const auto firstAbove = [](const Tensor& x, const Tensor& limit) {
            Local found = -1;
            For(cast(reduceSum(onesLike(x)), DType::Int64), [&](const Tensor& i, Loop& loop) {
                If(gather(x, i) > limit, [&] {
                    found = cast(i, DType::Int32);
                    loop.endAfterThisTrip();
                });
            });
            return found.read();
        };
        Function f("f", {"x", "limit"}, firstAbove);
        const Tensor all = constant({1.0f, 5.0f, 9.0f});
        for (const float limit : {0.0f, 4.0f, 8.0f, 20.0f})
            QCOMPARE(whole(f(all, constant(limit))), whole(firstAbove(all, constant(limit))));
        QCOMPARE(whole(f(all, constant(4.0f))), 1);
        QCOMPARE(whole(f(all, constant(20.0f))), -1);
        Function most("most", {"x"}, [](Tensor x) {
            Local y = x;
            While([&] { return y < 100.0f; }, [&] { y = y * 2.0f; }, {.maximumIterations = 3});
            return y;
        });
        QCOMPARE(at(most(constant(1.0f))), 8.0f);
    }

    void theConditionIsNotAskedOnceALoopEnds() {
        Function f("f", {"x"}, [](Tensor x) {
            Local i = 0;
            While([&] { return gather(x, i) > 0.0f; }, // fails behind the end of x
                  [&](Loop& loop) {
                      i += 1;
                      If(equal(i, 3), [&] { loop.endAfterThisTrip(); });
                  });
            return i;
        });
        QCOMPARE(whole(f(constant({1.0f, 2.0f, 3.0f}))), 3);
        QCOMPARE(whole(f(constant({1.0f, -2.0f, 3.0f}))), 1);
    }

    void branchesMayReturnValues() {
        Function f("f", {"x"}, [](Tensor x) {
            return If(
                x > 0.0f, [&] { return std::tuple(x, x * 2.0f); }, [&] { return std::tuple(-x, x); });
        });
        const auto [a, b] = f(constant(-3.0f));
        QCOMPARE(at(a), 3.0f);
        QCOMPARE(at(b), -3.0f);
        QCOMPARE(If(
                     true, [] { return 1; }, [] { return 2; })
                     .scalar<std::int32_t>(),
                 1);
    }

    void aHostBoolIsDecidedWhileTracing() {
        Function f("f", {"x", "twice"}, [](Tensor x, bool twice) {
            Tensor y = x; // no Local needed: one of the branches is simply called
            If(
                twice, [&] { y = x * 2.0f; }, [&] { y = x * 3.0f; });
            return y;
        });
        QCOMPARE(at(f(constant(1.0f), true)), 2.0f);
        QCOMPARE(at(f(constant(1.0f), false)), 3.0f);
        QCOMPARE(f.traceCount(), 2U);
    }

    void effectsStayInTheirBranch() {
        const Variable count(constant(0), {"count"});
        Function f("f", {"p"}, [&](Tensor p) {
            If(p, [&] { count.assignAdd(1); });
            return count.read();
        });
        QCOMPARE(whole(f(constant(true))), 1);
        QCOMPARE(whole(f(constant(false))), 1);
        Function upTo("up_to", {"n"}, [&](Tensor n) {
            While([&] { return count < n; }, [&] { count.assignAdd(1); }); // the variable is the state
        });
        upTo(constant(5));
        QCOMPARE(whole(count.read()), 5);
    }

    void gradientsGoThrough() {
        Function f("f", {"x", "n"}, [](Tensor x, Tensor n) {
            Local y = x;
            For(n, [&](const Tensor&) {
                If(
                    y > 10.0f, [&] { y = y + 1.0f; }, [&] { y = y * x; });
            });
            return std::tuple(y, gradients(y, {x})[0]);
        });
        const auto [y, slope] = f(constant(3.0f), constant(2)); // x^3
        QCOMPARE(at(y), 27.0f);
        QCOMPARE(at(slope), 27.0f);
        GradientTape tape;
        const Tensor x = constant(3.0f);
        tape.watch(x);
        Local z = x;
        While([&] { return z < 20.0f; }, [&] { z *= x; });
        QCOMPARE(at(tape.gradient(z.read(), x)), 27.0f);
    }

    void structuresAndArrays() {
        Function f("f", {"n"}, [](Tensor n) {
            Local all = TensorArray(DType::Int32, n);
            Local last = std::vector<Tensor>{n, n};
            For(n, [&](const Tensor& i) {
                const Tensor square = cast(i * i, DType::Int32);
                all = all->write(i, square);
                last = std::vector<Tensor>{square, last.read()[0]};
            });
            return std::tuple(all->stack(), last.read());
        });
        const auto [all, last] = f(constant(4));
        QCOMPARE(all.values<std::int32_t>(), (std::vector<std::int32_t>{0, 1, 4, 9}));
        QCOMPARE(whole(last[0]), 9);
        QCOMPARE(whole(last[1]), 4);
    }

    void aLocalMayStartInTheLoop() {
        Function f("f", {"n"}, [](Tensor n) {
            Local y;
            Local i = n;
            While([&] { return i > 0; },
                  [&] {
                      y = i * 10;
                      i -= 1;
                  });
            return y;
        });
        QCOMPARE(whole(f(constant(2))), 10);
        const std::string error = errorOf([&] { f(constant(0)); });
        VERIFY_CONTAINS(error,
                        "[assert] the loop must run at least once, since it gives the local declared at "
                        "(if_while_test.cpp:");
        QCOMPARE(f.traceCount(), 1U);
        Function inBranches("in_branches", {"x"}, [](Tensor x) {
            Local y;
            If(
                x > 0.0f, [&] { y = x; }, [&] { y = -x; });
            return y;
        });
        QCOMPARE(at(inBranches(constant(-2.0f))), 2.0f);
    }

    void whatABranchLeavesWithoutAValueIsNamed() {
        Function f("f", {"x"}, [](Tensor x) {
            Local y;
            If(x > 0.0f, [&] { y = x; });
            return y;
        });
        const std::string error = errorOf([&] { f(constant(1.0f)); });
        VERIFY_CONTAINS(error, "[If] the local declared at (if_while_test.cpp:");
        VERIFY_CONTAINS(error, "gets no value in the else branch, and has none before");
        Function reads("reads", {"x"}, [](Tensor x) {
            Local<> y;
            return y + x;
        });
        VERIFY_CONTAINS(errorOf([&] { reads(constant(1.0f)); }), "is read before it has a value");
    }

    void whatABranchOrBodyChangesIsNamed() {
        Function branch("branch", {"x"}, [](Tensor x) {
            Local y = x;
            If(x > 0.0f, [&] { y = cast(x, DType::Int32); });
            return y;
        });
        VERIFY_CONTAINS(errorOf([&] { branch(constant(1.0f)); }),
                        "is int32[] in the then branch, but float32[] in the else branch; both must agree in "
                        "structure and dtype (if_while_test.cpp:");
        Function body("body", {"n"}, [](Tensor n) {
            Local y = zeros({1});
            For(n, [&](const Tensor&) { y = concat({y, ones({1})}); });
            return y;
        });
        const std::string error = errorOf([&] { body(constant(2)); });
        VERIFY_CONTAINS(error, "[For] the local declared at (if_while_test.cpp:");
        VERIFY_CONTAINS(error,
                        ") is float32[1] before the body, but float32[2] after it; let it keep its shape, or "
                        "open the axes that change: its shapeInvariants() (if_while_test.cpp:");
        Function open("open", {"n"}, [](Tensor n) {
            Local y = zeros({1});
            y.shapeInvariants(TensorSpec{DType::Float32, {Shape::kUnknown}, {}});
            For(n, [&](const Tensor&) { y = concat({y, ones({1})}); });
            return y;
        });
        QCOMPARE(open(constant(2)).values<float>(), (V{0, 1, 1}));
    }

    void aTensorThatABranchAssignsIsNotSeenOutside() {
        Function silent("silent", {"p", "x"}, [](Tensor p, Tensor x) {
            Tensor y = x;
            If(p, [&] { y = x; }); // nothing would come out
            return y;
        });
        VERIFY_CONTAINS(errorOf([&] { silent(constant(true), constant(1.0f)); }),
                        "[If] no branch assigns a Local, returns a value or has an effect");
        Function leaks("leaks", {"p", "x"}, [](Tensor p, Tensor x) {
            Tensor y = x;
            Local z = x;
            If(p, [&] {
                y = x * 2.0f;
                z = x * 3.0f;
            });
            return y + z;
        });
        VERIFY_CONTAINS(
            errorOf([&] { leaks(constant(true), constant(1.0f)); }),
            "is out of scope and cannot be used here, in 'leaks'; it was made in a branch or loop: "
            "assign it to a Local");
        Function endless("endless", {"n"}, [](Tensor n) {
            Tensor i = constant(0);
            While([&] { return i < n; }, [&] { i = i + 1; });
            return i;
        });
        VERIFY_CONTAINS(errorOf([&] { endless(constant(3)); }),
                        "[While] the body assigns no Local and has no effect");
    }

    void aLocalIsAssignedWhereItIsSeen() {
        Local outside = 1.0f;
        Function f("f", {"x"}, [&](Tensor x) {
            outside = x;
            return x;
        });
        VERIFY_CONTAINS(errorOf([&] { f(constant(2.0f)); }),
                        "is assigned in the trace of 'f', where it was not declared");
        QCOMPARE(at(outside), 1.0f);
        Function inner("inner", {"x"}, [&](Tensor x) { return x + outside; }); // frozen, as any tensor
        QCOMPARE(at(inner(constant(2.0f))), 3.0f);
        Function condition("condition", {"n"}, [](Tensor n) {
            Local i = 0;
            While(
                [&] {
                    i += 1;
                    return i < n;
                },
                [&] { i += 1; });
            return i;
        });
        VERIFY_CONTAINS(errorOf([&] { condition(constant(2)); }), "is assigned in the condition of a loop");
    }

    void aFailedBranchLeavesLocalsAsTheyWere() {
        Function f("f", {"x"}, [](Tensor x) {
            Local y = x;
            const std::string error = errorOf([&] {
                If(x > 0.0f, [&] {
                    y = x * 2.0f;
                    throw UsageError("[test] stop");
                });
            });
            return error.starts_with("[test] stop (if_while_test.cpp:") ? y.read() : Tensor();
        });
        QCOMPARE(at(f(constant(4.0f))), 4.0f);
    }

    void theBodyOfALoopReturnsNothing() {
        Function f("f", {"n"}, [](Tensor n) { While([&] { return n > 0; }, [&] { return Value(n); }); });
        VERIFY_CONTAINS(errorOf([&] { f(constant(1)); }), "[While] the body returns a value");
        Function half("half", {"x"}, [](Tensor x) { return If(x > 0.0f, [&] { return Value(x); }); });
        VERIFY_CONTAINS(errorOf([&] { half(constant(1.0f)); }),
                        "[If] result is float32[] in the then branch, but nothing in the else branch");
    }

    void aHostFieldThatABranchChangesIsNamed() {
        Function f("f", {"x"}, [](Tensor x) {
            Local<Value> options{Value(Value::Struct{"Options", 0, {{"x", x}, {"steps", 1}}, true})};
            If(x > 0.0f, [&] {
                options = Value(Value::Struct{"Options", 0, {{"x", x}, {"steps", 2}}, true});
            });
            return x;
        });
        VERIFY_CONTAINS(errorOf([&] { f(constant(1.0f)); }),
                        "Literal[2] in the then branch, but Literal[1] in");
    }

    void hostNumbersTakeTheDtypeOfTheLocal() {
        Local x = 1.5f;
        x = 2;
        QCOMPARE(at(x), 2.0f);
        Local i = 1;
        VERIFY_CONTAINS(errorOf([&] { i = 0.5f; }), "[Local] a host float32 does not become int32");
        Local copy = i;
        i = 5;
        QCOMPARE(whole(copy), 1);
    }

    void nestedBranchesMixLocalsWithWhatTheyHold() {
        Function f("f", {"x", "y"}, [](Tensor x, Tensor y) {
            Local p = x;
            Local q = y;
            If(y > 0.0f, [&] {
                If(y > 1.0f, [&] {
                    q = p * 2.0f;
                    p = x;
                });
            });
            return std::tuple(p.read(), q.read());
        });
        const auto [p, q] = f(constant(1.0f), constant(5.0f));
        QCOMPARE(p.scalar<float>(), 1.0f);
        QCOMPARE(q.scalar<float>(), 2.0f);

        Function chain("chain", {"x"}, [](Tensor x) {
            Local y = x;
            If(
                x > 9.0f, [&] { y = y * 2.0f; }, x > 1.0f, [&] { y = y * x; }, [&] { y = -y; });
            return y.read();
        });
        QCOMPARE(chain(constant(10.0f)).scalar<float>(), 20.0f);
        QCOMPARE(chain(constant(3.0f)).scalar<float>(), 9.0f);
        QCOMPARE(chain(constant(1.0f)).scalar<float>(), -1.0f);

        Function loop("loop", {"x"}, [](Tensor x) {
            Local best = x;
            Local sum = 0.0f;
            For(3, [&](Tensor) {
                If(best < 10.0f, [&] {
                    sum += best * 2.0f;
                    best = x;
                });
            });
            return sum.read();
        });
        QCOMPARE(loop(constant(2.0f)).scalar<float>(), 12.0f);
    }

    void structuresKeepTheirHostValuesThroughNestedBranches() {
        Function f("f", {"x"}, [](Tensor x) {
            Local all = TensorArray(DType::Float32, 3);
            For(3, [&](Tensor i) {
                If(
                    x > 1.0f, [&] { all = all->write(i, x); },
                    [&] {
                        If(
                            x > 0.0f, [&] { all = all->write(i, -x); }, [&] { all = all->write(i, 0.0f); });
                    });
            });
            return reduceSum(all->stack());
        });
        QCOMPARE(f(constant(2.0f)).scalar<float>(), 6.0f);
        QCOMPARE(f(constant(0.5f)).scalar<float>(), -1.5f);
        QCOMPARE(f(constant(-1.0f)).scalar<float>(), 0.0f);
    }
};

RETRACESCOPE_TEST(IfWhileTest);
#include "if_while_test.moc"
