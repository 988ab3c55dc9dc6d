#include <retracescope/engine/trace/call_graph.h>

#include <algorithm>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/gradient_flow.h>
#include <retracescope/engine/tensor/list.h>
#include <retracescope/engine/trace/call_gradient.h>
#include <retracescope/engine/trace/node_backward.h>
#include <retracescope/engine/trace/replay.h>
#include <retracescope/engine/trace/tape.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

/// Of a result that depends on the inputs by the graph, but did not on the way that this call took.
class ZeroBackward final : public Backward {
public:
    std::vector<Tensor> inputGradients(const TapeEntry& entry, std::span<const Tensor> /*gradients*/,
                                       const std::vector<bool>& wanted, Where where) const override {
        std::vector<Tensor> zeros(entry.inputs.size());
        for (std::size_t i = 0; i < zeros.size(); ++i)
            if (wanted[i] && !tensor::isListType(entry.inputs[i].type())) // a list's is none
                zeros[i] = zerosLike(entry.inputs[i].dtype() == types::DType::Resource
                                         ? Variable::of(entry.inputs[i]).read(where)
                                         : entry.inputs[i],
                                     where);
        return zeros;
    }
};

/// By output: whether a path of floating values leads from an input or a capture to it.
std::vector<bool> dependentOutputs(const ir::Graph& graph) {
    ir::Graph copy = graph;
    std::vector<ir::NodeId> sources(graph.inputs().begin(), graph.inputs().end());
    for (const Tensor& captured : capturedBy(graph))
        sources.push_back(copy.addCapture(captured));
    const std::vector<bool> depends = autodiff::activeNodes(copy, sources);
    std::vector<bool> outputs;
    for (const ir::NodeId output : graph.outputs())
        outputs.push_back(depends[output]);
    return outputs;
}

/// Under tapes.
void runWatched(const std::shared_ptr<const runtime::Executable>& executable,
                std::span<const Tensor> arguments, std::span<Tensor> results, Where where,
                const std::function<std::shared_ptr<const CallGradient>()>& gradient) {
    const std::vector<Tensor> captured = capturedBy(executable->graph());
    std::vector<Tensor> inputs(arguments.begin(), arguments.end());
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    std::ranges::for_each(inputs, &Tape::noteHandle);
    const int watchers = Tape::watchersOf(inputs);
    if (watchers == 0)
        return executable->run(arguments, results);
    const auto pair = watchers == 1 && gradient ? gradient() : nullptr;
    if (pair != nullptr)
        return pair->run(arguments, captured, results);
    Replay replay(executable->graph(), where);
    replay.setInputs(arguments);
    replay.runAll();
    std::ranges::move(replay.outputs(), results.begin());
    const std::vector<bool> depends = dependentOutputs(executable->graph());
    for (std::size_t i = 0; i < results.size(); ++i)
        if (depends[i] && Tape::watchersOf(results.subspan(i, 1)) == 0)
            Tape::record(inputs, results.subspan(i, 1),
                         [] { return std::make_shared<const ZeroBackward>(); });
}

} // namespace

std::vector<ir::NodeId> nodesOf(Tracer& tracer, std::span<const Tensor> tensors, std::string_view user) {
    std::vector<ir::NodeId> nodes;
    for (const Tensor& tensor : tensors)
        nodes.push_back(tracer.nodeOf(tensor, user));
    return nodes;
}

std::vector<Tensor> resultsInTrace(Tracer& tracer, ir::NodeId node) {
    ir::Graph& graph = tracer.graph();
    std::vector<Tensor> results;
    for (const ir::NodeId value : graph.resultsOf(node))
        results.push_back(tracer.tensorOf(value));
    if (!Tape::isAny() || results.empty())
        return results;
    std::vector<Tensor> inputs;
    for (const ir::NodeId input : graph.inputsOf(node))
        inputs.push_back(tracer.tensorOf(input));
    for (const Tensor& input : inputs)
        if (const auto variable = tracer.variableOf(input))
            Tape::noteRead(Variable(variable, input));
    for (const ir::Capture& capture : graph.captures())
        if (std::ranges::find(graph.inputsOf(node), capture.node) != graph.inputsOf(node).end())
            Tape::noteHandle(capture.value);
    std::vector<Tensor> captured; // of a callee; those of a branch are inputs
    if (graph.node(node).op == ir::Op::Call)
        captured = capturedBy(graph.calleeOf(node).graph());
    for (const Tensor& capture : captured)
        Tape::noteHandle(capture);
    std::erase_if(captured, [&](const Tensor& capture) { return !tracer.knows(capture); });
    for (const Tensor& capture : captured)
        inputs.push_back(tracer.tensorOf(tracer.nodeOf(capture, "call")));
    Tape::record(inputs, results, [&] {
        return graph.node(node).op == ir::Op::HostCall ? hostBackward(graph.hostOf(node).name)
                                                       : innerBackward(captured);
    });
    return results;
}

void callGraph(const std::shared_ptr<const runtime::Executable>& executable,
               std::span<const Tensor> arguments, std::span<Tensor> results, Where where,
               const std::function<std::shared_ptr<const CallGradient>()>& gradient) {
    Tracer* const tracer = Tracer::current();
    if (tracer == nullptr) {
        for (const Tensor& argument : arguments)
            if (argument.isSymbolic()) [[unlikely]]
                placed(where, [&] { throw Tracer::outOfScope(argument, executable->graph().name()); });
        if (Tape::isAny()) [[unlikely]]
            return runWatched(executable, arguments, results, where, gradient);
        return executable->run(arguments, results);
    }
    const std::vector<ir::NodeId> nodes =
        placed(where, [&] { return nodesOf(*tracer, arguments, executable->graph().name()); });
    tracer->graph().setSource(where);
    std::ranges::move(resultsInTrace(*tracer, tracer->graph().addCall(executable, nodes)), results.begin());
}

} // namespace retracescope::trace
