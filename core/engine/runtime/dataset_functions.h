#pragma once

#include <memory>

#include <retracescope/engine/runtime/dataset.h>
#include <retracescope/engine/runtime/executable.h>

/// Datasets that run a graph for each element.
namespace retracescope::runtime {

/// What a map or filter runs, as something that a tensor may be a handle of. The graph takes the tensors of
/// an element, then those that it uses from outside.
class ElementFunction final : public tensor::Resource {
public:
    explicit ElementFunction(std::shared_ptr<const Executable> executable)
        : m_executable(std::move(executable)) {}
    const Executable& executable() const { return *m_executable; }

    /// What a handle points to; throws UsageError that starts with `user` if it is none.
    static std::shared_ptr<const ElementFunction> of(const tensor::Tensor& handle, std::string_view user);

private:
    const std::shared_ptr<const Executable> m_executable;
};

/// What the function returns for each element.
DatasetPointer mapDataset(DatasetPointer source, std::shared_ptr<const ElementFunction> function,
                          Element captured);

/// The elements for which the function returns true, a bool scalar.
DatasetPointer filterDataset(DatasetPointer source, std::shared_ptr<const ElementFunction> function,
                             Element captured);

} // namespace retracescope::runtime
