// Counting by one owner, by many threads, and while the second thread comes.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include <QTest>

#include <retracescope/base/counting.h>

#include "tests/support/test_main.h"

using namespace retracescope;

namespace {

using Count = std::atomic<std::uint32_t>;

void addMany(Count& count, int times) {
    for (int i = 0; i < times; ++i)
        addTo(count, 1u, std::memory_order_relaxed);
}

/// Runs `work` in a child process, where nobody has counted yet (in this one nobody does); its exit status.
template <class Work>
int inChild(Work work) {
    const pid_t child = fork();
    if (child == 0)
        _exit(work());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A thread that counts on its own until told to stop.
class Counting {
public:
    explicit Counting(Count& count)
        : m_thread([this, &count] {
              while (!m_stop.load(std::memory_order_relaxed)) {
                  addTo(count, 1u, std::memory_order_relaxed);
                  m_added.store(m_added.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
              }
          }) {}

    std::uint32_t added() const { return m_added.load(std::memory_order_relaxed); }
    void waitFor(std::uint32_t many) const {
        while (added() < many)
            std::this_thread::yield();
    }
    std::uint32_t stop() {
        m_stop = true;
        m_thread.join();
        return added();
    }

private:
    std::atomic<bool> m_stop{false};
    std::atomic<std::uint32_t> m_added{0};
    std::thread m_thread;
};

} // namespace

class CountingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void addsAndTakesAway() {
        QCOMPARE(inChild([] {
                     Count count{1};
                     const bool isRight = addTo(count, 2u, std::memory_order_relaxed) == 3 &&
                                          addTo(count, ~0u, std::memory_order_acq_rel) == 2;
                     return isRight && count.load() == 2 ? 0 : 1;
                 }),
                 0);
    }

    void oneThreadOwnsCountsUntilAnotherCounts() {
        QCOMPARE(inChild([] {
                     Count count{0};
                     Counting owner(count);
                     owner.waitFor(1000);
                     const bool wasShared = CountOwner::isShared();
                     addTo(count, 1u, std::memory_order_relaxed);
                     const bool isShared = CountOwner::isShared();
                     const std::uint32_t added = owner.stop();
                     return !wasShared && isShared && count.load() == added + 1 ? 0 : 1;
                 }),
                 0);
    }

    void nothingIsLostWhileTheSecondThreadComes() {
        for (int round = 0; round < 200; ++round) {
            const int status = inChild([&] {
                Count count{0};
                Counting owner(count);
                owner.waitFor(static_cast<std::uint32_t>(1 + 37 * round));
                std::vector<std::thread> others;
                for (int i = 0; i < 3; ++i)
                    others.emplace_back([&] { addMany(count, 2000); });
                for (std::thread& other : others)
                    other.join();
                const std::uint32_t added = owner.stop();
                return count.load() == added + 6000 ? 0 : 1;
            });
            QCOMPARE(status, 0);
        }
    }

    void theSecondThreadWaitsUntilTheOwnerIsOutside() {
        QCOMPARE(inChild([] {
                     std::atomic<bool> isInside{false};
                     std::atomic<bool> hasLeft{false};
                     std::thread owner([&] {
                         if (!CountOwner::enter())
                             return; // no barrier here: nobody owns
                         isInside = true;
                         std::this_thread::sleep_for(std::chrono::milliseconds(20));
                         hasLeft = true;
                         CountOwner::leave();
                     });
                     while (!isInside && !CountOwner::isShared())
                         std::this_thread::yield();
                     Count count{0};
                     addMany(count, 1);
                     const bool waited = hasLeft || !isInside;
                     owner.join();
                     return waited ? 0 : 1;
                 }),
                 0);
    }

    void aChildCountsWhateverItsParentWasAt() {
        QCOMPARE(inChild([] {
                     Count count{0};
                     Counting owner(count);
                     owner.waitFor(1000);
                     for (int i = 0; i < 50; ++i) { // the owner may be inside: it does not exist there
                         const int status = inChild([&] {
                             addMany(count, 10);
                             std::thread([&] { addMany(count, 10); }).join();
                             return 0;
                         });
                         if (status != 0)
                             return 1;
                     }
                     owner.stop();
                     return 0;
                 }),
                 0);
    }
};

RETRACESCOPE_TEST(CountingTest);

#include "counting_test.moc"
