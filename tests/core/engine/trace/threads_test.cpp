#include <atomic>
#include <memory>
#include <set>
#include <thread>

#include <QTest>

#include <retracescope/retracescope.h>

#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

/// Counts what an observer must never hear: events of functions and entries it was not told of, and either of
/// them told twice.
class StrictListener final : public runtime::Observer {
public:
    int mistakes() const { return m_mistakes; }
    int calls() const { return m_calls; }

    void onFunction(const runtime::FunctionFacts& facts) override { note(m_functions, facts.function); }
    void onEntry(const runtime::EntryFacts& facts) override {
        require(m_functions, facts.function);
        note(m_entries, facts.entry);
    }
    void onMiss(const runtime::MissFacts& facts) override { require(m_functions, facts.function); }
    void onTraceBegin(runtime::FunctionKey function, std::uint64_t) override {
        require(m_functions, function);
    }
    void onTraceEnd(const runtime::TraceFacts&) override {}
    void onPhase(const runtime::PhaseFacts&) override {}
    void onDrop(runtime::EntryKey, runtime::DropReason, std::uint64_t) override {}
    void onWarning(runtime::FunctionKey, std::string_view, std::uint64_t) override {}
    void onCall(const runtime::CallFacts& facts) noexcept override {
        ++m_calls;
        require(m_functions, facts.function);
        require(m_entries, facts.entry);
    }

private:
    void note(std::set<std::uint32_t>& known, std::uint32_t key) {
        const std::lock_guard lock(m_mutex);
        m_mistakes += !known.insert(key).second;
    }
    void require(const std::set<std::uint32_t>& known, std::uint32_t key) {
        const std::lock_guard lock(m_mutex);
        m_mistakes += !known.contains(key);
    }

    std::mutex m_mutex;
    std::set<std::uint32_t> m_functions;
    std::set<std::uint32_t> m_entries;
    std::atomic<int> m_mistakes{0};
    std::atomic<int> m_calls{0};
};

/// Runs `work(thread, round)` on several threads until destroyed.
class Callers {
public:
    template <class Work>
    Callers(int count, Work work) {
        for (int thread = 0; thread < count; ++thread)
            m_threads.emplace_back([this, work, thread] {
                for (int round = 0; !m_stop; ++round)
                    work(thread, round);
            });
    }
    ~Callers() {
        m_stop = true;
        for (std::thread& thread : m_threads)
            thread.join();
    }

private:
    std::atomic<bool> m_stop{false};
    std::vector<std::thread> m_threads;
};

} // namespace

/// One function called by many threads while everything around it changes; most is for the thread sanitizer
/// to see.
class ThreadsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneTracePerSignatureUnderContention() {
        Function inner("inner", {"x"}, [](Tensor x) { return x * 2.0f; });
        Function outer("outer", {"x", "plus"},
                       [&](Tensor x, int plus) { return Tensor(inner(x)) + float(plus); });
        std::atomic<int> wrong{0};
        const int calls = test::rounds(400);
        {
            std::vector<std::jthread> threads;
            for (int thread = 0; thread < 4; ++thread)
                threads.emplace_back([&, thread] {
                    for (int i = 0; i < calls; ++i) {
                        const int length = 1 + (i + thread) % 5;
                        const int plus = i % 3;
                        wrong += valueText(reduceSum(outer(ones({length}), plus))) !=
                                 std::to_string(length * (2 + plus));
                        inner(ones({length}));
                    }
                });
        }
        QCOMPARE(wrong.load(), 0);
        QCOMPARE(inner.traceCount(), std::size_t{5});
        QCOMPARE(outer.traceCount(), std::size_t{15});
    }

    void anObserverHearsOfAFunctionOnceAndBeforeItsCalls() {
        Function f("watched", {"x"}, [](Tensor x) { return x + 1.0f; });
        for (int length = 1; length <= 3; ++length)
            f(ones({length}));
        std::vector<std::unique_ptr<StrictListener>> listeners; // alive until no call can report to one
        {
            const Callers callers(3, [&](int, int round) { f(ones({1 + round % 3})); });
            for (int i = 0; i < test::rounds(2000); ++i) {
                runtime::setObserver(listeners.emplace_back(std::make_unique<StrictListener>()).get());
                std::this_thread::yield();
            }
            QTRY_VERIFY(listeners.back()->calls() > 10);
            runtime::setObserver(nullptr);
        }
        int mistakes = 0;
        for (const auto& listener : listeners)
            mistakes += listener->mistakes();
        QCOMPARE(mistakes, 0);
    }

    void clearingWhileOthersCallIsSafe() {
        Function f("cleared", {"x"}, [](Tensor x) { return x * x; });
        std::atomic<int> wrong{0};
        {
            const Callers callers(3, [&](int, int round) {
                const float value = float(round % 7);
                wrong +=
                    valueText(f(filled(value, {2}))) != valueText(constant({value * value, value * value}));
            });
            for (int i = 0; i < test::rounds(200); ++i) {
                f.clear();
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        }
        QCOMPARE(wrong.load(), 0);
        QVERIFY(f.tracingCount() <= 1);
    }

    void updatesOfAVariableAreNeverLost() {
        Variable total(zeros({3}));
        Function add("add_one", {"x"}, [&](Tensor x) {
            total.assignAdd(x);
            return total.read() * 1.0f;
        });
        const int calls = test::rounds(2000);
        {
            std::vector<std::jthread> threads;
            for (int thread = 0; thread < 3; ++thread)
                threads.emplace_back([&] {
                    for (int i = 0; i < calls; ++i)
                        add(ones({3}));
                });
        }
        const std::string sum = std::to_string(3 * calls);
        QCOMPARE(valueText(total.read()), "[" + sum + ", " + sum + ", " + sum + "]");
    }
};

RETRACESCOPE_TEST(ThreadsTest);

#include "threads_test.moc"
