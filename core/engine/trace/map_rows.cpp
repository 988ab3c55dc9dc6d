#include <retracescope/engine/trace/map_rows.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/engine/trace/composed.h>

namespace retracescope::trace {

namespace {

/// An array with a place for each row. Where the rows are known to be none, so is what their results would
/// be.
TensorArray placesFor(const Tensor& rows, std::optional<types::DType> dtype, std::string_view user,
                      Where where) {
    const TensorArray all = rowsOf(rows, user, where);
    if (rows.shape().hasRank() && rows.shape()[0] == 0)
        refuse(
            user,
            fmt::format("expected one row or more, got {}: without any, the shape of a result is not known",
                        types::toText(rows.type())),
            where);
    return {dtype.value_or(rows.dtype()), Operand(all.size(where), where)};
}

Tensor after(const Tensor& at, Where where) {
    return add(Operand(at, where), Operand(1, where));
}

TensorArray written(const TensorArray& so, const Tensor& at, const Tensor& value, std::string_view user,
                    Where where) {
    return composed(user, [&] { return so.write(Operand(at, where), Operand(value, where)); });
}

/// What was stacked of a result for each row, with their number if that is known.
Tensor stackedFor(const Tensor& rows, const TensorArray& results, Where where) {
    const Tensor all = results.stack(where);
    const types::Shape& shape = all.shape();
    const std::int64_t count = rows.shape().hasRank() ? rows.shape()[0] : types::Shape::kUnknown;
    if (count == types::Shape::kUnknown || !shape.hasRank() || shape[0] == count)
        return all;
    std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
    sizes[0] = count;
    if (std::ranges::count(sizes, types::Shape::kUnknown) > 1)
        return all;
    return apply(ir::Op::Reshape, std::span(&all, 1), ir::Attributes().set(ir::Attribute::Shape, sizes),
                 where);
}

} // namespace

Tensor mapRows(const Tensor& rows, const std::function<Tensor(const Tensor&)>& function,
               std::optional<types::DType> dtype, Where where) {
    const TensorArray places = placesFor(rows, dtype, "mapRows", where);
    const auto [count, results] = forEach(
        Operand(rows, where),
        [&](const Tensor& row, const Tensor& at, const TensorArray& so) {
            const Tensor result = function(row);
            requireTensor("mapRows", result, where);
            if (result.dtype() != so.dtype())
                refuse("mapRows",
                       fmt::format("expected {} from the function, got {}; say its dtype",
                                   types::dtypeName(so.dtype()), types::toText(result.type())),
                       where);
            return std::tuple(after(at, where), written(so, at, result, "mapRows", where));
        },
        std::tuple(0, places), {}, where);
    return stackedFor(rows, results, where);
}

Tensor fold(const Tensor& rows, const std::function<Tensor(const Tensor&, const Tensor&)>& function,
            const Tensor& initial, Where where) {
    return fromValue<Tensor>(forEachValue(
        rows,
        [&](const Tensor& row, const Value& sum) { return Value(function(fromValue<Tensor>(sum), row)); },
        Value(initial), {}, where, {"fold"}));
}

Tensor scan(const Tensor& rows, const std::function<Tensor(const Tensor&, const Tensor&)>& function,
            const Tensor& initial, Where where) {
    const auto [count, last, results] = forEach(
        Operand(rows, where),
        [&](const Tensor& row, const Tensor& at, const Tensor& sum, const TensorArray& so) {
            const Tensor next = function(sum, row);
            requireTensor("scan", next, where);
            if (!types::isSubtype(next.type(), sum.type()))
                refuse("scan",
                       fmt::format("expected {} from the function, as the value before it is, got {}",
                                   types::toText(sum.type()), types::toText(next.type())),
                       where);
            return std::tuple(after(at, where), next, written(so, at, next, "scan", where));
        },
        std::tuple(0, initial, placesFor(rows, initial.dtype(), "scan", where)), {}, where);
    return stackedFor(rows, results, where);
}

} // namespace retracescope::trace
