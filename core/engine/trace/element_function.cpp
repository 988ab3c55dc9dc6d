#include <retracescope/engine/trace/element_function.h>

#include <fmt/format.h>

#include <retracescope/engine/runtime/dataset_functions.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

std::vector<Tensor> ElementFunctionTrace::inputsBehind(const Tensor& dataset) const {
    std::vector<Tensor> inputs{dataset, handle};
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    return inputs;
}

namespace {

/// The element as inputs of the graph.
Value elementIn(Tracer& tracer, types::TypeId element) {
    std::vector<Tensor> leaves;
    for (const types::TypeId leaf : types::leavesOf(element))
        leaves.push_back(tracer.addInput(types::typeOf(leaf).tensor, "element"));
    std::size_t next = 0;
    return packed(element, leaves, next);
}

} // namespace

ElementFunctionTrace traceElementFunction(std::string_view name, types::TypeId element,
                                          const std::function<Value(const Value&)>& body, Where where) {
    const Tracer* const outer = Tracer::current();
    ElementFunctionTrace made;
    ir::Graph graph;
    {
        Tracer tracer(outer == nullptr ? std::string(name) : fmt::format("{}/{}", outer->name(), name),
                      outer == nullptr ? Tracer::Role::Function : Tracer::Role::Branch,
                      Creation::NotFirstCall);
        const Value result =
            placed(where, [&] { return resultOf(body(elementIn(tracer, element)), tracer, name); });
        std::vector<ir::NodeId> outputs;
        for (const Tensor& leaf : leavesOf(result))
            outputs.push_back(leaf.node());
        made.result = typeOfValue(result);
        if (outputs.empty())
            refuse(name,
                   fmt::format("expected a tensor or more from the function, got {}",
                               types::toText(made.result)),
                   where);
        if (!tracer.deferredCaptures().empty())
            refuse(name, "the function uses a deferred capture, which nobody asks for here; use a variable",
                   where);
        tracer.graph().setOutputs(outputs);
        made.captured = tracer.lifted();
        graph = tracer.takeGraph();
    }
    const EagerScope outside; // an outer trace must not record what passes compute
    made.handle = Tensor::resource(std::make_shared<runtime::ElementFunction>(
        runtime::Executable::compile(runtime::optimise(std::move(graph)))));
    return made;
}

} // namespace retracescope::trace
