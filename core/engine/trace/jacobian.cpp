#include <array>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/gradient_sources.h>
#include <retracescope/engine/trace/gradient_tape.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

using Sizes = std::vector<std::int64_t>;

/// Of a shape that has to be known.
Sizes sizesOf(types::TensorTypeId type, std::string_view user, std::string_view what, Where where) {
    if (!types::isFloating(types::dtypeOf(type)) || !types::shapeOf(type).isKnown())
        throw UsageError(fmt::format("[{}] expected a floating {} of known shape, got {}{}", user, what,
                                     types::toText(type), placeText(where)));
    const auto sizes = types::shapeOf(type).sizes();
    return {sizes.begin(), sizes.end()};
}

Sizes joined(Sizes first, std::span<const std::int64_t> second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

std::int64_t product(std::span<const std::int64_t> sizes) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes)
        count *= size;
    return count;
}

/// Zeros of that type but for ones at every element whose place is `first` modulo `period`.
Tensor onesAt(types::TensorTypeId type, std::int64_t first, std::int64_t period, Where where) {
    std::vector<double> elements(static_cast<std::size_t>(product(types::shapeOf(type).sizes())), 0.0);
    for (auto i = first; i < static_cast<std::int64_t>(elements.size()); i += period)
        elements[static_cast<std::size_t>(i)] = 1.0;
    const Tensor doubles = constant(elements, types::shapeOf(type), where);
    return types::dtypeOf(type) == types::DType::Float64 ? doubles
                                                         : cast({doubles, where}, types::dtypeOf(type));
}

Tensor inShape(const Tensor& x, const Sizes& sizes, Where where) {
    return apply(ir::Op::Reshape, std::span(&x, 1), ir::Attributes().set(ir::Attribute::Shape, sizes), where);
}

/// One behind the other along a new axis, all in `shape` in the end. Empty if all parts are.
Tensor stacked(const std::vector<Tensor>& parts, std::int64_t axis, const Sizes& partShape,
               const Sizes& shape, Where where) {
    std::vector<Tensor> all;
    bool isAny = false;
    for (const Tensor& part : parts)
        isAny = isAny || !part.isEmpty();
    if (!isAny)
        return {};
    for (const Tensor& part : parts)
        all.push_back(inShape(part, partShape, where));
    return inShape(apply(ir::Op::Concat, all, ir::Attributes().set(ir::Attribute::Axis, axis), where), shape,
                   where);
}

Tensor zerosOf(types::DType dtype, const Sizes& shape, Where where) {
    return zerosLike(onesAt(types::tensorType(dtype, types::Shape(shape)), 0, 1, where), where);
}

types::TensorTypeId typeOf(const GradientSource& source) {
    return source.isVariable() ? source.held() : source.tensor().type();
}

} // namespace

std::vector<std::vector<Tensor>> GradientTape::gradientsOfParts(const Tensor& target, std::int64_t count,
                                                                std::span<const GradientSource> sources,
                                                                Where where) {
    requireUnused(where);
    std::vector<Tensor> handles;
    for (const GradientSource& source : sources)
        handles.push_back(source.tensor());
    std::vector<std::vector<Tensor>> bySource(sources.size());
    for (std::int64_t part = 0; part < count; ++part) {
        const Tensor weight = onesAt(target.type(), part, count, where);
        std::vector<Tensor> row = m_tape.gradients(std::array{target}, std::array{weight}, handles, where);
        for (std::size_t i = 0; i < row.size(); ++i)
            bySource[i].push_back(std::move(row[i]));
    }
    noteUse();
    return bySource;
}

Value GradientTape::jacobianValue(const Tensor& target, const Value& sources, Unconnected unconnected,
                                  Where where) {
    constexpr std::string_view kUser = "GradientTape.jacobian";
    const std::vector<GradientSource> all = sourcesIn(sources, kUser, where);
    sourcesIn(target, kUser, where); // refuses an empty one
    const Sizes rows = sizesOf(target.type(), kUser, "target", where);
    std::vector<Sizes> columns;
    for (const GradientSource& source : all)
        columns.push_back(sizesOf(typeOf(source), kUser, "source", where));
    const std::int64_t count = product(rows);
    const auto gradients = gradientsOfParts(target, count, all, where);
    std::size_t next = 0;
    return mappedSources(sources, kUser, where, [&](const GradientSource& source) {
        const std::size_t i = next++;
        const Sizes shape = joined(rows, columns[i]);
        const Tensor result = stacked(gradients[i], 0, joined({1}, columns[i]), shape, where);
        return result.isEmpty() && unconnected == Unconnected::Zeros
                   ? zerosOf(types::dtypeOf(typeOf(source)), shape, where)
                   : result;
    });
}

Tensor GradientTape::batchJacobian(const Tensor& target, const GradientSource& source,
                                   Unconnected unconnected, Where where) {
    constexpr std::string_view kUser = "GradientTape.batchJacobian";
    sourcesIn(std::vector{target, source.tensor()}, kUser, where); // refuses empty ones
    const Sizes rows = sizesOf(target.type(), kUser, "target", where);
    const Sizes columns = sizesOf(typeOf(source), kUser, "source", where);
    if (rows.empty() || columns.empty() || rows[0] != columns[0])
        throw UsageError(fmt::format(
            "[{}] expected a target and a source with the same first axis, got {} and {}; use jacobian(){}",
            kUser, types::toText(target.type()), types::toText(typeOf(source)), placeText(where)));
    const std::int64_t count = product(std::span(rows).subspan(1));
    const auto gradients = gradientsOfParts(target, count, std::span(&source, 1), where);
    const Sizes ofRow = joined({rows[0], 1}, std::span(columns).subspan(1));
    const Sizes shape = joined(rows, std::span(columns).subspan(1));
    const Tensor result = stacked(gradients[0], 1, ofRow, shape, where);
    return result.isEmpty() && unconnected == Unconnected::Zeros
               ? zerosOf(types::dtypeOf(typeOf(source)), shape, where)
               : result;
}

} // namespace retracescope::trace
