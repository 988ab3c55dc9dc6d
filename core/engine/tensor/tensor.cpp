#include <retracescope/engine/tensor/tensor.h>

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::tensor {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 34;

[[noreturn]] void refuseLarge(types::TensorTypeId type, std::string_view user) {
    throw UsageError(fmt::format("[{}] {} does not fit into memory", user, types::toText(type)));
}

} // namespace

void Tensor::requireRoom(types::TensorTypeId type, std::string_view user) {
    const auto elements = types::elementsOf(type);
    RETRACESCOPE_CHECK(elements.has_value());
    if (*elements > kMostElements)
        refuseLarge(type, user);
}

Tensor Tensor::uninitialized(types::TensorTypeId type, std::string_view user) {
    requireRoom(type, user);
    Tensor result;
    try {
        result.m_word =
            reinterpret_cast<std::uint64_t>(Buffer::make(types::dtypeOf(type), *types::elementsOf(type)));
    } catch (const std::bad_alloc&) {
        refuseLarge(type, user);
    }
    result.m_tag = tagOf(type, Kind::Eager);
    return result;
}

Tensor Tensor::symbolic(std::uint32_t trace, std::uint32_t node, types::TensorTypeId type) noexcept {
    Tensor result;
    result.m_word = (std::uint64_t{trace} << 32) | node;
    result.m_tag = tagOf(type, Kind::Symbolic);
    return result;
}

Tensor Tensor::resource(std::shared_ptr<Resource> target) {
    static const types::TensorTypeId type = types::tensorType(types::DType::Resource, types::Shape{});
    Tensor result = uninitialized(type);
    result.buffer().resources()[0] = std::move(target);
    return result;
}

std::span<const std::string> Tensor::strings(std::source_location where) const {
    requireElements(types::DType::String, where);
    return {buffer().strings(), static_cast<std::size_t>(elements())};
}

Tensor Tensor::viewedAs(types::TensorTypeId type) const {
    RETRACESCOPE_CHECK(isEager() && types::dtypeOf(type) == dtype() &&
                       types::shapeOf(type).elementCount() == elements());
    Tensor result = *this;
    result.m_tag = tagOf(type, Kind::Eager);
    return result;
}

Tensor::operator bool() const {
    if (isSymbolic())
        throw UsageError(
            fmt::format("[if] a symbolic {} has no value while a function is traced; branch with "
                        "If() or cond(predicate, then, else) instead",
                        types::toText(type())));
    if (isEmpty() || elements() != 1 || types::dtypeBytes(dtype()) == 0)
        throw UsageError(fmt::format("[if] expected a tensor of one number or bool, got {}",
                                     isEmpty() ? "an empty tensor" : types::toText(type())));
    const std::byte* first = bytes();
    return std::any_of(first, first + types::dtypeBytes(dtype()),
                       [](std::byte byte) { return byte != std::byte{0}; });
}

const std::shared_ptr<Resource>& Tensor::target() const {
    RETRACESCOPE_CHECK(isEager() && holdsResources(dtype()));
    return buffer().resources()[0];
}

void Tensor::refuseEmpty(std::source_location where) {
    throw UsageError("[tensor] expected a tensor, got an empty one, as a gradient is that no path leads to; "
                     "ask isEmpty(), or for zeros (Unconnected::Zeros)" +
                     placeText(where));
}

void Tensor::requireElements(types::DType wanted, std::source_location where) const {
    if (isEmpty())
        throw UsageError("[tensor] expected a value, got an empty tensor" + placeText(where));
    if (isSymbolic())
        throw UsageError(fmt::format(
            "[tensor] the value of a symbolic {} is not known while a function is traced; return the "
            "tensor and read the result, or branch with cond{}",
            types::toText(type()), placeText(where)));
    if (dtype() != wanted)
        throw UsageError(fmt::format("[tensor] elements are {}, asked for {}{}", types::dtypeName(dtype()),
                                     types::dtypeName(wanted), placeText(where)));
}

void Tensor::requireScalar(std::source_location where) const {
    if (elements() != 1)
        throw UsageError(
            fmt::format("[tensor] expected one element, got {}{}", types::toText(type()), placeText(where)));
}

bool sameContent(const Tensor& a, const Tensor& b) {
    if (a.type() != b.type())
        return false;
    if (a.isSame(b))
        return true;
    if (a.dtype() == types::DType::String)
        return std::ranges::equal(a.strings(), b.strings());
    if (holdsResources(a.dtype()))
        return a.target() == b.target();
    const std::size_t bytes = static_cast<std::size_t>(a.elements()) * types::dtypeBytes(a.dtype());
    return std::memcmp(a.bytes(), b.bytes(), bytes) == 0;
}

std::uint64_t contentHash(const Tensor& tensor) {
    const std::uint64_t seed = static_cast<std::uint64_t>(tensor.type()) * 0x9e3779b97f4a7c15ull;
    if (holdsResources(tensor.dtype()))
        return seed ^ std::hash<std::shared_ptr<Resource>>{}(tensor.target());
    if (tensor.dtype() == types::DType::String) {
        std::uint64_t hash = seed;
        for (const std::string& text : tensor.strings())
            hash = hash * 31 + std::hash<std::string>{}(text);
        return hash;
    }
    const std::size_t bytes = static_cast<std::size_t>(tensor.elements()) * types::dtypeBytes(tensor.dtype());
    return seed ^ std::hash<std::string_view>{}({reinterpret_cast<const char*>(tensor.bytes()), bytes});
}

} // namespace retracescope::tensor
