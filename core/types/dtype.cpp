#include <retracescope/types/dtype.h>

#include <array>

#include <retracescope/base/check.h>

namespace retracescope::types {

namespace {

struct DTypeFacts {
    std::string_view name;
    std::size_t bytes;
};

constexpr std::array<DTypeFacts, kDTypeCount> kFacts{{
    {"none", 0},        {"bool", 1},     {"int8", 1},     {"int16", 2},   {"int32", 4},
    {"int64", 8},       {"uint8", 1},    {"uint16", 2},   {"uint32", 4},  {"uint64", 8},
    {"float16", 2},     {"bfloat16", 2}, {"float32", 4},  {"float64", 8}, {"complex64", 8},
    {"complex128", 16}, {"string", 0},   {"resource", 0}, {"variant", 0},
}};

const DTypeFacts& factsOf(DType dtype) {
    const auto index = static_cast<std::size_t>(dtype);
    RETRACESCOPE_CHECK(index < kFacts.size());
    return kFacts[index];
}

} // namespace

std::string_view dtypeName(DType dtype) {
    return factsOf(dtype).name;
}

std::optional<DType> dtypeFromName(std::string_view name) {
    for (int i = 1; i < kDTypeCount; ++i)
        if (kFacts[static_cast<std::size_t>(i)].name == name)
            return static_cast<DType>(i);
    return std::nullopt;
}

std::size_t dtypeBytes(DType dtype) {
    return factsOf(dtype).bytes;
}

} // namespace retracescope::types
