#include <retracescope/engine/runtime/tensor_commands.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/plain_trips.h>
#include <retracescope/engine/runtime/plan.h>
#include <retracescope/engine/runtime/run_series.h>
#include <retracescope/engine/runtime/variable.h>

namespace retracescope::runtime {

using tensor::Tensor;

namespace {

void setResult(Frame& frame, ir::NodeId node, Tensor value) {
    const std::uint32_t slot = frame.plan->slotOf(node);
    if (slot == kNoSlot)
        return; // nobody looks at it
    frame.slotTensors[slot] = std::move(value);
    frame.pointers[node] = frame.slotTensors[slot].mutableBytes();
}

/// The tensors of `nodes` in the frame's scratch, and behind them places for `results`.
struct Arguments {
    Arguments(Frame& frame, std::span<const ir::NodeId> nodes, std::size_t results)
        : all(static_cast<TensorFrame&>(frame).scratch.first(nodes.size() + results)),
          inputs(all.first(nodes.size())), outputs(all.last(results)) {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            inputs[i] = *frame.tensors[nodes[i]];
    }
    ~Arguments() {
        for (Tensor& tensor : all)
            tensor = Tensor();
    }
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    std::span<Tensor> all;
    std::span<Tensor> inputs;
    std::span<Tensor> outputs;
};

/// What a cond or while decides by.
bool isTrue(ir::Op op, const Tensor& predicate) {
    if (predicate.shape().rank() != 0)
        throw UsageError(fmt::format("{}expected a bool scalar as predicate, got {}", ir::messageStart(op),
                                     types::toText(predicate.type())));
    return *reinterpret_cast<const bool*>(predicate.bytes());
}

void runOther(Frame& frame, ir::NodeId node, std::span<const ir::NodeId> nodes,
              const Executable& executable) {
    const std::size_t results = executable.graph().outputs().size();
    Arguments arguments(frame, nodes, results);
    executable.run(arguments.inputs, arguments.outputs);
    for (std::size_t i = 0; i < results; ++i)
        setResult(frame, node + static_cast<ir::NodeId>(i), std::move(arguments.outputs[i]));
}

} // namespace

void runView(const Command& command, Frame& frame) {
    const auto type = static_cast<types::TensorTypeId>(frame.params[command.params]);
    setResult(frame, command.output, frame.tensors[command.a]->viewedAs(type));
}

void runWhole(const Command& command, Frame& frame) {
    const ir::Graph& graph = frame.plan->graph();
    const ir::NodeId node = command.output;
    const Arguments arguments(frame, graph.inputsOf(node), 0);
    setResult(frame, node, runOp(graph.node(node).op, arguments.inputs, graph.attributesOf(node)));
}

void runReadVariable(const Command& command, Frame& frame) {
    const ir::Graph& graph = frame.plan->graph();
    Tensor value = Variable::of(*frame.tensors[command.a]).read();
    const types::TensorTypeId expected = graph.typeOf(command.output);
    if (value.type() != expected && !types::isSubtype(value.type(), expected))
        throw UsageError(fmt::format("[read] '{}' was traced as {}, now holds {}",
                                     Variable::of(*frame.tensors[command.a]).name(), types::toText(expected),
                                     types::toText(value.type())));
    setResult(frame, command.output, std::move(value));
}

void runEffectNode(const Command& command, Frame& frame) {
    const ir::Graph& graph = frame.plan->graph();
    const ir::NodeId node = command.output;
    const Arguments arguments(frame, graph.inputsOf(node), 0);
    runOp(graph.node(node).op, arguments.inputs, graph.attributesOf(node));
}

void runHostCall(const Command& command, Frame& frame) {
    const ir::Graph& graph = frame.plan->graph();
    const ir::NodeId node = command.output;
    const Arguments arguments(frame, graph.inputsOf(node), 0);
    std::vector<Tensor> results = graph.hostOf(node).run(arguments.inputs);
    for (std::size_t i = 0; i < results.size(); ++i)
        setResult(frame, node + static_cast<ir::NodeId>(i), std::move(results[i]));
}

void runCall(const Command& command, Frame& frame) {
    const ir::Graph& graph = frame.plan->graph();
    const ir::NodeId node = command.output;
    runOther(frame, node, graph.inputsOf(node), static_cast<const Executable&>(graph.calleeOf(node)));
}

void runCond(const Command& command, Frame& frame) {
    const ir::Graph& graph = frame.plan->graph();
    const ir::NodeId node = command.output;
    const auto inputs = graph.inputsOf(node);
    const bool taken = isTrue(ir::Op::Cond, *frame.tensors[inputs[0]]);
    const auto row = graph.attributesOf(node).number(taken ? ir::Attribute::Then : ir::Attribute::Else);
    runOther(frame, node, inputs.subspan(1), frame.plan->branch(static_cast<std::size_t>(row)));
}

void runWhile(const Command& command, Frame& frame) {
    const ir::Graph& graph = frame.plan->graph();
    const ir::NodeId node = command.output;
    const ir::AttributeView attributes = graph.attributesOf(node);
    const auto inner = [&](ir::Attribute which) -> const Executable& {
        return frame.plan->branch(static_cast<std::size_t>(attributes.number(which)));
    };
    RunSeries condition(inner(ir::Attribute::Condition));
    RunSeries body(inner(ir::Attribute::Body));
    const std::size_t count = graph.node(node).resultCount;
    const Arguments arguments(frame, graph.inputsOf(node), count + 1);
    const std::span<Tensor> next = arguments.outputs.first(count);
    const std::span<Tensor> decision = arguments.outputs.last(1);
    while (condition.run(arguments.inputs, decision), isTrue(ir::Op::While, decision[0])) {
        body.run(arguments.inputs, next);
        for (std::size_t i = 0; i < count; ++i) {
            std::swap(next[i], arguments.inputs[i]); // room for what comes next
            if (next[i].holdsObjects())
                next[i] = Tensor(); // a list that somebody else holds is copied when it changes
        }
        if (PlainTrips trips(condition, body, arguments.inputs, next); trips.arePossible()) {
            trips.run(decision[0]);
            break;
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        setResult(frame, node + static_cast<ir::NodeId>(i), std::move(arguments.inputs[i]));
}

} // namespace retracescope::runtime
