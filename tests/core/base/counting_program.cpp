// One case of counting by threads, named by the first argument, in a process where nobody has counted before.
// Exit code 0 if all went as it must.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <retracescope/base/counting.h>

using namespace retracescope;

namespace {

using Count = std::atomic<std::uint32_t>;

void addMany(Count& count, int times) {
    for (int i = 0; i < times; ++i)
        addTo(count, 1u, std::memory_order_relaxed);
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

bool addsAndTakesAway() {
    Count count{1};
    return addTo(count, 2u, std::memory_order_relaxed) == 3 &&
           addTo(count, ~0u, std::memory_order_acq_rel) == 2 && count.load() == 2;
}

bool oneThreadOwnsUntilAnotherCounts() {
    Count count{0};
    Counting owner(count);
    owner.waitFor(1000);
    const bool wasShared = CountOwner::isShared();
    addTo(count, 1u, std::memory_order_relaxed);
    const bool isShared = CountOwner::isShared();
    return owner.stop() + 1 == count.load() && !wasShared && isShared;
}

bool nothingIsLostWhenOthersComeAfter(std::uint32_t many) {
    Count count{0};
    Counting owner(count);
    owner.waitFor(many);
    std::vector<std::thread> others;
    for (int i = 0; i < 3; ++i)
        others.emplace_back([&] { addMany(count, 2000); });
    for (std::thread& other : others)
        other.join();
    return owner.stop() + 6000 == count.load();
}

bool theSecondThreadWaits() {
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
    return waited;
}

/// The owner may be inside when another thread forks: in the child it does not exist.
bool childrenCount() {
    Count count{0};
    Counting owner(count);
    owner.waitFor(1000);
    bool allDid = true;
    for (int i = 0; i < 50; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            addMany(count, 10);
            _exit(0);
        }
        int status = 1;
        waitpid(child, &status, 0);
        allDid = allDid && status == 0;
    }
    owner.stop();
    return allDid;
}

} // namespace

int main(int count, char** arguments) {
    const std::string name = count > 1 ? arguments[1] : "";
    const bool isRight =
        name == "adds"       ? addsAndTakesAway()
        : name == "owns"     ? oneThreadOwnsUntilAnotherCounts()
        : name == "waits"    ? theSecondThreadWaits()
        : name == "children" ? childrenCount()
        : name == "comes"
            ? nothingIsLostWhenOthersComeAfter(static_cast<std::uint32_t>(std::stoul(arguments[2])))
            : false;
    return isRight ? 0 : 1;
}
