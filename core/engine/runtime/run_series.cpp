#include <retracescope/engine/runtime/run_series.h>

namespace retracescope::runtime {

RunSeries::RunSeries(const Executable& executable) : m_executable(executable) {
    if (executable.m_fixed != nullptr && executable.nodeListener() == nullptr)
        m_series.emplace(*executable.m_fixed);
}

void RunSeries::run(std::span<const tensor::Tensor> inputs, std::span<tensor::Tensor> outputs) {
    if (!m_series)
        return m_executable.run(inputs, outputs);
    m_executable.requireFixedInputs(inputs);
    m_series->run(inputs, outputs);
}

} // namespace retracescope::runtime
