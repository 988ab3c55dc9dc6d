#include <retracescope/engine/trace/gradient_sources.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

Value mappedSources(const Value& value, std::string_view user, Where where,
                    const std::function<Tensor(const GradientSource&)>& visit) {
    const auto inside = [&](const Value& item) { return mappedSources(item, user, where, visit); };
    if (const auto* tensor = value.as<Tensor>())
        return visit(*tensor);
    if (const auto* variable = value.as<Variable>())
        return visit(*variable);
    if (const auto* sequence = value.as<Value::Sequence>()) {
        Value::Sequence result{sequence->isTuple, {}};
        for (const Value& item : sequence->items)
            result.items.push_back(inside(item));
        return result;
    }
    if (const auto* dict = value.as<Value::Dict>()) {
        Value::Dict result;
        for (const auto& [key, item] : dict->items)
            result.items.emplace_back(key, inside(item));
        return result;
    }
    if (const auto* fields = value.as<Value::Struct>()) {
        Value::Struct result{fields->name, fields->identity, {}, fields->keepsHostValues};
        for (const auto& [name, item] : fields->fields)
            result.fields.emplace_back(name, inside(item));
        return result;
    }
    throw UsageError(fmt::format("[{}] expected tensors and variables, got {}{}", user,
                                 types::toText(typeOfValue(value)), placeText(where)));
}

std::vector<GradientSource> sourcesIn(const Value& value, std::string_view user, Where where) {
    std::vector<GradientSource> all;
    mappedSources(value, user, where, [&](const GradientSource& source) {
        if (source.tensor().isEmpty())
            throw UsageError(
                fmt::format("[{}] expected a tensor, got an empty one{}", user, placeText(where)));
        all.push_back(source);
        return source.tensor();
    });
    return all;
}

Tensor zerosFor(const GradientSource& source, Where where) {
    const auto held = ir::Attributes().set(ir::Attribute::Type, static_cast<std::int64_t>(source.held()));
    return zerosLike(source.isVariable()
                         ? apply(ir::Op::ReadVariable, std::span(&source.tensor(), 1), held, where)
                         : source.tensor(),
                     where);
}

} // namespace retracescope::trace
