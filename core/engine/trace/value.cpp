#include <retracescope/engine/trace/value.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/tracer.h>
#include <retracescope/types/binding.h>

namespace retracescope::trace {

namespace {

using types::TypeId;
using types::TypeKind;

types::TensorTypeId handleType() {
    return types::tensorType(types::DType::Resource, types::Shape{});
}

/// A host literal as an eager scalar: int32 (int64 if it does not fit), float32, bool or string.
Tensor tensorOf(const types::Literal& literal, std::string_view what) {
    if (const auto* flag = std::get_if<bool>(&literal.value()))
        return tensor::constant(*flag);
    if (const auto* integer = std::get_if<std::int64_t>(&literal.value()))
        return *integer == static_cast<std::int32_t>(*integer)
                   ? tensor::constant(static_cast<std::int32_t>(*integer))
                   : tensor::constant(*integer);
    if (const auto* number = std::get_if<double>(&literal.value()))
        return tensor::constant(static_cast<float>(*number));
    if (const auto* text = std::get_if<std::string>(&literal.value()))
        return tensor::constant(std::string_view(*text));
    if (const auto* bytes = std::get_if<types::Literal::Bytes>(&literal.value()))
        return tensor::constant(std::string_view(bytes->value));
    throw UsageError(fmt::format("{}expected a tensor, got None", what));
}

Tensor tensorAs(const types::Literal& literal, types::DType dtype, std::string_view what) {
    const Tensor host = tensorOf(literal, what);
    if (host.dtype() == dtype)
        return host;
    // A float stays exact on its way to float64.
    if (const auto* number = std::get_if<double>(&literal.value());
        number != nullptr && dtype == types::DType::Float64)
        return tensor::constant(*number);
    try {
        return hostScalarAs(host, dtype, "cast");
    } catch (const UsageError&) {
        throw UsageError(fmt::format("{}expected {}, got the host value {}", what, types::dtypeName(dtype),
                                     types::toText(literal)));
    }
}

std::string itemName(std::string_view name, const types::Literal& key) {
    const auto* text = std::get_if<std::string>(&key.value());
    return fmt::format("{}_{}", name, text != nullptr ? types::sanitizedName(*text) : types::toText(key));
}

/// Items of a dict in the order of its type.
std::vector<const Value*> sortedItems(const Value::Dict& dict) {
    std::vector<const std::pair<types::Literal, Value>*> entries;
    for (const auto& entry : dict.items)
        entries.push_back(&entry);
    std::ranges::sort(entries, {}, [](const auto* entry) { return types::toText(entry->first); });
    std::vector<const Value*> result;
    for (const auto* entry : entries)
        result.push_back(&entry->second);
    return result;
}

} // namespace

int AliasNumbers::numberOf(const Variable& variable) {
    const auto known = std::ranges::find(m_ids, variable.id());
    if (known != m_ids.end())
        return static_cast<int>(known - m_ids.begin());
    m_ids.push_back(variable.id());
    return static_cast<int>(m_ids.size()) - 1;
}

bool AliasNumbers::isNew(const Variable& variable) {
    const std::size_t before = m_ids.size();
    numberOf(variable);
    return m_ids.size() > before;
}

TypeId typeOfValue(const Value& value, AliasNumbers& aliases) {
    if (const auto* literal = value.as<types::Literal>())
        return types::literalType(*literal);
    if (const auto* tensor = value.as<Tensor>()) {
        if (tensor->isEmpty())
            return types::literalType({});
        return types::tensorSpec(tensor->type());
    }
    if (const auto* spec = value.as<TensorSpec>())
        return types::tensorSpec(types::tensorType(spec->dtype, spec->shape), spec->name);
    if (const auto* variable = value.as<Variable>())
        return types::variableType(variable->type(), variable->isTrainable(), aliases.numberOf(*variable));
    if (const auto* sequence = value.as<Value::Sequence>()) {
        std::vector<TypeId> items;
        for (const Value& item : sequence->items)
            items.push_back(typeOfValue(item, aliases));
        return sequence->isTuple ? types::tupleType(items) : types::listType(items);
    }
    std::vector<std::pair<types::Literal, TypeId>> entries;
    for (const auto& [key, item] : value.as<Value::Dict>()->items)
        entries.emplace_back(key, typeOfValue(item, aliases));
    return types::dictType(std::move(entries));
}

Value placeholderFor(const Value& original, TypeId type, std::string_view name, Tracer& tracer,
                     std::map<std::uint32_t, Tensor>& handles) {
    const types::TraceType& facts = types::typeOf(type);
    switch (facts.kind) {
    case TypeKind::Literal:
        return original.as<Tensor>() != nullptr ? Value(Tensor()) : original;
    case TypeKind::Tensor:
        return tracer.addInput(facts.tensor, facts.name.empty() ? name : facts.name);
    case TypeKind::Variable: {
        const auto* variable = original.as<Variable>();
        Tensor& handle = handles[variable->id()];
        if (handle.isEmpty())
            handle = tracer.addInput(handleType(), name);
        return Variable(*variable, handle, facts.tensor);
    }
    case TypeKind::List:
    case TypeKind::Tuple: {
        Value::Sequence result{facts.kind == TypeKind::Tuple, {}};
        const auto& items = original.as<Value::Sequence>()->items;
        for (std::size_t i = 0; i < items.size(); ++i)
            result.items.push_back(
                placeholderFor(items[i], facts.items[i], fmt::format("{}_{}", name, i), tracer, handles));
        return result;
    }
    case TypeKind::Dict: {
        Value::Dict result;
        const auto items = sortedItems(*original.as<Value::Dict>());
        for (std::size_t i = 0; i < items.size(); ++i)
            result.items.emplace_back(
                facts.keys[i],
                placeholderFor(*items[i], facts.items[i], itemName(name, facts.keys[i]), tracer, handles));
        return result;
    }
    case TypeKind::Named:
    case TypeKind::Object:
        break;
    }
    CHECK(false);
    return {};
}

Value castTo(const Value& value, TypeId expected, std::string_view what) {
    const types::TraceType& target = types::typeOf(expected);
    if (target.kind == TypeKind::Tensor) {
        if (const auto* literal = value.as<types::Literal>())
            return castTo(tensorAs(*literal, types::dtypeOf(target.tensor), what), expected, what);
        if (const auto* variable = value.as<Variable>())
            return castTo(variable->read(), expected, what);
    }
    const auto* sequence = value.as<Value::Sequence>();
    if (sequence != nullptr && sequence->items.size() == target.items.size() &&
        target.kind == (sequence->isTuple ? TypeKind::Tuple : TypeKind::List)) {
        Value::Sequence result{sequence->isTuple, {}};
        for (std::size_t i = 0; i < target.items.size(); ++i)
            result.items.push_back(
                castTo(sequence->items[i], target.items[i], fmt::format("{}[{}]: ", what, i)));
        return result;
    }
    const auto* dict = value.as<Value::Dict>();
    if (dict != nullptr && target.kind == TypeKind::Dict && dict->items.size() == target.items.size()) {
        Value::Dict result;
        const auto items = sortedItems(*dict);
        for (std::size_t i = 0; i < items.size(); ++i)
            result.items.emplace_back(target.keys[i], castTo(*items[i], target.items[i], what));
        AliasNumbers own;
        if (types::typeOf(typeOfValue(value, own)).keys == target.keys)
            return result;
    }
    AliasNumbers aliases;
    if (const auto problem = types::castProblem(typeOfValue(value, aliases), expected))
        throw UsageError(fmt::format("{}{}", what, *problem));
    return value;
}

void appendLeaves(const Value& value, AliasNumbers& aliases, std::vector<Tensor>& leaves) {
    if (const auto* tensor = value.as<Tensor>()) {
        if (!tensor->isEmpty())
            leaves.push_back(*tensor);
    } else if (const auto* variable = value.as<Variable>()) {
        if (aliases.isNew(*variable))
            leaves.push_back(variable->handle());
    } else if (const auto* sequence = value.as<Value::Sequence>()) {
        for (const Value& item : sequence->items)
            appendLeaves(item, aliases, leaves);
    } else if (const auto* dict = value.as<Value::Dict>()) {
        for (const Value* item : sortedItems(*dict))
            appendLeaves(*item, aliases, leaves);
    }
}

Value resultOf(const Value& returned, Tracer& tracer, std::string_view function) {
    if (const auto* tensor = returned.as<Tensor>())
        return tensor->isEmpty() ? Value() : Value(tracer.tensorOf(tracer.nodeOf(*tensor, function)));
    if (const auto* literal = returned.as<types::Literal>())
        return literal->isNone()
                   ? Value()
                   : Value(tracer.embed(tensorOf(*literal, function), std::source_location::current()));
    if (const auto* variable = returned.as<Variable>())
        return variable->read();
    if (const auto* sequence = returned.as<Value::Sequence>()) {
        Value::Sequence result{sequence->isTuple, {}};
        for (const Value& item : sequence->items)
            result.items.push_back(resultOf(item, tracer, function));
        return result;
    }
    if (const auto* dict = returned.as<Value::Dict>()) {
        Value::Dict result;
        for (const auto& [key, item] : dict->items)
            result.items.emplace_back(key, resultOf(item, tracer, function));
        return result;
    }
    throw UsageError(
        fmt::format("[{}] must return tensors, variables, host values or None, got a tensor spec", function));
}

void detail::refuseValue(const Value& value, std::string_view expected) {
    AliasNumbers aliases;
    throw UsageError(fmt::format("[argument] the callable's parameter expects {}, got {}", expected,
                                 types::toText(typeOfValue(value, aliases))));
}

Value packed(TypeId type, std::span<const Tensor> leaves, std::size_t& next) {
    const types::TraceType& facts = types::typeOf(type);
    switch (facts.kind) {
    case TypeKind::Tensor:
        return leaves[next++];
    case TypeKind::List:
    case TypeKind::Tuple: {
        Value::Sequence result{facts.kind == TypeKind::Tuple, {}};
        for (const TypeId item : facts.items)
            result.items.push_back(packed(item, leaves, next));
        return result;
    }
    case TypeKind::Dict: {
        Value::Dict result;
        for (std::size_t i = 0; i < facts.items.size(); ++i)
            result.items.emplace_back(facts.keys[i], packed(facts.items[i], leaves, next));
        return result;
    }
    default:
        return {};
    }
}

} // namespace retracescope::trace
