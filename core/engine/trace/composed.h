#pragma once

#include <source_location>
#include <string_view>

#include <retracescope/base/check.h>
#include <retracescope/engine/tensor/tensor.h>
#include <retracescope/types/shape.h>

/// For ops that are written with other ops.
namespace retracescope::trace {

/// The same mistake as one of `op`: "[concat] ranks differ" becomes "[stack] ranks differ".
UsageError toldBy(std::string_view op, const UsageError& error);

/// What `make` returns. What the ops in it refuse is told by `op`, which is what the user has called. Not
/// around functions of the user: their mistakes are their own.
template <class Make>
auto composed(std::string_view op, const Make& make) {
    try {
        return make();
    } catch (const UsageError& error) {
        throw toldBy(op, error);
    }
}

/// Throws UsageError of `op` for an empty tensor.
void requireTensor(std::string_view op, const tensor::Tensor& x, std::source_location where);

/// int32 or int64: what sizes, lengths, labels and indices are.
bool isIndex(types::DType dtype);
/// Whether both may turn out to be one shape when a graph runs.
bool mayAgree(const types::Shape& a, const types::Shape& b);
/// [2,3] of [2,3,4].
types::Shape withoutLastAxis(const types::Shape& shape);

} // namespace retracescope::trace
