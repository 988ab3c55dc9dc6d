#include <retracescope/engine/trace/cast.h>

#include <algorithm>
#include <complex>
#include <optional>

#include <fmt/format.h>

#include <retracescope/engine/trace/host_values.h>
#include <retracescope/types/binding.h>

namespace retracescope::trace {

namespace {

using types::Literal;
using types::TypeId;
using types::TypeKind;

/// Casts the parts of one argument.
class Caster {
public:
    Caster(std::string_view what, const Policy& policy) : m_what(what), m_policy(policy) {}

    Value cast(const Value& value, TypeId expected, const std::string& place) const {
        if (value.as<Value::Object>() != nullptr)
            return unchanged(value, expected, place);
        const types::TraceType& target = types::typeOf(expected);
        switch (target.kind) {
        case TypeKind::Tensor:
            return toTensor(value, expected, place);
        case TypeKind::Literal:
            return toLiteral(value, expected, place);
        case TypeKind::List:
        case TypeKind::Tuple:
            return toSequence(value, expected, place);
        case TypeKind::Dict:
        case TypeKind::Named:
            return toFields(value, expected, place);
        case TypeKind::Variable:
            return toVariable(value, expected, place);
        case TypeKind::Object:
        case TypeKind::Dataset:
        case TypeKind::Iterator:
            break;
        }
        return unchanged(value, expected, place);
    }

private:
    Value toTensor(const Value& value, TypeId expected, const std::string& place) const {
        const types::TraceType& target = types::typeOf(expected);
        if (value.as<TensorSpec>() != nullptr) {
            unchanged(value, expected, place);
            return TensorSpec{types::dtypeOf(target.tensor), types::shapeOf(target.tensor), target.name};
        }
        if (const auto* variable = value.as<Variable>())
            return unchanged(variable->read(), expected, place);
        if (value.as<Tensor>() != nullptr)
            return unchanged(value, expected, place);
        Elements elements;
        const auto shape = gather(value, elements);
        if (!shape || std::ranges::any_of(elements.literals, &Literal::isNone) ||
            (elements.hasBoolArrays && !elements.isArray &&
             types::dtypeOf(target.tensor) != types::DType::Bool))
            refuse(value, expected, place);
        return unchanged(made(elements, types::dtypeOf(target.tensor), *shape, place), expected, place);
    }

    /// Which arguments are one variable is not for one argument to say.
    Value toVariable(const Value& value, TypeId expected, const std::string& place) const {
        const types::TraceType& target = types::typeOf(expected);
        const auto* variable = value.as<Variable>();
        if (variable == nullptr || variable->isTrainable() != target.trainable ||
            !types::isSubtype(variable->type(), target.tensor))
            refuse(value, expected, place);
        return value;
    }

    Value toLiteral(const Value& value, TypeId expected, const std::string& place) const {
        const Literal& wanted = types::typeOf(expected).literal;
        std::optional<Literal> given;
        if (const auto* literal = value.as<Literal>())
            given = *literal;
        else if (const auto* tensor = eagerTensorOf(value);
                 tensor != nullptr && isReadable(*tensor) && tensor->elements() == 1)
            given = literalAt(*tensor, 0);
        const bool isEqual = given && (m_policy.sharesEqualLiterals
                                           ? types::sharedLiteral(*given) == types::sharedLiteral(wanted)
                                           : *given == wanted);
        if (!isEqual)
            refuse(value, expected, place);
        return wanted;
    }

    Value toSequence(const Value& value, TypeId expected, const std::string& place) const {
        const types::TraceType& target = types::typeOf(expected);
        const bool isTuple = target.kind == TypeKind::Tuple;
        const auto sequence = sequenceOf(value);
        if (!sequence || sequence->isTuple != isTuple || sequence->items.size() != target.items.size())
            refuse(value, expected, place);
        Value::Sequence result{isTuple, {}};
        for (std::size_t i = 0; i < target.items.size(); ++i)
            result.items.push_back(
                cast(sequence->items[i], target.items[i], fmt::format("{}[{}]", place, i)));
        return result;
    }

    Value toFields(const Value& value, TypeId expected, const std::string& place) const {
        const types::TraceType& target = types::typeOf(expected);
        Value result = value;
        std::vector<std::pair<Literal, Value*>> entries;
        if (auto* dict = result.as<Value::Dict>(); dict != nullptr && target.kind == TypeKind::Dict) {
            for (auto& [key, item] : dict->items)
                entries.emplace_back(key, &item);
        } else if (auto* fields = result.as<Value::Struct>();
                   fields != nullptr && target.kind == TypeKind::Named && isTakenAs(*fields, target)) {
            fields->name = target.name;
            for (auto& [name, item] : fields->fields)
                entries.emplace_back(name, &item);
        } else {
            refuse(value, expected, place);
        }
        if (entries.size() != target.items.size())
            refuse(value, expected, place);
        for (auto& [key, item] : entries) {
            const auto at = std::ranges::find_if(target.keys, [&](const Literal& wanted) {
                return m_policy.sharesEqualLiterals
                           ? types::sharedLiteral(wanted) == types::sharedLiteral(key)
                           : wanted == key;
            });
            if (at == target.keys.end())
                refuse(value, expected, place);
            const auto row = static_cast<std::size_t>(at - target.keys.begin());
            *item = cast(*item, target.items[row], fmt::format("{}[{}]", place, types::toText(key)));
        }
        return result;
    }

    /// Whether a struct may stand where `target` is expected; named tuples of Python are told apart by their
    /// fields' names alone.
    bool isTakenAs(const Value::Struct& fields, const types::TraceType& target) const {
        return isNamedTuple(fields) ||
               (fields.name == target.name && (m_policy.namesStructs || fields.identity == target.identity));
    }
    bool isNamedTuple(const Value::Struct& fields) const {
        return m_policy.namesStructs && !fields.keepsHostValues;
    }

    /// A list or a tuple; a named tuple of Python is one, too.
    std::optional<Value::Sequence> sequenceOf(const Value& value) const {
        if (const auto* sequence = value.as<Value::Sequence>())
            return *sequence;
        const auto* fields = value.as<Value::Struct>();
        if (fields == nullptr || !isNamedTuple(*fields))
            return std::nullopt;
        Value::Sequence items{true, {}};
        for (const auto& [name, item] : fields->fields)
            items.items.push_back(item);
        return items;
    }

    /// `value` as it is, if its type fits.
    Value unchanged(const Value& value, TypeId expected, const std::string& place) const {
        const TypeId given = types::cacheKey(typeOfValue(value), m_policy.keyRules());
        if (types::castProblem(given, types::cacheKey(expected, m_policy.keyRules())))
            refuse(value, expected, place);
        return value;
    }

    /// What nested lists hold, in row-major order.
    struct Elements {
        std::vector<Literal> literals;
        bool isArray = true; ///< one, or only tensors
        bool hasBoolArrays = false;
    };

    /// The shape of what nested lists of literals, host arrays, variables and eager tensors hold; none if
    /// they hold anything else or are ragged.
    std::optional<types::Shape> gather(const Value& value, Elements& elements) const {
        if (const auto* literal = value.as<Literal>()) {
            elements.isArray = false;
            elements.literals.push_back(*literal);
            return types::Shape{};
        }
        if (const auto* variable = value.as<Variable>())
            return gather(variable->read(), elements);
        if (const Tensor* tensor = eagerTensorOf(value); tensor != nullptr && isReadable(*tensor)) {
            for (std::int64_t i = 0; i < tensor->elements(); ++i)
                elements.literals.push_back(literalAt(*tensor, i));
            return tensor->shape();
        }
        const auto sequence = sequenceOf(value);
        if (!sequence)
            return std::nullopt;
        std::optional<types::Shape> common;
        for (const Value& item : sequence->items) {
            const auto shape = gather(item, elements);
            const auto* array = item.as<HostArray>();
            elements.isArray = elements.isArray && array == nullptr;
            elements.hasBoolArrays =
                elements.hasBoolArrays || (array != nullptr && array->tensor.dtype() == types::DType::Bool);
            if (!shape || (common && *common != *shape))
                return std::nullopt;
            common = shape;
        }
        std::vector<std::int64_t> sizes{static_cast<std::int64_t>(sequence->items.size())};
        if (common)
            sizes.insert(sizes.end(), common->sizes().begin(), common->sizes().end());
        return types::Shape(sizes);
    }

    Tensor made(const Elements& elements, types::DType dtype, const types::Shape& shape,
                const std::string& place) const {
        const Conversion conversion = !m_policy.convertsLossily ? Conversion::Exact
                                      : elements.isArray        ? Conversion::AsNumPy
                                                                : Conversion::AsTensorFlow;
        try {
            return tensorOf(elements.literals, dtype, shape, start(place), conversion);
        } catch (const UsageError& error) {
            throw types::CastError(error.what());
        }
    }

    static const Tensor* eagerTensorOf(const Value& value) {
        if (const auto* array = value.as<HostArray>())
            return &array->tensor;
        const auto* tensor = value.as<Tensor>();
        return tensor != nullptr && tensor->isEager() ? tensor : nullptr;
    }
    static bool isReadable(const Tensor& tensor) { return tensor.dtype() < types::DType::Resource; }

    std::string start(const std::string& place) const {
        return fmt::format("{}{}", m_what, place.empty() ? "" : place + ": ");
    }

    [[noreturn]] void refuse(const Value& value, TypeId expected, const std::string& place) const {
        throw types::CastError(fmt::format("{}expected {}, got {}", start(place), types::toText(expected),
                                           types::toText(typeOfValue(value))));
    }

    std::string_view m_what;
    const Policy& m_policy;
};

} // namespace

Value castTo(const Value& value, TypeId expected, std::string_view what, const Policy& policy) {
    return Caster(what, policy).cast(value, expected, {});
}

} // namespace retracescope::trace
