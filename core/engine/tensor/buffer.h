#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <retracescope/base/counting.h>
#include <retracescope/types/dtype.h>

namespace retracescope::tensor {

/// What an element of dtype Resource or Variant points to: the storage of a variable, a list.
class Resource {
public:
    virtual ~Resource() = default;
};

/// Whether elements of that dtype are pointers to a Resource.
constexpr bool holdsResources(types::DType dtype) {
    return dtype == types::DType::Resource || dtype == types::DType::Variant;
}

/// The storage of one or more tensors: a header of 64 bytes, then the elements, 64-byte aligned. Counted; the
/// last release gives it back to a per-thread pool by size class, so that steady work neither allocates nor
/// touches fresh pages.
class alignas(64) Buffer {
public:
    /// Elements are not initialised, except strings (empty) and resources (null). Count 1.
    static Buffer* make(types::DType dtype, std::int64_t elements);

    /// For a thread that makes no tensors: what it releases goes back to the system at once.
    static void keepNothingInThisThread() noexcept;

    void retain() noexcept { addTo(m_count, 1u, std::memory_order_relaxed); }
    void retain(CountSection& counts) noexcept { counts.add(m_count, 1u, std::memory_order_relaxed); }
    void release() noexcept {
        if (addTo(m_count, ~0u, std::memory_order_acq_rel) == 0)
            dispose();
    }

    /// True if nobody else holds it: its elements may then be changed in place.
    bool isUnique() const noexcept { return m_count.load(std::memory_order_acquire) == 1; }

    /// Whether its elements are strings or pointers.
    bool holdsObjects() const noexcept { return m_dtype == types::DType::String || holdsResources(m_dtype); }
    std::int64_t elements() const noexcept { return m_elements; }
    std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    std::string* strings() noexcept { return reinterpret_cast<std::string*>(this + 1); }
    std::shared_ptr<Resource>* resources() noexcept {
        return reinterpret_cast<std::shared_ptr<Resource>*>(this + 1);
    }

private:
    Buffer() = default;
    void dispose() noexcept;

    std::atomic<std::uint32_t> m_count{1};
    types::DType m_dtype = types::DType::None;
    std::uint8_t m_sizeClass = 0;
    std::int64_t m_elements = 0;
};
static_assert(sizeof(Buffer) == 64);

} // namespace retracescope::tensor
