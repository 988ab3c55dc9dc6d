#include <retracescope/engine/trace/concrete_function.h>

#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

ConcreteFunction::ConcreteFunction(runtime::EntryKey key, std::string name, types::FunctionType type,
                                   types::FunctionType cacheType, types::FunctionContext context,
                                   bool isRelaxed, std::shared_ptr<const runtime::Executable> executable)
    : m_key(key), m_name(std::move(name)), m_type(std::move(type)), m_cacheType(std::move(cacheType)),
      m_context(context), m_isRelaxed(isRelaxed), m_executable(std::move(executable)),
      m_outputCount(m_executable->graph().outputs().size()) {}

std::vector<Tensor> ConcreteFunction::callFlat(std::span<const Tensor> arguments, Where where) const {
    std::vector<Tensor> results(m_outputCount);
    run(arguments, results, where);
    return results;
}

void ConcreteFunction::run(std::span<const Tensor> arguments, std::span<Tensor> results, Where where) const {
    Tracer* tracer = Tracer::current();
    if (tracer == nullptr)
        return m_executable->run(arguments, results);
    std::vector<ir::NodeId> nodes;
    for (const Tensor& argument : arguments)
        nodes.push_back(tracer->nodeOf(argument, m_name));
    ir::Graph& graph = tracer->graph();
    graph.setSource(where.file_name(), where.function_name(), where.line());
    const ir::NodeId call = graph.addCall(m_executable, nodes);
    const std::vector<ir::NodeId> values = graph.resultsOf(call);
    for (std::size_t i = 0; i < results.size(); ++i)
        results[i] = tracer->tensorOf(values[i]);
}

std::string toText(const ConcreteFunction& concrete) {
    return types::toListing(concrete.type());
}

} // namespace retracescope::trace
