#include <retracescope/engine/trace/gradient.h>

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/gradients.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

Tracer& currentTrace(Where where) {
    Tracer* const tracer = Tracer::current();
    if (!tracer)
        throw UsageError(
            "[gradients] expected to be called inside a traced function, was called outside of any" +
            placeText(where));
    return *tracer;
}

/// The node that stands for a tensor in a trace; none if the trace does not use it.
ir::NodeId knownNode(Tracer& tracer, const Tensor& tensor) {
    if (tracer.owns(tensor))
        return tensor.node();
    return tracer.knows(tensor) ? tracer.nodeOf(tensor, "gradients") : ir::kNoNode;
}

/// Whether a gradient may flow through the node. (A node with results of its own may have floating ones.)
bool isDifferentiable(const ir::Graph& graph, ir::NodeId node) {
    const types::DType dtype = types::dtypeOf(graph.typeOf(node));
    return types::isFloating(dtype) || tensor::holdsResources(dtype) ||
           ir::hasResultNodes(graph.node(node).op);
}

/// Whether a gradient of `from` with respect to `source` may flow through what lies outside of a branch or
/// body, or through its earlier trips. `isInside`: the trace is that of the gradient, where `source` itself
/// is no way outside.
bool mayLeadOutside(Tracer& tracer, ir::NodeId from, const Tensor& source, bool isInside) {
    const ir::Graph& graph = tracer.graph();
    const ir::NodeId end = knownNode(tracer, source);
    if (end == ir::kNoNode)
        return false;
    std::vector<bool> isReached(graph.nodeCount());
    std::vector<ir::NodeId> open{from};
    while (!open.empty()) {
        const ir::NodeId node = open.back();
        open.pop_back();
        if (isReached[node] || !isDifferentiable(graph, node))
            continue;
        isReached[node] = true;
        if (node == end) {
            if (!isInside)
                return true;
            continue;
        }
        std::ranges::copy(graph.inputsOf(node), std::back_inserter(open));
    }
    if (tracer.role() == Tracer::Role::Function)
        return false;
    std::vector<bool> isLifted(graph.nodeCount());
    for (const Tensor& lifted : tracer.lifted()) {
        const ir::NodeId node = tracer.nodeOf(lifted, "gradients");
        isLifted[node] = true;
        Tracer& outer = *tracer.outer();
        if (isReached[node] && node != end &&
            mayLeadOutside(outer, outer.nodeOf(lifted, "gradients"), source, false))
            return true;
    }
    // What remains of the inputs changes from trip to trip.
    return std::ranges::any_of(graph.inputs(), [&](ir::NodeId input) {
        return isReached[input] && !isLifted[input] && input != end;
    });
}

ir::NodeId sourceNode(Tracer& tracer, const GradientSource& source, Where where) {
    if (!source.isVariable() && source.tensor().isEager())
        throw UsageError(
            fmt::format("[gradients] expected a tensor of this trace or a variable as source, got the eager "
                        "tensor {}; make it an argument or a variable{}",
                        types::toText(source.tensor().type()), placeText(where)));
    return tracer.nodeOf(source.tensor(), "gradients", source.name());
}

Tensor zerosFor(Tracer& tracer, const GradientSource& source, Where where) {
    if (!source.isVariable())
        return tracer.append(ir::Op::ZerosLike, std::array{source.tensor()}, {}, where);
    const Tensor value = tracer.append(
        ir::Op::ReadVariable, std::array{source.tensor()},
        ir::Attributes().set(ir::Attribute::Type, static_cast<std::int64_t>(source.held())), where);
    return tracer.append(ir::Op::ZerosLike, std::array{value}, {}, where);
}

} // namespace

std::vector<Tensor> gradients(const Tensor& target, std::initializer_list<GradientSource> sources,
                              Unconnected unconnected, Where where) {
    Tracer& tracer = currentTrace(where);
    const ir::NodeId output = placed(where, [&] { return tracer.nodeOf(target, "gradients"); });
    if (!types::isFloating(target.dtype()))
        throw UsageError(fmt::format("[gradients] expected a floating target, got {}{}",
                                     types::toText(target.type()), placeText(where)));
    std::vector<ir::NodeId> wrt;
    for (const GradientSource& source : sources) {
        wrt.push_back(sourceNode(tracer, source, where));
        const bool isFromOutside = tracer.role() == Tracer::Role::Branch && !tracer.owns(source.tensor());
        if (isFromOutside && mayLeadOutside(tracer, output, source.tensor(), true))
            throw UsageError(fmt::format(
                "[gradients] the target depends on {} also by what was computed outside of this "
                "branch or loop body, or in an earlier trip; take the gradient outside, of the "
                "result, or record a GradientTape in here, for which that is constant{}",
                source.isVariable() ? fmt::format("'{}'", source.name()) : "a source", placeText(where)));
    }
    const auto compile = [](ir::Graph graph) -> std::shared_ptr<const ir::Callee> {
        return runtime::Executable::compile(runtime::optimise(std::move(graph)));
    };
    const std::vector<ir::NodeId> nodes =
        autodiff::appendGradients(tracer.graph(), std::array{output}, std::array{ir::kNoNode}, wrt, compile);
    std::vector<Tensor> results;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i] != ir::kNoNode)
            results.push_back(tracer.tensorOf(nodes[i]));
        else
            results.push_back(unconnected == Unconnected::Zeros ? zerosFor(tracer, sources.begin()[i], where)
                                                                : Tensor());
    }
    return results;
}

} // namespace retracescope::trace
