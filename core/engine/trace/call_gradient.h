#pragma once

#include <memory>
#include <vector>

#include <retracescope/engine/autodiff/forward_backward.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/trace/tape.h>

namespace retracescope::trace {

/// What a call runs under one tape in place of its graph, and what its gradient runs.
class CallGradient : public std::enable_shared_from_this<CallGradient> {
public:
    explicit CallGradient(autodiff::ForwardBackward graphs);
    /// Null if a call has to be computed op by op under a tape.
    static std::shared_ptr<const CallGradient> of(const ir::Graph& graph);

    /// Computes the results, and tells the tape. `captured` are capturedBy() the graph.
    void run(std::span<const Tensor> arguments, std::span<const Tensor> captured,
             std::span<Tensor> results) const;

    const std::shared_ptr<const runtime::Executable>& forward() const { return m_forward; }
    const std::shared_ptr<const runtime::Executable>& backward() const { return m_backward; }

private:
    class Call;

    const std::shared_ptr<const runtime::Executable> m_forward;
    const std::shared_ptr<const runtime::Executable> m_backward;
    const std::vector<std::size_t> m_seeded;
    const std::vector<autodiff::Saved> m_saved;
    const std::vector<std::optional<std::size_t>> m_gradientOf;
    std::vector<Tensor> m_captures; ///< of the forward graph
};

} // namespace retracescope::trace
