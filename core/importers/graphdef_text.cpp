#include <retracescope/importers/graphdef_text.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <vector>

#include <retracescope/importers/json_scan.h>

namespace retracescope::importers {

namespace {

constexpr std::size_t kLongestText = 200;
constexpr int kMostValues = 8;
constexpr int kMostElements = 20;

enum Dtype : int { kFloat = 1, kDouble = 2, kInt32 = 3, kInt64 = 9, kBool = 10 };

std::string cutText(std::string_view bytes) {
    std::string text = plainText(bytes.substr(0, kLongestText));
    if (bytes.size() > kLongestText)
        text += fmt::format("… ({} bytes)", bytes.size());
    return text;
}

/// Little-endian values of a tensor's raw content; nothing if they are many.
template <class T>
std::vector<std::string> rawValues(std::string_view content) {
    std::vector<std::string> values;
    if (content.empty() || content.size() % sizeof(T) != 0 || content.size() / sizeof(T) > kMostValues)
        return values;
    for (std::size_t at = 0; at < content.size(); at += sizeof(T)) {
        T value;
        std::memcpy(&value, content.data() + at, sizeof(T));
        values.push_back(fmt::format("{}", value));
    }
    return values;
}

template <class Values>
std::vector<std::string> listedValues(const Values& list) {
    std::vector<std::string> values;
    if (list.size() > kMostValues)
        return values;
    for (const auto& value : list)
        values.push_back(fmt::format("{}", value));
    return values;
}

std::vector<std::string> tensorValues(const graph_def::TensorValue& tensor) {
    const std::string_view content = tensor.content();
    switch (tensor.dtype()) {
    case kFloat:
        return content.empty() ? listedValues(tensor.float_val()) : rawValues<float>(content);
    case kDouble:
        return content.empty() ? listedValues(tensor.double_val()) : rawValues<double>(content);
    case kInt32:
        return content.empty() ? listedValues(tensor.int_val()) : rawValues<std::int32_t>(content);
    case kInt64:
        return content.empty() ? listedValues(tensor.int64_val()) : rawValues<std::int64_t>(content);
    case kBool:
        return listedValues(tensor.bool_val());
    default:
        return {};
    }
}

template <class Values, class Text>
void appendList(std::string& out, const Values& values, Text text) {
    int shown = 0;
    for (const auto& value : values) {
        if (shown++ == kMostElements) {
            out += fmt::format(", … ({} in all)", values.size());
            return;
        }
        out += fmt::format("{}{}", out.size() > 1 ? ", " : "", text(value));
    }
}

std::string listText(const graph_def::ListValue& list) {
    std::string out = "[";
    appendList(out, list.s(), [](const std::string& v) { return cutText(v); });
    appendList(out, list.i(), [](std::int64_t v) { return fmt::format("{}", v); });
    appendList(out, list.f(), [](float v) { return fmt::format("{}", v); });
    appendList(out, list.b(), [](bool v) { return fmt::format("{}", v); });
    appendList(out, list.type(), [](int v) { return dtypeText(v); });
    appendList(out, list.shape(), [](const graph_def::Shape& v) { return shapeText(v); });
    appendList(out, list.tensor(), [](const graph_def::TensorValue& v) { return tensorText(v); });
    appendList(out, list.func(), [](const graph_def::FunctionReference& v) { return cutText(v.name()); });
    return out + "]";
}

} // namespace

std::string plainText(std::string_view bytes) {
    std::int64_t invalid = 0;
    return repairUtf8(bytes, invalid);
}

std::string dtypeText(int dtype) {
    // By their number in TensorFlow's types.proto.
    static constexpr std::array<std::string_view, 34> kNames = {"invalid",
                                                                "float32",
                                                                "float64",
                                                                "int32",
                                                                "uint8",
                                                                "int16",
                                                                "int8",
                                                                "string",
                                                                "complex64",
                                                                "int64",
                                                                "bool",
                                                                "qint8",
                                                                "quint8",
                                                                "qint32",
                                                                "bfloat16",
                                                                "qint16",
                                                                "quint16",
                                                                "uint16",
                                                                "complex128",
                                                                "float16",
                                                                "resource",
                                                                "variant",
                                                                "uint32",
                                                                "uint64",
                                                                "float8_e5m2",
                                                                "float8_e4m3fn",
                                                                "float8_e4m3fnuz",
                                                                "float8_e4m3b11fnuz",
                                                                "float8_e5m2fnuz",
                                                                "int4",
                                                                "uint4",
                                                                "int2",
                                                                "uint2",
                                                                "float4_e2m1fn"};
    constexpr int kReference = 100;
    const bool isReference = dtype > kReference;
    const int plain = isReference ? dtype - kReference : dtype;
    if (plain < 0 || plain >= static_cast<int>(kNames.size()))
        return fmt::format("dtype{}", dtype);
    return std::string(kNames[static_cast<std::size_t>(plain)]) + (isReference ? "_ref" : "");
}

std::string shapeText(const graph_def::Shape& shape) {
    if (shape.unknown_rank())
        return "[...]";
    std::string out = "[";
    for (const auto& dim : shape.dim())
        out += fmt::format("{}{}", out.size() > 1 ? "," : "",
                           dim.size() < 0 ? "?" : fmt::format("{}", dim.size()));
    return out + "]";
}

std::string tensorText(const graph_def::TensorValue& tensor) {
    const std::string type = dtypeText(tensor.dtype()) + shapeText(tensor.shape());
    const auto values = tensorValues(tensor);
    return values.empty() ? type : fmt::format("{} = {}", type, fmt::join(values, ", "));
}

std::string attributeText(const graph_def::AttributeValue& value) {
    using Case = graph_def::AttributeValue::ValueCase;
    switch (value.value_case()) {
    case Case::kList:
        return listText(value.list());
    case Case::kS:
        return cutText(value.s());
    case Case::kI:
        return fmt::format("{}", value.i());
    case Case::kF:
        return fmt::format("{}", value.f());
    case Case::kB:
        return value.b() ? "true" : "false";
    case Case::kType:
        return dtypeText(value.type());
    case Case::kShape:
        return shapeText(value.shape());
    case Case::kTensor:
        return tensorText(value.tensor());
    case Case::kPlaceholder:
        return "$" + cutText(value.placeholder());
    case Case::kFunc:
        return cutText(value.func().name());
    case Case::VALUE_NOT_SET:
        break;
    }
    return {};
}

} // namespace retracescope::importers
