#pragma once

#include <initializer_list>
#include <source_location>
#include <vector>

#include <retracescope/engine/trace/ops.h>
#include <retracescope/engine/trace/variable.h>

namespace retracescope::trace {

/// What a gradient is taken with respect to: a tensor of the trace, or a variable that the trace reads.
class GradientSource {
public:
    GradientSource(const Tensor& tensor) : m_tensor(tensor) {}
    GradientSource(const Variable& variable)
        : m_tensor(variable.handle()), m_held(variable.type()), m_variable(variable) {}

    const Tensor& tensor() const { return m_tensor; }
    types::TensorTypeId held() const { return m_held; } ///< what the variable holds
    bool isVariable() const { return m_held != types::TensorTypeId::None; }
    const Variable& variable() const { return m_variable; } ///< if it is one
    std::string name() const { return isVariable() ? m_variable.name() : std::string(); }

private:
    Tensor m_tensor; ///< of a variable its handle
    types::TensorTypeId m_held = types::TensorTypeId::None;
    Variable m_variable;
};

/// What stands for the gradient of a source that the target does not depend on.
enum class Unconnected : std::uint8_t {
    Empty, ///< an empty tensor
    Zeros, ///< zeros of the source's shape
};

/// Inside a traced function: the gradient of the sum of all elements of `target` with respect to each source,
/// as further nodes of the graph. One tensor per source, of its dtype and shape. The result can be
/// differentiated again.
///
///     Function step("step", {"x", "y"}, [&](Tensor x, Tensor y) {
///         const Tensor loss = reduceMean(square(matmul(x, weights.read()) - y));
///         const std::vector<Tensor> slopes = gradients(loss, {weights});
///         weights.assignSub(slopes[0] * 0.1f);
///         return loss;
///     });
///
/// Calls, conds and loops on the way return what the gradient needs of them from now on, so that nothing is
/// computed twice, effects happen once, and what was read of a variable counts, even if it has been assigned
/// to since.
///
/// Inside a branch or the body of a loop it is the gradient within: with respect to what was made in there
/// (in a body also the loop's values), or to a source from outside that the target depends on in there alone.
///
/// Throws UsageError outside of a trace; in a branch or body for a source on which the target may depend by
/// other ways, too; for a target that is no floating value; and for a source that is an eager tensor (make it
/// an argument or a variable).
std::vector<Tensor> gradients(const Tensor& target, std::initializer_list<GradientSource> sources,
                              Unconnected unconnected = Unconnected::Empty, Where where = Where::current());

} // namespace retracescope::trace
