#include <retracescope/engine/trace/checks.h>

#include <vector>

namespace retracescope::trace {

namespace {

ir::Attributes saying(std::string_view text) {
    return ir::Attributes().set(ir::Attribute::Text, text);
}

Tensor tensorOf(const Operand& x) {
    return x.isHost() ? embedded(x.tensor(), x.where()) : x.tensor();
}

} // namespace

void assertTrue(const Operand& condition, std::string_view text, std::initializer_list<Tensor> values) {
    std::vector<Tensor> inputs{tensorOf(condition)};
    inputs.insert(inputs.end(), values);
    apply(ir::Op::Assert, inputs, saying(text), condition.where());
}

Tensor checkNumerics(const Operand& x, std::string_view text) {
    const Tensor input = tensorOf(x);
    return apply(ir::Op::CheckNumerics, std::span(&input, 1), saying(text), x.where());
}

} // namespace retracescope::trace
