#include <retracescope/engine/tensor/text.h>

#include <fmt/format.h>

namespace retracescope::tensor {

namespace {

constexpr std::int64_t kShownInFull = 1000; // elements

template <class T>
std::string numberText(const Tensor& tensor, std::int64_t index) {
    const T number = reinterpret_cast<const T*>(tensor.bytes())[index];
    return number != number ? "nan" : fmt::format("{}", number); // whatever its sign
}

std::string elementText(const Tensor& tensor, std::int64_t index) {
    using types::DType;
    switch (tensor.dtype()) {
    case DType::Bool:
        return reinterpret_cast<const bool*>(tensor.bytes())[index] ? "true" : "false";
    case DType::Int8:
        return numberText<std::int8_t>(tensor, index);
    case DType::Int16:
        return numberText<std::int16_t>(tensor, index);
    case DType::Int32:
        return numberText<std::int32_t>(tensor, index);
    case DType::Int64:
        return numberText<std::int64_t>(tensor, index);
    case DType::UInt8:
        return numberText<std::uint8_t>(tensor, index);
    case DType::UInt16:
        return numberText<std::uint16_t>(tensor, index);
    case DType::UInt32:
        return numberText<std::uint32_t>(tensor, index);
    case DType::UInt64:
        return numberText<std::uint64_t>(tensor, index);
    case DType::Float32:
        return numberText<float>(tensor, index);
    case DType::Float64:
        return numberText<double>(tensor, index);
    case DType::String:
        return quoted(tensor.strings()[static_cast<std::size_t>(index)]);
    default:
        return std::string(types::dtypeName(tensor.dtype()));
    }
}

void appendAxis(const Tensor& tensor, int axis, std::int64_t begin, std::int64_t stride, std::int64_t edge,
                std::string& text) {
    const types::Shape& shape = tensor.shape();
    if (axis == shape.rank()) {
        text += elementText(tensor, begin);
        return;
    }
    const std::int64_t size = shape[axis];
    const std::int64_t inner = size == 0 ? 0 : stride / size;
    text += '[';
    for (std::int64_t i = 0; i < size; ++i) {
        if (i > 0)
            text += ", ";
        if (edge > 0 && i == edge && size > 2 * edge) {
            text += "..., ";
            i = size - edge;
        }
        appendAxis(tensor, axis + 1, begin + i * inner, inner, edge, text);
    }
    text += ']';
}

} // namespace

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result + '"';
}

std::string valueText(const Tensor& tensor, std::int64_t edge) {
    if (!tensor.isEager())
        return toText(tensor);
    std::string text;
    appendAxis(tensor, 0, 0, tensor.elements(), tensor.elements() > kShownInFull ? edge : 0, text);
    return text;
}

std::string toText(const Tensor& tensor) {
    if (tensor.isEmpty())
        return "empty";
    if (tensor.isSymbolic())
        return types::toText(tensor.type()) + " symbolic";
    return types::toText(tensor.type()) + " " + valueText(tensor);
}

} // namespace retracescope::tensor
