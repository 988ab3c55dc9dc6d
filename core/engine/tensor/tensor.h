#pragma once

#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <retracescope/engine/tensor/buffer.h>
#include <retracescope/types/tensor_type.h>

namespace retracescope::tensor {

/// A value of 16 bytes that stands for an immutable array of elements. It carries its type id, so that
/// dispatch compares a word. Three kinds:
///   eager     points to counted storage; a copy costs one increment;
///   symbolic  names a node of a trace under way; a copy costs nothing; its value is not known;
///   empty     no tensor.
class Tensor {
    enum class Kind : std::uint32_t { Empty, Eager, Symbolic };

public:
    Tensor() noexcept = default;
    Tensor(const Tensor& other) noexcept : m_word(other.m_word), m_tag(other.m_tag) {
        if (isEager())
            buffer().retain();
    }
    /// A copy among several.
    Tensor(const Tensor& other, CountSection& counts) noexcept : m_word(other.m_word), m_tag(other.m_tag) {
        if (isEager())
            buffer().retain(counts);
    }
    Tensor(Tensor&& other) noexcept : m_word(other.m_word), m_tag(other.m_tag) { other.m_tag = 0; }
    Tensor& operator=(Tensor other) noexcept {
        swap(other);
        return *this;
    }
    [[gnu::always_inline]] ~Tensor() { // mostly nothing is left to let go of
        if (isEager())
            buffer().release();
    }

    /// Storage of that (fully known) type whose elements are to be written through mutableData() or
    /// mutableBytes(). Throws UsageError of `user` if there is no room for it.
    static Tensor uninitialized(types::TensorTypeId type, std::string_view user = "tensor");
    /// Throws UsageError of `user` if a (fully known) type has more elements than any tensor, 2^34.
    static void requireRoom(types::TensorTypeId type, std::string_view user);
    static Tensor symbolic(std::uint32_t trace, std::uint32_t node, types::TensorTypeId type) noexcept;
    /// A scalar of dtype Resource.
    static Tensor resource(std::shared_ptr<Resource> target);

    bool isEmpty() const noexcept { return kind() == Kind::Empty; }
    bool isEager() const noexcept { return kind() == Kind::Eager; }
    bool isSymbolic() const noexcept { return kind() == Kind::Symbolic; }

    types::TensorTypeId type() const noexcept { return static_cast<types::TensorTypeId>(m_tag); }
    /// Type and kind as one word.
    std::uint64_t typeWord() const noexcept { return m_tag; }
    /// The word of an eager tensor of that type.
    static constexpr std::uint64_t eagerWord(types::TensorTypeId type) noexcept {
        return tagOf(type, Kind::Eager);
    }
    /// Throws UsageError for an empty tensor, as shape() does.
    types::DType dtype() const {
        requireTensor();
        return types::dtypeOf(type());
    }
    const types::Shape& shape() const {
        requireTensor();
        return types::shapeOf(type());
    }
    /// Throws UsageError for an empty tensor; `where` is named in the message.
    void requireTensor(std::source_location where = {}) const {
        if (isEmpty()) [[unlikely]]
            refuseEmpty(where);
    }

    /// Symbolic only: the trace it belongs to and the node (an output of a node has an id of its own,
    /// ir/graph.h).
    std::uint32_t trace() const noexcept { return static_cast<std::uint32_t>(m_word >> 32); }
    std::uint32_t node() const noexcept { return static_cast<std::uint32_t>(m_word); }

    /// Eager only: number of elements.
    std::int64_t elements() const { return buffer().elements(); }

    /// The elements in row-major order. Throws UsageError if T is another dtype or the tensor is symbolic or
    /// empty; `where` is named in the message. Valid while a copy of this tensor lives.
    template <class T>
    std::span<const T> data(std::source_location where = std::source_location::current()) const {
        requireElements(types::dtypeOf<T>(), where);
        return {reinterpret_cast<const T*>(buffer().bytes()), static_cast<std::size_t>(elements())};
    }
    std::span<const std::string> strings(std::source_location where = std::source_location::current()) const;

    /// The elements as a vector; T may be std::string.
    template <class T>
    std::vector<T> values(std::source_location where = std::source_location::current()) const;

    /// The only element. Throws UsageError if there is not exactly one.
    template <class T>
    T scalar(std::source_location where = std::source_location::current()) const;

    /// Whether the only element is true or not zero, for a host `if`. Throws UsageError if there is not
    /// exactly one, and for a symbolic tensor, whose value is not known while a function is traced.
    explicit operator bool() const;

    /// For kernels: no checks. Writing needs that nobody else holds the storage.
    const std::byte* bytes() const noexcept { return buffer().bytes(); }
    std::byte* mutableBytes() noexcept { return buffer().bytes(); }
    template <class T>
    std::span<T> mutableData() {
        requireElements(types::dtypeOf<T>(), std::source_location::current());
        return {reinterpret_cast<T*>(buffer().bytes()), static_cast<std::size_t>(elements())};
    }
    std::span<std::string> mutableStrings() noexcept {
        return {buffer().strings(), static_cast<std::size_t>(elements())};
    }
    bool isUnique() const noexcept { return isEager() && buffer().isUnique(); }
    /// Whether its elements keep something alive.
    bool holdsObjects() const noexcept { return isEager() && buffer().holdsObjects(); }

    /// The same elements under another fully known type of equal dtype and element count; shares the storage.
    Tensor viewedAs(types::TensorTypeId type) const;

    /// What a tensor of dtype Resource or Variant points to.
    const std::shared_ptr<Resource>& target() const;

    /// Same storage, or same node of the same trace: identity, not equality of elements.
    bool isSame(const Tensor& other) const noexcept {
        return kind() == other.kind() && (isEmpty() || m_word == other.m_word);
    }
    /// Word that is equal for tensors that isSame() and live at the same time.
    std::uint64_t identity() const noexcept { return m_word; }

    void swap(Tensor& other) noexcept {
        std::swap(m_word, other.m_word);
        std::swap(m_tag, other.m_tag);
    }

private:
    static constexpr std::uint64_t tagOf(types::TensorTypeId type, Kind kind) noexcept {
        return static_cast<std::uint64_t>(type) | static_cast<std::uint64_t>(kind) << 32;
    }
    Kind kind() const noexcept { return static_cast<Kind>(m_tag >> 32); }

    Buffer& buffer() const noexcept { return *reinterpret_cast<Buffer*>(m_word); }
    [[noreturn]] static void refuseEmpty(std::source_location where);
    void requireElements(types::DType dtype, std::source_location where) const;
    void requireScalar(std::source_location where) const;

    std::uint64_t m_word = 0; ///< address of the Buffer, or trace << 32 | node
    std::uint64_t m_tag = 0;  ///< type, then kind: written as one, so that it is read as one without a stall
};
static_assert(sizeof(Tensor) == 16);

template <class T>
std::vector<T> Tensor::values(std::source_location where) const {
    if constexpr (std::is_same_v<T, std::string>) {
        const auto all = strings(where);
        return {all.begin(), all.end()};
    } else {
        const auto all = data<T>(where);
        return {all.begin(), all.end()};
    }
}

template <class T>
T Tensor::scalar(std::source_location where) const {
    if constexpr (std::is_same_v<T, std::string>) {
        const auto all = strings(where);
        requireScalar(where);
        return all[0];
    } else {
        const auto all = data<T>(where);
        requireScalar(where);
        return all[0];
    }
}

/// Equal type and bitwise equal elements (so a NaN equals itself, and 0.0 differs from -0.0). Eager tensors
/// only.
bool sameContent(const Tensor& a, const Tensor& b);
std::uint64_t contentHash(const Tensor& tensor);

} // namespace retracescope::tensor
