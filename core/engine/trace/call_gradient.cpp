#include <retracescope/engine/trace/call_gradient.h>

#include <algorithm>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/node_backward.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

using autodiff::Saved;

namespace {

std::shared_ptr<const runtime::Executable> compiled(const ir::Graph& graph) {
    return std::dynamic_pointer_cast<const runtime::Executable>(compileCallee(graph));
}

} // namespace

/// One call under a tape. The entry's inputs are the arguments, then what was captured.
class CallGradient::Call final : public Backward {
public:
    Call(std::shared_ptr<const CallGradient> of, std::size_t arguments, std::vector<Tensor> captured,
         std::vector<Tensor> further)
        : m_of(std::move(of)), m_arguments(arguments), m_captured(std::move(captured)),
          m_further(std::move(further)) {}

    std::vector<Tensor> inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                       const std::vector<bool>& wanted, Where where) const override;

private:
    const std::shared_ptr<const CallGradient> m_of;
    const std::size_t m_arguments;
    const std::vector<Tensor> m_captured;
    const std::vector<Tensor> m_further; ///< results behind those of the call
};

CallGradient::CallGradient(autodiff::ForwardBackward graphs)
    : m_forward(compiled(graphs.forward)), m_backward(compiled(graphs.backward)),
      m_seeded(std::move(graphs.seeded)), m_saved(std::move(graphs.saved)),
      m_gradientOf(std::move(graphs.gradientOf)) {
    for (const ir::Capture& capture : graphs.forward.captures())
        m_captures.push_back(capture.value);
}

std::shared_ptr<const CallGradient> CallGradient::of(const ir::Graph& graph) {
    try {
        return std::make_shared<const CallGradient>(autodiff::forwardBackward(graph, &compileCallee));
    } catch (const UsageError&) {
        return nullptr; // told when the gradient is asked for, if it goes through that op at all
    }
}

void CallGradient::run(std::span<const Tensor> arguments, std::span<const Tensor> captured,
                       std::span<Tensor> results) const {
    std::vector<Tensor> all(m_forward->graph().outputs().size());
    m_forward->run(arguments, all);
    std::ranges::move(std::span(all).first(results.size()), results.begin());
    std::vector<Tensor> further(
        std::make_move_iterator(all.begin() + static_cast<std::ptrdiff_t>(results.size())),
        std::make_move_iterator(all.end()));
    std::vector<Tensor> inputs(arguments.begin(), arguments.end());
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    Tape::record(inputs, results, [&] {
        return std::make_shared<const Call>(shared_from_this(), arguments.size(),
                                            std::vector<Tensor>(captured.begin(), captured.end()),
                                            std::move(further));
    });
}

std::vector<Tensor> CallGradient::Call::inputGradients(const TapeEntry& entry,
                                                       std::span<const Tensor> gradients,
                                                       const std::vector<bool>& wanted, Where where) const {
    std::vector<Tensor> taken;
    for (const std::size_t output : m_of->m_seeded)
        taken.push_back(gradients[output].isEmpty() ? zerosLike(entry.results[output], where)
                                                    : gradients[output]);
    for (const Saved& saved : m_of->m_saved) {
        if (saved.from == Saved::From::Input)
            taken.push_back(entry.inputs[saved.place]);
        else
            taken.push_back(saved.place < entry.results.size()
                                ? entry.results[saved.place]
                                : m_further[saved.place - entry.results.size()]);
    }
    std::vector<Tensor> made(m_of->m_backward->graph().outputs().size());
    callGraph(m_of->m_backward, taken, made, where);
    std::vector<Tensor> toInputs(entry.inputs.size());
    const auto take = [&](std::size_t input, std::size_t row) {
        if (wanted[input] && m_of->m_gradientOf[row])
            toInputs[input] = made[*m_of->m_gradientOf[row]];
    };
    for (std::size_t i = 0; i < m_arguments; ++i)
        take(i, i);
    for (std::size_t i = 0; i < m_captured.size(); ++i) {
        const auto place = std::ranges::find_if(
            m_of->m_captures, [&](const Tensor& capture) { return capture.isSame(m_captured[i]); });
        if (place != m_of->m_captures.end())
            take(m_arguments + i, m_arguments + static_cast<std::size_t>(place - m_of->m_captures.begin()));
    }
    return toInputs;
}

} // namespace retracescope::trace
