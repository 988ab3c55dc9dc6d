#include <retracescope/engine/nn/dense.h>

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <retracescope/engine/trace/name_scope.h>

namespace retracescope::nn {

namespace {

using types::Shape;

/// x * kernel where x may have further leading axes, of which one may be unknown.
Tensor product(const std::string& layer, const Tensor& x, const Tensor& kernel, Where where) {
    const auto sizes = x.shape().sizes();
    if (sizes.size() == 2)
        return trace::matmul(x, kernel, false, false, where);
    std::vector<std::int64_t> result(sizes.begin(), sizes.end());
    result.back() = kernel.shape()[1];
    if (std::ranges::count(result, Shape::kUnknown) > 1)
        trace::refuse(layer,
                      fmt::format("expected at most one axis of unknown size, got {}; say the others in the "
                                  "input signature",
                                  types::toText(x.type())),
                      where);
    const Tensor rows = trace::reshape(x, {-1, kernel.shape()[0]}, where);
    const Tensor flat = trace::matmul(rows, kernel, false, false, where);
    return trace::apply(ir::Op::Reshape, std::span(&flat, 1),
                        ir::Attributes().set(ir::Attribute::Shape, result), where);
}

} // namespace

Dense::Dense(std::int64_t units, DenseOptions options, Where where)
    : m_units(units), m_options(std::move(options)),
      m_variables(m_options.name, {"[batch, ..., features]", 2, std::numeric_limits<int>::max()}) {
    if (units < 1)
        trace::refuse(m_options.name, fmt::format("expected units from 1 on, got {}", units), where);
}

Tensor Dense::operator()(const Tensor& x, Where where) const {
    const auto make = [&](std::int64_t features, types::DType dtype) {
        std::vector<Variable> made{
            makeVariable(m_options.name, "kernel", m_options.kernel, {features, m_units}, dtype, where)};
        if (m_options.useBias)
            made.push_back(makeVariable(m_options.name, "bias", m_options.bias, {m_units}, dtype, where));
        return made;
    };
    const std::vector<Variable>& variables = m_variables.madeFor(x, make, where);
    const trace::NameScope scope(m_options.name, where);
    Tensor y = product(m_options.name, x, variables[0].read(where), where);
    if (m_options.useBias)
        y = trace::add({y, where}, {variables[1].read(where), where});
    return m_options.activation(y, where);
}

} // namespace retracescope::nn
