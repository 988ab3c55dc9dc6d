#include <retracescope/engine/trace/value.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/host_values.h>
#include <retracescope/engine/trace/tracer.h>
#include <retracescope/types/binding.h>

namespace retracescope::trace {

namespace {

using types::TypeId;
using types::TypeKind;

types::TensorTypeId handleType() {
    return types::tensorType(types::DType::Resource, types::Shape{});
}

std::string itemName(std::string_view name, const types::Literal& key) {
    const auto* text = std::get_if<std::string>(&key.value());
    return fmt::format("{}_{}", name, text != nullptr ? types::sanitizedName(*text) : types::toText(key));
}

TypeId typeOfObject(const Value::Object& object, AliasNumbers& aliases) {
    const ObjectClass& itsClass = *object.itsClass;
    if (itsClass.key == nullptr)
        return types::objectType(itsClass.name, types::identityOf(object.pointer, itsClass));
    const TypeId key = typeOfValue(itsClass.key(object.pointer.get()), aliases);
    if (types::leafCount(key) > 0)
        throw UsageError(fmt::format("[{}] traceKey() must say it in host values, got {}", itsClass.name,
                                     types::toText(key)));
    return types::namedType(itsClass.name, {{"key", key}}, reinterpret_cast<std::uintptr_t>(&itsClass));
}

} // namespace

int AliasNumbers::numberOf(const Variable& variable) {
    const std::span few = std::span(m_few).first(std::min(m_count, m_few.size()));
    if (const auto known = std::ranges::find(few, variable.id()); known != few.end())
        return static_cast<int>(known - few.begin());
    if (const auto known = std::ranges::find(m_more, variable.id()); known != m_more.end())
        return static_cast<int>(few.size()) + static_cast<int>(known - m_more.begin());
    if (m_count < m_few.size())
        m_few[m_count] = variable.id();
    else
        m_more.push_back(variable.id());
    return static_cast<int>(m_count++);
}

bool AliasNumbers::isNew(const Variable& variable) {
    const std::size_t before = m_count;
    numberOf(variable);
    return m_count > before;
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
    if (const auto* array = value.as<HostArray>())
        return types::tensorSpec(array->tensor.type());
    if (const auto* variable = value.as<Variable>())
        return types::variableType(variable->type(), variable->isTrainable(), aliases.numberOf(*variable));
    if (const auto* stream = value.as<Value::Stream>())
        return stream->type;
    if (const auto* sequence = value.as<Value::Sequence>()) {
        std::vector<TypeId> items;
        for (const Value& item : sequence->items)
            items.push_back(typeOfValue(item, aliases));
        return sequence->isTuple ? types::tupleType(items) : types::listType(items);
    }
    if (const auto* object = value.as<Value::Object>())
        return typeOfObject(*object, aliases);
    std::vector<std::pair<types::Literal, TypeId>> entries;
    if (const auto* fields = value.as<Value::Struct>()) {
        for (const auto& [name, item] : fields->fields)
            entries.emplace_back(name, typeOfValue(item, aliases));
        return types::namedType(fields->name, entries, fields->identity);
    }
    for (const auto& [key, item] : value.as<Value::Dict>()->items)
        entries.emplace_back(key, typeOfValue(item, aliases));
    return types::dictType(entries);
}

namespace {

/// Inputs are made in flattening order, the body sees the order of the call.
Value fieldPlaceholders(const Value& original, const types::TraceType& facts, std::string_view name,
                        Tracer& tracer, std::map<std::uint32_t, Tensor>& handles) {
    Value result = original;
    const std::vector<std::size_t> order = types::flatteningOrder(facts);
    const auto items = flattened(original);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t at = order[i];
        Value inside = placeholderFor(*items[i].second, facts.items[at], itemName(name, facts.keys[at]),
                                      tracer, handles);
        if (auto* dict = result.as<Value::Dict>())
            dict->items[at].second = std::move(inside);
        else
            result.as<Value::Struct>()->fields[at].second = std::move(inside);
    }
    return result;
}

} // namespace

Value placeholderFor(const Value& original, TypeId type, std::string_view name, Tracer& tracer,
                     std::map<std::uint32_t, Tensor>& handles) {
    if (original.as<Value::Object>() != nullptr)
        return original;
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
        tracer.noteVariable(handle, variable->storage());
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
    case TypeKind::Dict:
    case TypeKind::Named:
        return fieldPlaceholders(original, facts, name, tracer, handles);
    case TypeKind::Dataset:
    case TypeKind::Iterator:
        return Value::Stream{tracer.addInput(handleType(), name), type};
    case TypeKind::Object:
        break;
    }
    RETRACESCOPE_CHECK(false);
    return {};
}

std::vector<std::pair<types::Literal, const Value*>> flattened(const Value& value) {
    std::vector<std::pair<types::Literal, const Value*>> result;
    if (const auto* dict = value.as<Value::Dict>()) {
        for (const auto& [key, item] : dict->items)
            result.emplace_back(key, &item);
        std::ranges::sort(result,
                          [](const auto& a, const auto& b) { return types::keyOrder(a.first, b.first) < 0; });
    } else if (const auto* fields = value.as<Value::Struct>()) {
        for (const auto& [name, item] : fields->fields)
            result.emplace_back(name, &item);
    }
    return result;
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
    } else if (const auto* array = value.as<HostArray>()) {
        leaves.push_back(array->tensor);
    } else if (const auto* stream = value.as<Value::Stream>()) {
        leaves.push_back(stream->handle);
    } else if (value.as<TensorSpec>() != nullptr) {
        leaves.emplace_back();
    } else {
        for (const auto& [key, item] : flattened(value))
            appendLeaves(*item, aliases, leaves);
    }
}

namespace {

/// Makes tensors of what a body returned.
class Results {
public:
    /// Without a tracer, tensors are what they are.
    Results(Tracer* tracer, std::string_view function) : m_tracer(tracer), m_function(function) {}

    Value of(const Value& returned, bool keepsHostValues = false) const {
        if (const auto* tensor = returned.as<Tensor>())
            return tensor->isEmpty() ? Value() : Value(used(*tensor));
        if (const auto* literal = returned.as<types::Literal>())
            return literal->isNone() || keepsHostValues
                       ? returned
                       : embedded(tensorOf(*literal, fmt::format("[{}] ", m_function)));
        if (const auto* variable = returned.as<Variable>())
            return variable->read({});
        if (const auto* array = returned.as<HostArray>())
            return embedded(array->tensor);
        if (const auto* stream = returned.as<Value::Stream>())
            return Value::Stream{used(stream->handle), stream->type};
        Value result = returned;
        if (auto* sequence = result.as<Value::Sequence>()) {
            for (Value& item : sequence->items)
                item = of(item, keepsHostValues);
        } else if (auto* dict = result.as<Value::Dict>()) {
            for (auto& [key, item] : dict->items)
                item = of(item, keepsHostValues);
        } else if (auto* fields = result.as<Value::Struct>()) {
            for (auto& [name, item] : fields->fields)
                item = of(item, keepsHostValues || fields->keepsHostValues);
        } else {
            throw UsageError(
                fmt::format("[{}] must return tensors, variables, host values or None, got {}", m_function,
                            returned.as<Value::Object>() != nullptr ? "an object" : "a tensor spec"));
        }
        return result;
    }

private:
    Tensor used(const Tensor& tensor) const {
        return m_tracer == nullptr ? tensor : m_tracer->tensorOf(m_tracer->nodeOf(tensor, m_function));
    }
    Value embedded(const Tensor& tensor) const {
        return m_tracer == nullptr ? tensor : m_tracer->embed(tensor, {});
    }

    Tracer* const m_tracer;
    std::string_view m_function;
};

} // namespace

Value resultOf(const Value& returned, Tracer& tracer, std::string_view function) {
    return Results(&tracer, function).of(returned);
}

Value eagerResultOf(const Value& returned, std::string_view function) {
    return Results(nullptr, function).of(returned);
}

Value withoutHostArrays(Value value) {
    if (const auto* array = value.as<HostArray>())
        return array->tensor;
    if (auto* sequence = value.as<Value::Sequence>())
        for (Value& item : sequence->items)
            item = withoutHostArrays(std::move(item));
    if (auto* dict = value.as<Value::Dict>())
        for (auto& [key, item] : dict->items)
            item = withoutHostArrays(std::move(item));
    if (auto* fields = value.as<Value::Struct>())
        for (auto& [name, item] : fields->fields)
            item = withoutHostArrays(std::move(item));
    return value;
}

std::vector<Tensor> leavesOfAll(std::span<const Value> values) {
    std::vector<Tensor> leaves;
    AliasNumbers aliases;
    for (const Value& value : values)
        appendLeaves(value, aliases, leaves);
    return leaves;
}

std::string detail::literalMisfit(std::uint64_t given) {
    return fmt::format("expected a whole number up to 2^63 - 1, got {}; pass a larger one as a tensor",
                       given);
}

detail::WrongValue::WrongValue(std::string_view itsExpectation, std::string itsType)
    : UsageError(fmt::format("[argument] expected {}, got {}", itsExpectation, itsType)),
      expected(itsExpectation), given(std::move(itsType)) {}

void detail::refuseWrong(const WrongValue& wrong, std::string_view op, Where where) {
    refuse(op, fmt::format("expected {}, got {}", wrong.expected, wrong.given), where);
}

void detail::refuseValue(const Value& value, std::string_view expected) {
    throw WrongValue(expected, types::toText(typeOfValue(value)));
}

namespace {

/// The structure of `type`; leafOf(leaf) makes what stands at a leaf of it, in flattening order.
template <class LeafOf>
Value structureOf(TypeId type, const LeafOf& leafOf) {
    const types::TraceType& facts = types::typeOf(type);
    switch (facts.kind) {
    case TypeKind::Tensor:
    case TypeKind::Variable:
    case TypeKind::Dataset:
    case TypeKind::Iterator:
        return leafOf(type);
    case TypeKind::List:
    case TypeKind::Tuple: {
        Value::Sequence result{facts.kind == TypeKind::Tuple, {}};
        for (const TypeId item : facts.items)
            result.items.push_back(structureOf(item, leafOf));
        return result;
    }
    case TypeKind::Dict:
    case TypeKind::Named: {
        std::vector<Value> items(facts.items.size());
        for (const std::size_t at : types::flatteningOrder(facts))
            items[at] = structureOf(facts.items[at], leafOf);
        if (facts.kind == TypeKind::Dict) {
            Value::Dict dict;
            for (std::size_t i = 0; i < items.size(); ++i)
                dict.items.emplace_back(facts.keys[i], std::move(items[i]));
            return dict;
        }
        Value::Struct fields{facts.name, facts.identity, {}, facts.identity != 0};
        for (std::size_t i = 0; i < items.size(); ++i)
            fields.fields.emplace_back(std::get<std::string>(facts.keys[i].value()), std::move(items[i]));
        return fields;
    }
    case TypeKind::Literal:
        return facts.literal;
    case TypeKind::Object:
        break;
    }
    return {};
}

} // namespace

Value packed(TypeId type, std::span<const Tensor> leaves, std::size_t& next) {
    return structureOf(type, [&](TypeId leaf) -> Value {
        const TypeKind kind = types::typeOf(leaf).kind;
        if (kind == TypeKind::Variable)
            return {};
        return kind == TypeKind::Tensor ? Value(leaves[next++]) : Value(Value::Stream{leaves[next++], leaf});
    });
}

Value specOf(TypeId type) {
    if (type == TypeId::None)
        return {};
    return structureOf(type, [](TypeId leaf) {
        const types::TraceType& facts = types::typeOf(leaf);
        const bool holdsTensor = facts.kind == TypeKind::Tensor || facts.kind == TypeKind::Variable;
        return holdsTensor
                   ? Value(TensorSpec{types::dtypeOf(facts.tensor), types::shapeOf(facts.tensor), facts.name})
                   : Value(Value::Stream{Tensor(), leaf});
    });
}

} // namespace retracescope::trace
