#include <string>

#include <retracescope/engine/runtime/kernels/choice.h>

namespace retracescope::runtime {

namespace {

template <class Result, class Apply, RowMode mode>
void row(std::byte* out, const std::byte* a, const std::byte* b, std::int64_t n) {
    auto* result = reinterpret_cast<Result*>(out);
    const auto* x = reinterpret_cast<const std::string*>(a);
    const auto* y = reinterpret_cast<const std::string*>(b);
    for (std::int64_t i = 0; i < n; ++i)
        Apply::apply(result[i], x[mode == RowMode::ScalarVector ? 0 : i],
                     y[mode == RowMode::VectorScalar ? 0 : i]);
}

struct Join {
    static void apply(std::string& result, const std::string& a, const std::string& b) {
        result.reserve(a.size() + b.size());
        result.assign(a);
        result.append(b);
    }
};

struct IsEqual {
    static void apply(bool& result, const std::string& a, const std::string& b) { result = a == b; }
};

struct IsNotEqual {
    static void apply(bool& result, const std::string& a, const std::string& b) { result = a != b; }
};

template <class Result, class Apply>
BinaryRow inMode(RowMode mode) {
    switch (mode) {
    case RowMode::VectorVector:
        return &row<Result, Apply, RowMode::VectorVector>;
    case RowMode::VectorScalar:
        return &row<Result, Apply, RowMode::VectorScalar>;
    case RowMode::ScalarVector:
        return &row<Result, Apply, RowMode::ScalarVector>;
    }
    return nullptr;
}

} // namespace

BinaryRow stringRow(ir::Op op, RowMode mode) {
    switch (op) {
    case ir::Op::Add:
        return inMode<std::string, Join>(mode);
    case ir::Op::Equal:
        return inMode<bool, IsEqual>(mode);
    case ir::Op::NotEqual:
        return inMode<bool, IsNotEqual>(mode);
    default:
        return nullptr;
    }
}

} // namespace retracescope::runtime
