#include <retracescope/engine/trace/map_rows.h>

namespace retracescope::trace {

namespace {

/// An array with a place for each row.
TensorArray placesFor(const Tensor& rows, types::DType dtype, std::string_view user, Where where) {
    return {dtype, Operand(rowsOf(rows, user, where).size(where), where)};
}

} // namespace

Tensor mapRows(const Tensor& rows, const std::function<Tensor(const Tensor&)>& function,
               std::optional<types::DType> dtype, Where where) {
    const auto [count, results] = forEach(
        Operand(rows, where),
        [&](const Tensor& row, const Tensor& at, const TensorArray& so) {
            return std::tuple(at + 1, so.write(at, function(row)));
        },
        std::tuple(0, placesFor(rows, dtype.value_or(rows.dtype()), "mapRows", where)), {}, where);
    return results.stack(where);
}

Tensor fold(const Tensor& rows, const std::function<Tensor(const Tensor&, const Tensor&)>& function,
            const Tensor& initial, Where where) {
    return forEach(
        Operand(rows, where), [&](const Tensor& row, const Tensor& sum) { return function(sum, row); },
        initial, {}, where);
}

Tensor scan(const Tensor& rows, const std::function<Tensor(const Tensor&, const Tensor&)>& function,
            const Tensor& initial, Where where) {
    const auto [count, last, results] = forEach(
        Operand(rows, where),
        [&](const Tensor& row, const Tensor& at, const Tensor& sum, const TensorArray& so) {
            const Tensor next = function(sum, row);
            return std::tuple(at + 1, next, so.write(at, next));
        },
        std::tuple(0, initial, placesFor(rows, initial.dtype(), "scan", where)), {}, where);
    return results.stack(where);
}

} // namespace retracescope::trace
