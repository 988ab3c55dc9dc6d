#include <retracescope/engine/trace/host_call.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/node_backward.h>
#include <retracescope/engine/trace/tape.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

std::vector<Tensor> runChecked(const ir::HostFunction& function, std::span<const Tensor> inputs) {
    const auto fail = [&](const std::string& what) {
        throw UsageError(fmt::format("[host_call] '{}' {}", function.name, what));
    };
    std::vector<Tensor> results;
    try {
        const EagerScope outside; // nor of what tapes see
        results = function.run(inputs);
    } catch (const std::exception& error) {
        fail(fmt::format("threw: {}", error.what()));
    }
    if (results.size() != function.results.size())
        fail(fmt::format("returned {} values, promised {}", results.size(), function.results.size()));
    for (std::size_t i = 0; i < results.size(); ++i)
        if (!results[i].isEager() || !types::isSubtype(results[i].type(), function.results[i]))
            fail(fmt::format("returned {} as result {}, promised {}",
                             results[i].isEmpty() ? "nothing" : types::toText(results[i].type()), i,
                             types::toText(function.results[i])));
    return results;
}

} // namespace

std::shared_ptr<const ir::HostFunction> checkedHostFunction(ir::HostFunction function) {
    auto run = [inner = function](std::span<const Tensor> inputs) { return runChecked(inner, inputs); };
    return std::make_shared<const ir::HostFunction>(
        ir::HostFunction{std::move(function.name), std::move(function.results), std::move(run)});
}

std::vector<Tensor> callHost(const std::shared_ptr<const ir::HostFunction>& function,
                             std::span<const Tensor> inputs, Where where) {
    if (Tracer* const tracer = Tracer::current()) {
        const std::vector<ir::NodeId> nodes = nodesOf(*tracer, inputs, "host_call");
        ir::Graph& graph = tracer->graph();
        graph.setSource(where);
        const ir::NodeId node = graph.addHostCall(function, nodes);
        graph.nameNode(node, function->name);
        return resultsInTrace(*tracer, node);
    }
    return placed(where, [&] {
        for (const Tensor& input : inputs)
            if (!input.isEager())
                throw input.isEmpty() ? UsageError("[host_call] expected a tensor, got an empty one")
                                      : Tracer::outOfScope(input, "host_call");
        std::vector<Tensor> results = function->run(inputs);
        Tape::record(inputs, results, [&] { return hostBackward(function->name); });
        return results;
    });
}

} // namespace retracescope::trace
