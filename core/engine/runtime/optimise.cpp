#include <retracescope/engine/passes/check_numerics.h>
#include <retracescope/engine/passes/pipeline.h>
#include <retracescope/engine/runtime/checks.h>
#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/runtime/executable.h>

namespace retracescope::runtime {

namespace {

std::optional<tensor::Tensor> evaluate(ir::Op op, std::span<const tensor::Tensor> inputs,
                                       ir::AttributeView attributes) {
    try {
        return runOp(op, inputs, attributes);
    } catch (const UsageError&) {
        return std::nullopt; // fails when it runs, if it does
    }
}

} // namespace

ir::Graph optimise(ir::Graph graph, Origin origin) {
    if (checksNumerics())
        graph = passes::checkNumerics(graph);
    passes::Options options;
    options.evaluate = &evaluate;
    if (Observer* listener = observer(); listener && origin.function != 0) {
        options.report = [=](std::string_view pass, std::uint64_t begin, std::uint64_t end) {
            listener->onPhase({"optimise", pass, origin.function, origin.entry, begin, end});
        };
    }
    return passes::runPipeline(std::move(graph), options);
}

} // namespace retracescope::runtime
