#pragma once

#include <functional>
#include <optional>

#include <retracescope/engine/trace/loop.h>

/// Functions of all rows of a tensor along its leading axis. Staged inside a traced function, whose number of
/// rows may be unknown; the host loops outside. Throws UsageError for a scalar, which has no rows.
namespace retracescope::trace {

/// `function(row)` of every row, stacked (tf.map_fn). All results have one shape, and `dtype` or else that of
/// the rows. Without any row the shape of a result is not known: UsageError.
///
///     mapRows(images, [](Tensor image) { return reduceMean(image); });
Tensor mapRows(const Tensor& rows, const std::function<Tensor(const Tensor&)>& function,
               std::optional<types::DType> dtype = std::nullopt, Where where = Where::current());

/// `function(sum, row)` from the first row to the last, where sum is what it returned for the row before, or
/// `initial` (tf.foldl).
Tensor fold(const Tensor& rows, const std::function<Tensor(const Tensor&, const Tensor&)>& function,
            const Tensor& initial, Where where = Where::current());

/// All values that fold() passes, stacked: as many as rows, of which there must be one (tf.scan).
///
///     scan(x, [](Tensor sum, Tensor row) { return sum + row; }, constant(0.0f));
Tensor scan(const Tensor& rows, const std::function<Tensor(const Tensor&, const Tensor&)>& function,
            const Tensor& initial, Where where = Where::current());

} // namespace retracescope::trace
