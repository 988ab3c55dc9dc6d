#include <retracescope/engine/tensor/buffer.h>

#include <algorithm>
#include <bit>
#include <new>
#include <vector>

#include <retracescope/base/check.h>

namespace retracescope::tensor {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr int kSmallestClass = 6; // 64 bytes
constexpr int kLargestClass = 40;
constexpr std::size_t kKeptBytesPerThread = std::size_t{256} << 20;
constexpr std::size_t kKeptBuffersPerClass = 64;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kPooled = false; // so that a use after release is seen
#else
constexpr bool kPooled = true;
#endif

/// Freed memory of one thread, a list per size class.
class Pool {
public:
    static void closeForThisThread() noexcept { s_isClosed = true; }

    ~Pool() {
        s_isClosed = true;
        for (auto& list : m_free)
            for (void* memory : list)
                ::operator delete(memory, std::align_val_t{kAlignment});
    }

    static void* take(int sizeClass) {
        if (Pool* pool = ofThisThread(); pool && !pool->list(sizeClass).empty()) {
            void* memory = pool->list(sizeClass).back();
            pool->list(sizeClass).pop_back();
            pool->m_keptBytes -= std::size_t{1} << sizeClass;
            return memory;
        }
        return ::operator new(sizeof(Buffer) + (std::size_t{1} << sizeClass), std::align_val_t{kAlignment});
    }

    static void give(void* memory, int sizeClass) noexcept {
        Pool* pool = ofThisThread();
        if (pool && pool->keep(memory, sizeClass))
            return;
        ::operator delete(memory, std::align_val_t{kAlignment});
    }

private:
    static Pool* ofThisThread() {
        if (!kPooled || s_isClosed)
            return nullptr;
        thread_local Pool pool;
        return &pool;
    }

    std::vector<void*>& list(int sizeClass) { return m_free[sizeClass - kSmallestClass]; }

    bool keep(void* memory, int sizeClass) noexcept {
        const std::size_t bytes = std::size_t{1} << sizeClass;
        std::vector<void*>& kept = list(sizeClass);
        if (kept.size() >= kKeptBuffersPerClass || m_keptBytes + bytes > kKeptBytesPerThread)
            return false;
        if (kept.capacity() == 0)
            kept.reserve(kKeptBuffersPerClass);
        kept.push_back(memory);
        m_keptBytes += bytes;
        return true;
    }

    static thread_local bool s_isClosed; // tensors of static life are released after the pool
    std::vector<void*> m_free[kLargestClass - kSmallestClass + 1];
    std::size_t m_keptBytes = 0;
};

thread_local bool Pool::s_isClosed = false;

std::size_t elementBytes(types::DType dtype) {
    if (dtype == types::DType::String)
        return sizeof(std::string);
    if (holdsResources(dtype))
        return sizeof(std::shared_ptr<Resource>);
    return types::dtypeBytes(dtype);
}

} // namespace

Buffer* Buffer::make(types::DType dtype, std::int64_t elements) {
    RETRACESCOPE_CHECK(elements >= 0 && elementBytes(dtype) > 0);
    const std::size_t bytes = static_cast<std::size_t>(elements) * elementBytes(dtype);
    const int sizeClass =
        std::max(kSmallestClass, static_cast<int>(std::bit_width(bytes > 0 ? bytes - 1 : 0)));
    RETRACESCOPE_CHECK(sizeClass <= kLargestClass);
    auto* buffer = new (Pool::take(sizeClass)) Buffer;
    buffer->m_dtype = dtype;
    buffer->m_sizeClass = static_cast<std::uint8_t>(sizeClass);
    buffer->m_elements = elements;
    if (dtype == types::DType::String)
        std::uninitialized_value_construct_n(buffer->strings(), elements);
    if (holdsResources(dtype))
        std::uninitialized_value_construct_n(buffer->resources(), elements);
    return buffer;
}

void Buffer::keepNothingInThisThread() noexcept {
    Pool::closeForThisThread();
}

void Buffer::dispose() noexcept {
    if (m_dtype == types::DType::String)
        std::destroy_n(strings(), m_elements);
    if (holdsResources(m_dtype))
        std::destroy_n(resources(), m_elements);
    const int sizeClass = m_sizeClass;
    this->~Buffer();
    Pool::give(this, sizeClass);
}

} // namespace retracescope::tensor
