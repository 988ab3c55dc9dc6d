#include <retracescope/engine/trace/gradient.h>

#include <array>

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
    if (tracer->role() == Tracer::Role::Branch)
        throw UsageError("[gradients] cannot be taken inside a branch of a cond or the body of a loop; take "
                         "the gradient of "
                         "its result, or record a GradientTape in there" +
                         placeText(where));
    return *tracer;
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
    const ir::NodeId output = tracer.nodeOf(target, "gradients");
    if (!types::isFloating(target.dtype()))
        throw UsageError(fmt::format("[gradients] expected a floating target, got {}{}",
                                     types::toText(target.type()), placeText(where)));
    std::vector<ir::NodeId> wrt;
    for (const GradientSource& source : sources)
        wrt.push_back(sourceNode(tracer, source, where));
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
