#include <retracescope/engine/trace/node_backward.h>

#include <array>
#include <string>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/gradients.h>
#include <retracescope/engine/autodiff/inner_gradients.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/replay.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

using autodiff::InnerGradient;
using autodiff::Saved;
using autodiff::Target;
using ir::Graph;
using ir::NodeId;
using ir::Op;

namespace {

/// Lays the node alone into a graph, lets that be differentiated, and computes what was added.
class NodeBackward final : public Backward {
public:
    NodeBackward(Op op, ir::Attributes attributes) : m_op(op), m_attributes(std::move(attributes)) {}

    std::vector<Tensor> inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                       const std::vector<bool>& wanted, Where where) const override;

private:
    const Op m_op;
    const ir::Attributes m_attributes;
};

std::vector<Tensor> NodeBackward::inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                                 const std::vector<bool>& wanted, Where where) const {
    Graph graph("gradient");
    graph.setSource(where);
    std::vector<NodeId> inputs;
    std::vector<NodeId> wrt;
    for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
        inputs.push_back(graph.addInput(entry.inputs[i].type(), "input_" + std::to_string(i)));
        if (wanted[i])
            wrt.push_back(inputs[i]);
    }
    const NodeId node = graph.append(m_op, inputs, m_attributes);
    const NodeId seed = graph.addInput(gradients[0].type(), "gradient");
    const std::vector<NodeId> made =
        autodiff::appendGradients(graph, std::array{node}, std::array{seed}, wrt, &compileCallee);

    Replay replay(graph, where);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        replay.set(inputs[i], entry.inputs[i]);
    replay.set(node, entry.results[0]);
    replay.set(seed, gradients[0]);
    replay.runFor(made);
    std::vector<Tensor> toInputs(inputs.size());
    for (std::size_t i = 0, next = 0; i < inputs.size(); ++i)
        if (wanted[i])
            toInputs[i] = replay.valueOf(made[next++]);
    return toInputs;
}

/// Of a node of a trace. The trace's graph is changed so that the node returns what its gradient needs.
class InnerBackward final : public Backward {
public:
    explicit InnerBackward(std::vector<Tensor> captured) : m_captured(std::move(captured)) {}

    std::vector<Tensor> inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                       const std::vector<bool>& wanted, Where where) const override;

private:
    const std::vector<Tensor> m_captured; ///< eager; the last of the entry's inputs stand for them
};

/// A value under the type of the one that it belongs to.
Tensor fitted(const Tensor& gradient, const Tensor& like, Where where) {
    const bool fits = types::isSubtype(gradient.type(), like.type());
    return fits ? gradient : apply(Op::ReshapeLike, std::array{gradient, like}, {}, where);
}

std::vector<Tensor> InnerBackward::inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                                  const std::vector<bool>& wanted, Where where) const {
    Tracer& tracer = Tracer::ownerOf(entry.results[0]);
    Graph& graph = tracer.graph();
    const NodeId node = entry.results[0].node();
    const std::size_t known = graph.resultsOf(node).size();
    std::vector<Tensor> byResult(known); // the entry may not have all of them
    std::vector<bool> isSeeded(known);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        byResult[i] = gradients[i];
        isSeeded[i] = !gradients[i].isEmpty();
    }
    const std::size_t arguments = entry.inputs.size() - m_captured.size();
    const std::size_t first = graph.node(node).op == Op::Cond ? 1 : 0; // behind the predicate
    std::vector<Target> targets;
    std::vector<std::size_t> inputOf; // by target
    for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
        if (!wanted[i])
            continue;
        targets.push_back(i < arguments ? autodiff::argumentTarget(graph, node, i - first)
                                        : autodiff::capturedTarget(graph, node, m_captured[i - arguments]));
        inputOf.push_back(i);
        if (targets.back().held == types::TensorTypeId::None) { // a variable that it does not read
            targets.pop_back();
            inputOf.pop_back();
        }
    }
    const auto made = autodiff::gradientsThrough(graph, node, isSeeded, targets, &compileCallee);
    std::vector<Tensor> results;
    for (const NodeId result : graph.resultsOf(node))
        results.push_back(tracer.tensorOf(result));
    if (results.size() > entry.results.size())
        Tape::addResults(entry, std::span(results).subspan(entry.results.size()));

    std::vector<Tensor> toInputs(entry.inputs.size());
    for (const auto& gradient : made) {
        std::vector<Tensor> taken;
        for (const std::size_t place : gradient->seeded)
            taken.push_back(place < byResult.size() && isSeeded[place]
                                ? fitted(byResult[place], results[place], where)
                                : zerosLike(results[place], where));
        for (const Saved& saved : gradient->saved)
            taken.push_back(saved.from == Saved::From::Input ? entry.inputs[saved.place]
                                                             : results[saved.place]);
        std::vector<Tensor> found(gradient->backward->graph().outputs().size());
        callGraph(std::dynamic_pointer_cast<const runtime::Executable>(gradient->backward), taken, found,
                  where);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (!gradient->gradientOf[i])
                continue;
            const Tensor& like = entry.inputs[inputOf[i]];
            const Tensor& one = found[*gradient->gradientOf[i]];
            Tensor& sum = toInputs[inputOf[i]];
            const Tensor fit = like.dtype() == types::DType::Resource ? one : fitted(one, like, where);
            sum = sum.isEmpty() ? fit : Tape::sumOf(sum, fit, where);
        }
    }
    return toInputs;
}

/// Of a host call: nobody can differentiate the program's own code.
class HostBackward final : public Backward {
public:
    explicit HostBackward(std::string function) : m_function(std::move(function)) {}

    std::vector<Tensor> inputGradients(const TapeEntry& /*entry*/, std::span<const Tensor> /*gradients*/,
                                       const std::vector<bool>& /*wanted*/, Where where) const override {
        throw UsageError(autodiff::hostCallRefusal(m_function) + placeText(where));
    }

private:
    const std::string m_function;
};

} // namespace

std::shared_ptr<const ir::Callee> compileCallee(Graph graph) {
    const EagerScope outside; // a trace must not record what passes compute
    return runtime::Executable::compile(runtime::optimise(std::move(graph)));
}

std::shared_ptr<const Backward> nodeBackward(Op op, const ir::Attributes& attributes) {
    return std::make_shared<const NodeBackward>(op, attributes);
}

std::shared_ptr<const Backward> innerBackward(std::vector<Tensor> captured) {
    return std::make_shared<const InnerBackward>(std::move(captured));
}

std::shared_ptr<const Backward> hostBackward(std::string function) {
    return std::make_shared<const HostBackward>(std::move(function));
}

} // namespace retracescope::trace
