#include "tests/support/allocations.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#include <sys/resource.h>

namespace retracescope::tests {

namespace {
constinit thread_local std::uint64_t t_allocations = 0;
} // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
const bool kCountsAllocations = false;
#else
const bool kCountsAllocations = true;

static void* counted(std::size_t bytes, std::size_t alignment) {
    ++t_allocations;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* memory =
        alignment <= alignof(std::max_align_t) ? std::malloc(bytes) : std::aligned_alloc(alignment, rounded);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}
#endif

std::uint64_t allocations() noexcept {
    return t_allocations;
}

std::uint64_t pageFaults() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return static_cast<std::uint64_t>(usage.ru_minflt);
}

} // namespace retracescope::tests

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t bytes) {
    return retracescope::tests::counted(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return retracescope::tests::counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
#endif
