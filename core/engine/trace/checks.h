#pragma once

#include <initializer_list>
#include <string_view>

#include <retracescope/engine/runtime/checks.h>
#include <retracescope/engine/trace/ops.h>

namespace retracescope::trace {

/// Throws UsageError "[assert] text: values" with the user's line unless `condition`, a bool scalar, is true.
/// Inside a traced function it is checked on every run, in program order with prints and host calls, whether
/// or not anything depends on it; the run ends there (tf.debugging.Assert).
///
///     assertTrue(reduceMin(x) > 0.0f, "expected positive numbers", {x});
void assertTrue(const Operand& condition, std::string_view text = {},
                std::initializer_list<Tensor> values = {});

/// `x`, which is of a floating dtype; throws UsageError that names `text` and says how many NaNs and
/// infinities it holds, if any (tf.debugging.check_numerics). Inside a traced function on every run that
/// needs the result.
Tensor checkNumerics(const Operand& x, std::string_view text = {});

using runtime::enableCheckNumerics;

/// While alive, the results of all floating ops are checked, as enableCheckNumerics(true) says.
class CheckNumericsScope {
public:
    CheckNumericsScope() : m_before(enableCheckNumerics(true)) {}
    ~CheckNumericsScope() { enableCheckNumerics(m_before); }
    CheckNumericsScope(const CheckNumericsScope&) = delete;
    CheckNumericsScope& operator=(const CheckNumericsScope&) = delete;

private:
    const bool m_before;
};

} // namespace retracescope::trace
