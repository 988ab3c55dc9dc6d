#include <retracescope/engine/trace/control_flow.h>

#include <memory>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/misfit.h>
#include <retracescope/engine/trace/tracer.h>
#include <retracescope/types/binding.h>

namespace retracescope::trace {

namespace {

/// A traced branch: its graph, what it returns, and what it needs from outside.
struct TracedBranch {
    ir::Graph graph;
    types::TypeId type = types::TypeId::None;
};

/// Traces one branch into `tracer`, which is current.
TracedBranch traceBranch(Tracer& tracer, const Branch& branch) {
    const Value result = resultOf(branch(), tracer, tracer.name());
    std::vector<ir::NodeId> outputs;
    for (const Tensor& leaf : leavesOf(result))
        outputs.push_back(leaf.node());
    tracer.graph().setOutputs(outputs);
    return {ir::Graph(), typeOfValue(result)};
}

bool haveCommonType(types::TypeId a, types::TypeId b) {
    return types::commonSupertype(a, b) != types::TypeId::None;
}

Value staged(Tracer& outer, const Tensor& predicate, const Branch& then, const Branch& otherwise,
             Where where) {
    const ir::NodeId decision = outer.nodeOf(predicate, "cond");
    std::vector<Tensor> lifted;
    TracedBranch first;
    TracedBranch second;
    {
        Tracer tracer(outer.name() + "/then", Tracer::Role::Branch, outer.creation());
        first = traceBranch(tracer, then);
        lifted = tracer.lifted();
        first.graph = tracer.takeGraph();
    }
    {
        Tracer tracer(outer.name() + "/else", Tracer::Role::Branch, outer.creation());
        tracer.liftAlso(lifted);
        second = traceBranch(tracer, otherwise);
        // What only the second branch uses becomes a further input of the first.
        for (std::size_t i = lifted.size(); i < tracer.lifted().size(); ++i)
            first.graph.addInput(tracer.lifted()[i].type(), fmt::format("unused_{}", i));
        lifted = tracer.lifted();
        second.graph = tracer.takeGraph();
    }
    if (const auto misfit = findMisfit(first.type, second.type, &haveCommonType, "result"))
        throw UsageError(
            fmt::format("[cond] {} is {} in the then branch, but {} in the else branch; both must agree in "
                        "structure and dtype{}",
                        misfit->path, misfit->first, misfit->second, placeText(where)));
    std::vector<ir::NodeId> arguments;
    for (const Tensor& tensor : lifted)
        arguments.push_back(outer.nodeOf(tensor, "cond"));
    ir::Graph& graph = outer.graph();
    graph.setSource(where.file_name(), where.function_name(), where.line());
    const ir::NodeId node =
        graph.addCond(decision, std::make_shared<const ir::Graph>(std::move(first.graph)),
                      std::make_shared<const ir::Graph>(std::move(second.graph)), arguments);
    const std::vector<Tensor> results = resultsInTrace(outer, node);
    std::size_t next = 0;
    return packed(types::commonSupertype(first.type, second.type), results, next);
}

} // namespace

Value condValue(const Tensor& predicate, const Branch& then, const Branch& otherwise, Where where) {
    if (Tracer* tracer = Tracer::current())
        return staged(*tracer, predicate, then, otherwise, where);
    if (predicate.isSymbolic() || predicate.isEmpty() || predicate.dtype() != types::DType::Bool ||
        predicate.elements() != 1)
        throw UsageError(fmt::format(
            "[cond] expected a bool scalar as predicate, got {}{}",
            predicate.isEmpty() ? "an empty tensor" : types::toText(predicate.type()), placeText(where)));
    return predicate.data<bool>()[0] ? then() : otherwise();
}

} // namespace retracescope::trace
