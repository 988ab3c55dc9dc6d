#include <QTest>

#include <atomic>
#include <cstdlib>
#include <new>

#include <retracescope/retracescope.h>

#include "tests/support/test_main.h"

// Counts every allocation of this program; sanitizers need their own operator new and see no count.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {
std::atomic<std::size_t> allocations{0};
}

void* operator new(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size == 0 ? 1 : size))
        return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

using namespace retracescope;

class SteadyStateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aHitAllocatesNothing() {
        const Variable total(constant(0.0f));
        Function f("steady", {"a", "b", "scale", "flag"}, [&](Tensor a, Tensor b, double scale, bool flag) {
            total.assignAdd(reduceSum(a));
            return flag ? a * b + scale : a - b;
        });
        const Tensor a = ones({8});
        const Tensor b = ones({8});
        for (int i = 0; i < 20; ++i)
            f(a, b, 2.0, i % 2 == 0);
        const std::size_t before = allocations.load();
        for (int i = 0; i < 100; ++i)
            f(a, b, 2.0, i % 2 == 0);
        QCOMPARE(allocations.load() - before, std::size_t{0});
        QCOMPARE(f.traceCount(), std::size_t{2});
    }
};

RETRACESCOPE_TEST(SteadyStateTest);

#include "steady_state_test.moc"
#endif
