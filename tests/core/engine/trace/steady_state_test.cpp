#include <QTest>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <tuple>

#include <unistd.h>

#include <retracescope/retracescope.h>

#include "tests/support/allocations.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using tests::allocations;
using tests::pageFaults;

namespace {

/// What a thousand warm calls do on this thread; the least of a few rounds, since the system may take pages
/// away.
struct Cost {
    std::uint64_t allocations = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t pageFaults = std::numeric_limits<std::uint64_t>::max();
};

Cost costOf(const std::function<void()>& call) {
    for (int i = 0; i < 100; ++i)
        call();
    Cost cost;
    for (int round = 0; round < 5; ++round) {
        const std::uint64_t allocationsBefore = allocations();
        const std::uint64_t faultsBefore = pageFaults();
        for (int i = 0; i < 1000; ++i)
            call();
        cost.allocations = std::min(cost.allocations, allocations() - allocationsBefore);
        cost.pageFaults = std::min(cost.pageFaults, pageFaults() - faultsBefore);
    }
    return cost;
}

struct Batch {
    Tensor x;
    double scale = 1.0;
    static auto traceFields() { return std::tuple(field("x", &Batch::x), field("scale", &Batch::scale)); }
};

/// A function of every kind whose calls must cost nothing beyond their work.
class Calls {
public:
    Calls()
        : m_step("step", {"a", "b", "scale", "flag"},
                 [this](Tensor a, Tensor b, double scale, bool flag) {
                     m_total.assignAdd(reduceSum(a));
                     return flag ? a * b + scale : a - b;
                 }),
          m_pair("pair", {"a", "b"}, [](Tensor a, Tensor b) { return std::tuple(b, a + b, a); }),
          m_choice("choice", {"x"},
                   [](Tensor x) {
                       return cond(
                           reduceSum(x) > 100.0f, [&] { return x * 2.0f; }, [&] { return x + 1.0f; });
                   }),
          m_power("power", {"x", "n"},
                  [](Tensor x, Tensor n) {
                      return forRange(
                          n, [&](Tensor, Tensor value) { return value * x; }, onesLike(x));
                  }),
          m_mixed("mixed", {"x"},
                  [](Tensor x) { // a loop whose values change places, with a cond in it
                      const auto [i, a, b] =
                          whileLoop([](Tensor at, Tensor, Tensor) { return at < 5; },
                                    [](Tensor at, Tensor first, Tensor second) {
                                        const Tensor next = cond(
                                            at < 2, [&] { return first + second; }, [&] { return first; });
                                        return std::tuple(at + 1, second, next);
                                    },
                                    std::tuple(0, x, x + 1.0f));
                      return a + b;
                  }),
          m_structures("structures", {"items", "named", "batch", "state", "how"},
                       [](std::vector<Tensor> items, std::map<std::string, Tensor> named, Batch batch,
                          Variable state, std::string how) {
                           const Tensor sum = items.front() + items.back() + named.at("first");
                           return std::tuple(sum * batch.x * batch.scale, how == "read" ? state.read() : sum);
                       }),
          m_nothing("nothing", {}, [this] { return m_total + 1.0f; }),
          m_outer("outer", {"x"}, [this](Tensor x) { return m_power(x, constant(std::int64_t{3})) - x; }) {}

    void operator()() {
        m_step(m_a, m_b, 2.0, m_number++ % 2 == 0);
        m_pair(m_a, m_b);
        m_choice(m_number % 3 == 0 ? m_a : m_large);
        m_power(m_a, m_three);
        m_mixed(m_a);
        m_structures(m_items, m_named, m_batch, m_total, m_how);
        m_nothing();
        m_outer(m_a);
    }
    std::size_t traces() const {
        return m_step.traceCount() + m_pair.traceCount() + m_choice.traceCount() + m_power.traceCount() +
               m_mixed.traceCount() + m_structures.traceCount() + m_nothing.traceCount() +
               m_outer.traceCount();
    }

private:
    const Variable m_total{constant(0.0f)};
    Function<Tensor(Tensor, Tensor, double, bool)> m_step;
    Function<std::tuple<Tensor, Tensor, Tensor>(Tensor, Tensor)> m_pair;
    Function<Tensor(Tensor)> m_choice;
    Function<Tensor(Tensor, Tensor)> m_power;
    Function<Tensor(Tensor)> m_mixed;
    Function<std::tuple<Tensor, Tensor>(std::vector<Tensor>, std::map<std::string, Tensor>, Batch, Variable,
                                        std::string)>
        m_structures;
    Function<Tensor()> m_nothing;
    Function<Tensor(Tensor)> m_outer;
    const Tensor m_a = ones({8});
    const Tensor m_b = ones({8});
    const Tensor m_large = filled(1000.0f, {8});
    const std::vector<Tensor> m_items = std::vector<Tensor>(100, m_a);
    const std::map<std::string, Tensor> m_named{{"first", m_a}, {"second", m_b}};
    const Batch m_batch{m_b, 2.0};
    const std::string m_how = "a text that no string keeps within itself";
    const Tensor m_three = constant(std::int64_t{3});
    unsigned m_number = 0;
};

} // namespace

class SteadyStateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        if (!tests::kCountsAllocations)
            QSKIP("a sanitizer allocates by itself");
    }

    void warmCallsAllocateNothing() {
        Calls calls;
        const Cost cost = costOf([&] { calls(); });
        QCOMPARE(cost.allocations, std::uint64_t{0});
        QCOMPARE(cost.pageFaults, std::uint64_t{0});
        QCOMPARE(calls.traces(), std::size_t{9}); // two of step, one of each other
    }

    void neitherDoTheyWithARecorder_data() {
        QTest::addColumn<bool>("nodeTimes");
        QTest::newRow("calls") << false;
        QTest::newRow("node times") << true;
    }
    void neitherDoTheyWithARecorder() {
        QFETCH(const bool, nodeTimes);
        const auto path = std::filesystem::temp_directory_path() /
                          ("steady_state_" + std::to_string(getpid()) + ".retrace");
        {
            const Recorder recorder(path, {.keepSource = false, .nodeTimes = nodeTimes});
            Calls calls;
            const Cost cost = costOf([&] { calls(); });
            QCOMPARE(cost.allocations, std::uint64_t{0});
            QCOMPARE(cost.pageFaults, std::uint64_t{0});
        }
        std::filesystem::remove(path);
    }

    void whatAllocatesIsSeen() {
        QVERIFY(costOf([] { ::operator delete(::operator new(1)); }).allocations >= 1000);
    }
};

RETRACESCOPE_TEST(SteadyStateTest);

#include "steady_state_test.moc"
