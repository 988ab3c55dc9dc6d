#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

/// The storage of a variable: state that outlives calls. Graphs hold it as a tensor of dtype Resource (its
/// handle), so what it holds is read when the graph runs. Reads and writes are atomic; calls from several
/// threads interleave.
class Variable : public tensor::Resource {
public:
    /// `type` is what it may hold: the dtype, and a shape that every value must fit (unknown axes allowed).
    /// `initial` may be empty: reading then throws UsageError until something is assigned.
    static std::shared_ptr<Variable> make(std::string name, types::TensorTypeId type, tensor::Tensor initial,
                                          bool trainable = true);

    const std::string& name() const { return m_name; }
    types::TensorTypeId type() const { return m_type; }
    bool isTrainable() const { return m_trainable; }
    bool isInitialized() const;
    /// Unique in the process, never reused.
    std::uint32_t id() const { return m_id; }

    tensor::Tensor read() const;
    void assign(tensor::Tensor value);
    /// Adds in place where nobody else holds the value.
    void assignAdd(const tensor::Tensor& delta);
    void assignSub(const tensor::Tensor& delta);

    /// What a handle tensor points to; null if `handle` is no variable's.
    static Variable* find(const tensor::Tensor& handle);
    /// The same; throws UsageError if `handle` is no variable's.
    static Variable& of(const tensor::Tensor& handle);

private:
    Variable(std::string name, types::TensorTypeId type, tensor::Tensor initial, bool trainable);
    void update(const tensor::Tensor& delta, bool subtract);
    void requireFits(const tensor::Tensor& value) const;

    const std::string m_name;
    const types::TensorTypeId m_type;
    const bool m_trainable;
    const std::uint32_t m_id;
    mutable std::atomic_flag m_lock; ///< held for the exchange of a handle, or for one in-place update
    tensor::Tensor m_value;
};

} // namespace retracescope::runtime
