#pragma once

#include <optional>
#include <span>

#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/plan.h>

namespace retracescope::runtime {

/// Runs of one executable in a row, as a loop has them: what a run sets up and gives back is done once.
class RunSeries {
public:
    explicit RunSeries(const Executable& executable);
    RunSeries(const RunSeries&) = delete;
    RunSeries& operator=(const RunSeries&) = delete;

    /// As Executable::run().
    void run(std::span<const tensor::Tensor> inputs, std::span<tensor::Tensor> outputs);

    /// Whether runPlaced() may be called: once run() has taken inputs of the same types.
    bool isPlain() const { return m_series && m_executable.m_fixed->isPlain(); }
    /// The same from and into memory of the caller.
    void runPlaced(std::span<std::byte* const> inputs, std::span<std::byte* const> outputs) {
        m_series->runPlaced(inputs, outputs);
    }

private:
    const Executable& m_executable;
    std::optional<PlanSeries> m_series; ///< if all types are known and nobody asks for node times
};

} // namespace retracescope::runtime
