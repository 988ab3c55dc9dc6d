#include <retracescope/engine/nn/conv2d.h>

#include <fmt/format.h>

#include <retracescope/engine/trace/composed.h>
#include <retracescope/engine/trace/name_scope.h>

namespace retracescope::nn {

Conv2D::Conv2D(std::int64_t filters, KernelSize kernelSize, Conv2DOptions options, Where where)
    : m_filters(filters), m_kernelSize(kernelSize), m_options(std::move(options)),
      m_variables(m_options.name, {"[batch, height, width, channels]", 4, 4}) {
    if (filters < 1 || kernelSize.height < 1 || kernelSize.width < 1)
        trace::refuse(m_options.name,
                      fmt::format("expected filters and kernel size from 1 on, got {} and {} x {}", filters,
                                  kernelSize.height, kernelSize.width),
                      where);
}

Tensor Conv2D::operator()(const Tensor& x, Where where) const {
    const auto make = [&](std::int64_t channels, types::DType dtype) {
        const types::Shape shape{m_kernelSize.height, m_kernelSize.width, channels, m_filters};
        std::vector<Variable> made{
            makeVariable(m_options.name, "kernel", m_options.kernel, shape, dtype, where)};
        if (m_options.useBias)
            made.push_back(makeVariable(m_options.name, "bias", m_options.bias, {m_filters}, dtype, where));
        return made;
    };
    const std::vector<Variable>& variables = m_variables.madeFor(x, make, where);
    const trace::NameScope scope(m_options.name, where);
    Tensor y = trace::composed(
        m_options.name, [&] { return trace::conv2d(x, variables[0].read(where), m_options.window, where); });
    if (m_options.useBias)
        y = trace::add({y, where}, {variables[1].read(where), where});
    return m_options.activation(y, where);
}

} // namespace retracescope::nn
