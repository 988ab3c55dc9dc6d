#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/trace/value.h>
#include <retracescope/types/function_type.h>

namespace retracescope::trace {

/// One trace of a function: its graph, ready to run, and the signature it serves. Made once, never changed.
class ConcreteFunction {
public:
    ConcreteFunction(runtime::EntryKey key, std::string name, types::FunctionType type,
                     types::FunctionType cacheType, types::FunctionContext context, bool isRelaxed,
                     std::shared_ptr<const runtime::Executable> executable);

    /// Unique in the process.
    runtime::EntryKey key() const { return m_key; }
    /// "process_data_3".
    const std::string& name() const { return m_name; }
    /// Parameters with their types as the call that traced it wrote them, captures, result.
    const types::FunctionType& type() const { return m_type; }
    /// The parameters as the cache compares them.
    const types::FunctionType& cacheType() const { return m_cacheType; }
    const types::FunctionContext& context() const { return m_context; }
    bool isRelaxed() const { return m_isRelaxed; }
    const ir::Graph& graph() const { return m_executable->graph(); }
    const std::shared_ptr<const runtime::Executable>& executable() const { return m_executable; }
    std::size_t outputCount() const { return m_outputCount; }

    /// Calls it with the tensors of the arguments in flattening order (literals left out). Shapes are
    /// checked.
    std::vector<Tensor> callFlat(std::span<const Tensor> arguments, Where where = Where::current()) const;

    /// The results for the flat arguments, computed, or a call node if this thread is tracing. `results` has
    /// outputCount() places.
    void run(std::span<const Tensor> arguments, std::span<Tensor> results, Where where) const;

private:
    const runtime::EntryKey m_key;
    const std::string m_name;
    const types::FunctionType m_type;
    const types::FunctionType m_cacheType;
    const types::FunctionContext m_context;
    const bool m_isRelaxed;
    const std::shared_ptr<const runtime::Executable> m_executable;
    const std::size_t m_outputCount;
};

/// "Input Parameters:", "Output Type:" and "Captures:" with a line for each, as TensorFlow prints them.
std::string toText(const ConcreteFunction& concrete);

} // namespace retracescope::trace
