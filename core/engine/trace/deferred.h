#pragma once

#include <functional>
#include <string>
#include <vector>

#include <retracescope/engine/trace/value.h>

namespace retracescope::trace {

/// A value of the surrounding program that a graph asks for at every call.
struct DeferredCapture {
    types::TensorTypeId type = types::TensorTypeId::None;
    std::string name;
    std::function<Tensor()> value;
    Tensor ofTrace =
        {}; ///< the tensor of another trace that it stands for: one around this, or one that is over

    /// Asks. Throws UsageError if the value does not fit the type.
    Tensor now(std::string_view function) const;
};

/// Inside a traced function: a tensor that stands for what `value` returns at each call of it, so that
/// another value needs no trace. It must fit `spec`, else the call throws UsageError. Outside, and when
/// functions run eagerly, the value itself.
///
///     Function f("f", {"x"}, [&](Tensor x) {
///         return x * deferred({DType::Float32, Shape{}, "rate"}, [&] { return constant(rate); });
///     });
Tensor deferred(const TensorSpec& spec, std::function<Tensor()> value, Where where = Where::current());

} // namespace retracescope::trace
