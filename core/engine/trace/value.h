#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <retracescope/engine/trace/variable.h>
#include <retracescope/types/trace_type.h>

namespace retracescope::trace {

class Tracer;

/// Stands where a tensor is expected when a concrete function is asked for, and in an input signature.
struct TensorSpec {
    types::DType dtype = types::DType::Float32;
    types::Shape shape;
    std::string name; ///< names the argument of the graph; may be empty
};

/// Elements in memory of the host: typed by shape and dtype as a tensor is, but not held to their dtype where
/// an input signature or a concrete function demands another.
struct HostArray {
    Tensor tensor; ///< eager
};

/// Any argument or result of a traced function: a host literal, a tensor, a variable, or a structure of them.
class Value {
public:
    struct Sequence {
        bool isTuple = false;
        std::vector<Value> items;
    };
    struct Dict {
        std::vector<std::pair<types::Literal, Value>> items;
    };
    /// A C++ struct: typed by its name, the identity of its C++ type (0: the name says it all) and its
    /// fields.
    struct Struct {
        std::string name;
        std::uint64_t identity = 0;
        std::vector<std::pair<std::string, Value>> fields;
    };
    using Content =
        std::variant<types::Literal, Tensor, TensorSpec, HostArray, Variable, Sequence, Dict, Struct>;

    /// None.
    Value() = default;
    Value(types::Literal literal) : m_content(std::move(literal)) {}
    template <class T>
        requires std::is_arithmetic_v<T>
    Value(T value) : m_content(literalOf(value)) {}
    Value(const char* text) : m_content(types::Literal(text)) {}
    Value(std::string text) : m_content(types::Literal(std::move(text))) {}
    Value(Tensor tensor) : m_content(std::move(tensor)) {}
    Value(TensorSpec spec) : m_content(std::move(spec)) {}
    Value(HostArray array) : m_content(std::move(array)) {}
    template <class T>
        requires tensor::Element<std::remove_const_t<T>>
    Value(std::span<T> values)
        : m_content(HostArray{tensor::constant(std::span<const T>(values),
                                               types::Shape{static_cast<std::int64_t>(values.size())})}) {}
    Value(Variable variable) : m_content(std::move(variable)) {}
    Value(Sequence sequence) : m_content(std::move(sequence)) {}
    Value(Dict dict) : m_content(std::move(dict)) {}
    Value(Struct fields) : m_content(std::move(fields)) {}
    template <class T>
    Value(const std::vector<T>& items) : m_content(Sequence{false, {items.begin(), items.end()}}) {}
    template <class... T>
    Value(const std::tuple<T...>& items)
        : m_content(Sequence{
              true, std::apply([](const T&... item) { return std::vector<Value>{Value(item)...}; }, items)}) {
    }
    template <class T>
    Value(const std::map<std::string, T>& items) {
        Dict dict;
        for (const auto& [key, item] : items)
            dict.items.emplace_back(types::Literal(key), Value(item));
        m_content = std::move(dict);
    }

    template <class T>
    const T* as() const {
        return std::get_if<T>(&m_content);
    }
    template <class T>
    T* as() {
        return std::get_if<T>(&m_content);
    }

private:
    template <class T>
    static types::Literal literalOf(T value) {
        if constexpr (std::is_same_v<T, bool>)
            return types::Literal(value);
        else if constexpr (std::is_floating_point_v<T>)
            return types::Literal(static_cast<double>(value));
        else
            return types::Literal(static_cast<std::int64_t>(value));
    }

    Content m_content;
};

/// Numbers the distinct variables among the arguments of one call in the order they are met: which arguments
/// are one variable is part of a signature, which variable it is is not.
class AliasNumbers {
public:
    /// From 0.
    int numberOf(const Variable& variable);
    /// True the first time a variable is asked for.
    bool isNew(const Variable& variable);

private:
    std::vector<std::uint32_t> m_ids;
};

/// The trace type of a value, as written.
types::TypeId typeOfValue(const Value& value, AliasNumbers& aliases);

/// The same of a value by itself.
inline types::TypeId typeOfValue(const Value& value) {
    AliasNumbers aliases;
    return typeOfValue(value, aliases);
}

/// What the body of a function sees in the place of `original`: literals as they are, a new input of the
/// graph for each tensor and for each distinct variable. `type` may be wider than the type of `original`.
Value placeholderFor(const Value& original, types::TypeId type, std::string_view name, Tracer& tracer,
                     std::map<std::uint32_t, Tensor>& handles);

/// Appends the tensors of a value in flattening order, an empty one for a spec; a variable met before
/// contributes nothing.
void appendLeaves(const Value& value, AliasNumbers& aliases, std::vector<Tensor>& leaves);

/// All of them of the values of one call, or of one value.
std::vector<Tensor> leavesOfAll(std::span<const Value> values);
inline std::vector<Tensor> leavesOf(const Value& value) {
    return leavesOfAll(std::span(&value, 1));
}

/// A result of a body as tensors: variables are read, host values become tensors, None stays. Throws
/// UsageError for a TensorSpec.
Value resultOf(const Value& returned, Tracer& tracer, std::string_view function);

/// The structure of `type` filled with `leaves` in flattening order; None stays None.
Value packed(types::TypeId type, std::span<const Tensor> leaves, std::size_t& next);

/// As a parameter of a callable: all positional arguments behind those before it. Parameters behind it can
/// only be given by name.
template <class T>
struct Rest {
    std::vector<T> items;

    std::size_t size() const { return items.size(); }
    const T& operator[](std::size_t index) const { return items[index]; }
    auto begin() const { return items.begin(); }
    auto end() const { return items.end(); }
};

/// As the last parameter of a callable: all arguments given by other names than those of parameters.
template <class T>
struct NamedRest {
    std::map<std::string, T> items;

    std::size_t size() const { return items.size(); }
    auto begin() const { return items.begin(); }
    auto end() const { return items.end(); }
};

namespace detail {

[[noreturn]] void refuseValue(const Value& value, std::string_view expected);

template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsTuple = false;
template <class... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;

template <class T>
inline constexpr bool kIsRest = false;
template <class T>
inline constexpr bool kIsRest<Rest<T>> = true;
template <class T>
inline constexpr bool kIsNamedRest = false;
template <class T>
inline constexpr bool kIsNamedRest<NamedRest<T>> = true;

} // namespace detail

/// A value as the C++ type that a callable's parameter or a result has. Throws UsageError if it is of another
/// kind.
template <class T>
T fromValue(const Value& value);

namespace detail {

template <class T, class Stored>
T literalAs(const Value& value, std::string_view expected) {
    const auto* literal = value.as<types::Literal>();
    const Stored* stored = literal == nullptr ? nullptr : std::get_if<Stored>(&literal->value());
    if (stored == nullptr)
        refuseValue(value, expected);
    return static_cast<T>(*stored);
}

template <class T>
T tensorFrom(const Value& value) {
    if (const auto* tensor = value.as<Tensor>())
        return *tensor;
    if (const auto* literal = value.as<types::Literal>(); literal != nullptr && literal->isNone())
        return Tensor();
    refuseValue(value, "a tensor");
}

template <class T>
T itemsFrom(const Value& value) {
    const auto* sequence = value.as<Value::Sequence>();
    if constexpr (kIsVector<T>) {
        if (sequence == nullptr)
            refuseValue(value, "a list");
        T result;
        for (const Value& item : sequence->items)
            result.push_back(fromValue<typename T::value_type>(item));
        return result;
    } else if constexpr (kIsTuple<T>) {
        if (sequence == nullptr || sequence->items.size() != std::tuple_size_v<T>)
            refuseValue(value, "a tuple of " + std::to_string(std::tuple_size_v<T>));
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return T{fromValue<std::tuple_element_t<I, T>>(sequence->items[I])...};
        }(std::make_index_sequence<std::tuple_size_v<T>>());
    } else {
        const auto* dict = value.as<Value::Dict>();
        if (dict == nullptr)
            refuseValue(value, "a dict");
        T result;
        for (const auto& [key, item] : dict->items)
            result.emplace(std::get<std::string>(key.value()), fromValue<typename T::mapped_type>(item));
        return result;
    }
}

} // namespace detail

template <class T>
T fromValue(const Value& value) {
    if constexpr (std::is_same_v<T, Value>) {
        return value;
    } else if constexpr (std::is_same_v<T, Tensor>) {
        return detail::tensorFrom<T>(value);
    } else if constexpr (std::is_same_v<T, Variable>) {
        if (const auto* variable = value.as<Variable>())
            return *variable;
        detail::refuseValue(value, "a variable");
    } else if constexpr (std::is_same_v<T, bool>) {
        return detail::literalAs<T, bool>(value, "a bool");
    } else if constexpr (std::is_integral_v<T>) {
        return detail::literalAs<T, std::int64_t>(value, "an integer");
    } else if constexpr (std::is_floating_point_v<T>) {
        return detail::literalAs<T, double>(value, "a floating number");
    } else if constexpr (std::is_same_v<T, std::string>) {
        return detail::literalAs<T, std::string>(value, "text");
    } else if constexpr (detail::kIsRest<T> || detail::kIsNamedRest<T>) {
        return {fromValue<decltype(T::items)>(value)};
    } else {
        static_assert(
            detail::kIsVector<T> || detail::kIsTuple<T> || detail::kIsMap<T>,
            "a traced function takes and returns Tensor, Variable, bool, numbers, std::string, Value, and "
            "std::vector, std::tuple and std::map<std::string, ...> of them");
        return detail::itemsFrom<T>(value);
    }
}

} // namespace retracescope::trace
