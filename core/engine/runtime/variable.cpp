#include <retracescope/engine/runtime/variable.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/runtime/kernels/vector_kernels.h>

namespace retracescope::runtime {

namespace {

std::atomic<std::uint32_t> nextId{1};

class Locked {
public:
    explicit Locked(std::atomic_flag& flag) : m_flag(flag) {
        while (m_flag.test_and_set(std::memory_order_acquire))
            m_flag.wait(true, std::memory_order_relaxed);
    }
    ~Locked() {
        m_flag.clear(std::memory_order_release);
        m_flag.notify_one();
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    std::atomic_flag& m_flag;
};

} // namespace

std::shared_ptr<Variable> Variable::make(std::string name, types::TensorTypeId type, tensor::Tensor initial,
                                         bool trainable) {
    std::shared_ptr<Variable> variable(new Variable(std::move(name), type, {}, trainable));
    if (!initial.isEmpty())
        variable->assign(std::move(initial));
    return variable;
}

Variable::Variable(std::string name, types::TensorTypeId type, tensor::Tensor initial, bool trainable)
    : m_name(std::move(name)), m_type(type), m_trainable(trainable), m_id(nextId.fetch_add(1)),
      m_value(std::move(initial)) {}

bool Variable::isInitialized() const {
    const Locked locked(m_lock);
    return !m_value.isEmpty();
}

tensor::Tensor Variable::read() const {
    const Locked locked(m_lock);
    if (m_value.isEmpty())
        throw UsageError(fmt::format("[variable] '{}' was read before a value was assigned", m_name));
    return m_value;
}

void Variable::assign(tensor::Tensor value) {
    requireFits(value);
    const Locked locked(m_lock);
    m_value.swap(value);
}

void Variable::assignAdd(const tensor::Tensor& delta) {
    update(delta, false);
}

void Variable::assignSub(const tensor::Tensor& delta) {
    update(delta, true);
}

void Variable::update(const tensor::Tensor& delta, bool subtract) {
    requireFits(delta);
    const DTypeKernels* kernels = kernelsOf(types::dtypeOf(m_type));
    const BinaryRow row = kernels ? kernels->binaryOf(subtract ? ir::Op::Sub : ir::Op::Add).row[0] : nullptr;
    if (!row)
        throw UsageError(fmt::format("[variable] '{}' holds {}, which cannot be added to", m_name,
                                     types::dtypeName(types::dtypeOf(m_type))));
    const Locked locked(m_lock);
    if (m_value.isEmpty())
        throw UsageError(fmt::format("[variable] '{}' was added to before a value was assigned", m_name));
    if (m_value.type() != delta.type())
        throw UsageError(fmt::format("[variable] '{}' is {}, what was to be added is {}", m_name,
                                     types::toText(m_value.type()), types::toText(delta.type())));
    tensor::Tensor result = m_value.isUnique() ? m_value : tensor::Tensor::uninitialized(m_value.type());
    row(result.mutableBytes(), m_value.bytes(), delta.bytes(), m_value.elements());
    m_value.swap(result);
}

Variable* Variable::find(const tensor::Tensor& handle) {
    const bool isHandle = handle.isEager() && handle.dtype() == types::DType::Resource;
    return isHandle ? dynamic_cast<Variable*>(handle.target().get()) : nullptr;
}

Variable& Variable::of(const tensor::Tensor& handle) {
    auto* variable = find(handle);
    if (!variable)
        throw UsageError(fmt::format("[variable] expected the handle of a variable, got {}",
                                     handle.isEmpty() ? "nothing" : types::toText(handle.type())));
    return *variable;
}

void Variable::requireFits(const tensor::Tensor& value) const {
    if (!value.isEager() || !types::isSubtype(value.type(), m_type))
        throw UsageError(fmt::format("[variable] '{}' holds {}, got {}", m_name, types::toText(m_type),
                                     value.isEmpty() ? "nothing" : types::toText(value.type())));
}

} // namespace retracescope::runtime
