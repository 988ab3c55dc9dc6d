#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/variable.h>
#include <retracescope/types/object.h>
#include <retracescope/types/trace_type.h>

namespace retracescope::trace {

class Tracer;

/// Stands where a tensor is expected when a concrete function is asked for, and in an input signature.
struct TensorSpec {
    types::DType dtype = types::DType::Float32;
    types::Shape shape;
    std::string name = {}; ///< names the argument of the graph; may be empty
};

/// Elements in memory of the host: typed by shape and dtype as a tensor is, but not held to their dtype where
/// an input signature or a concrete function demands another.
struct HostArray {
    Tensor tensor; ///< eager
};

/// Specialised for classes of other libraries that are arrays in memory of the host (eigen.h):
/// tensorOf(array) is an eager tensor with its elements.
template <class T>
struct HostArrayOf {};
template <class T>
concept HostArrayClass = requires(const T& array) {
    { HostArrayOf<T>::tensorOf(array) } -> std::same_as<Tensor>;
};

class Value;

namespace detail {
/// Whole numbers of literals are of 64 bits with a sign.
inline constexpr std::uint64_t kLargestLiteral = std::numeric_limits<std::int64_t>::max();
/// "expected a whole number up to 2^63 - 1, got ...".
std::string literalMisfit(std::uint64_t given);
} // namespace detail

/// A class of objects as arguments.
struct ObjectClass : types::ObjectClass {
    Value (*key)(const void*) = nullptr; ///< what stands for an object in a signature; null: which one it is
};

/// A member of a struct that traced functions take: field("scale", &Norm::scale).
template <class Struct, class T>
struct Field {
    using Type = T;

    const char* name;
    T Struct::*member;
};
template <class Struct, class T>
constexpr Field<Struct, T> field(const char* name, T Struct::*member) {
    return {name, member};
}

/// A struct that says what is in it:
///
///     struct Norm {
///         Tensor x;
///         bool centered = false;
///         static auto traceFields() { return std::tuple(field("x", &Norm::x), field("centered",
///         &Norm::centered)); }
///     };
template <class T>
concept Reflected = requires { std::tuple_size<decltype(T::traceFields())>::value; };

/// A class whose objects are typed by what they say of themselves, not by which one they are.
template <class T>
concept KeyedObject = requires(const T& object) {
    { object.traceKey() } -> std::convertible_to<Value>;
};

/// Any argument or result of a traced function: a host literal, a tensor, a variable, or a structure of them.
class Value {
public:
    struct Sequence {
        bool isTuple = false;
        std::vector<Value> items;
        types::DType elements = types::DType::None; ///< of a std::vector of numbers: what they are
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
        bool keepsHostValues = false; ///< in a result; else they become tensors as all others do
    };
    /// An object of the program: typed by its class and by which one it is, or what its class says of it.
    /// The body gets it as it is. Signatures hold it weakly.
    struct Object {
        std::shared_ptr<const void> pointer;
        const ObjectClass* itsClass = nullptr;
    };
    /// A dataset or an iterator (dataset.h). Without a handle, what stands for any of that type, as a
    /// TensorSpec does.
    struct Stream {
        Tensor handle;
        types::TypeId type = types::TypeId::None;
    };
    using Content = std::variant<types::Literal, Tensor, TensorSpec, HostArray, Variable, Sequence, Dict,
                                 Struct, Object, Stream>;

    /// None.
    Value() = default;
    Value(types::Literal literal) : m_content(std::move(literal)) {}
    /// Throws UsageError for a whole number above 2^63 - 1, which no literal holds.
    template <class T>
        requires std::is_arithmetic_v<T>
    Value(T value, std::source_location where = std::source_location::current())
        : m_content(literalOf(value, where)) {}
    Value(const char* text) : m_content(types::Literal(text)) {}
    Value(std::string text) : m_content(types::Literal(std::move(text))) {}
    Value(Tensor tensor) : m_content(std::move(tensor)) {}
    Value(TensorSpec spec) : m_content(std::move(spec)) {}
    Value(HostArray array) : m_content(std::move(array)) {}
    template <class T, std::size_t extent>
        requires tensor::Element<std::remove_const_t<T>>
    Value(std::span<T, extent> values)
        : m_content(HostArray{tensor::constant(std::span<const T>(values),
                                               types::Shape{static_cast<std::int64_t>(values.size())})}) {}
    Value(Variable variable) : m_content(std::move(variable)) {}
    Value(Sequence sequence) : m_content(std::move(sequence)) {}
    Value(Dict dict) : m_content(std::move(dict)) {}
    Value(Struct fields) : m_content(std::move(fields)) {}
    Value(Object object) : m_content(std::move(object)) {}
    Value(Stream stream) : m_content(std::move(stream)) {}
    /// The number of an enumerator, for an enum class beside the enum's name.
    template <class T>
        requires std::is_enum_v<T>
    Value(T value);
    template <Reflected T>
    Value(const T& value);
    /// None for a null pointer.
    template <class T>
    Value(const std::shared_ptr<T>& object);
    template <class T>
    Value(const std::vector<T>& items) : m_content(Sequence{false, {items.begin(), items.end()}}) {
        if constexpr (tensor::Element<T>)
            std::get<Sequence>(m_content).elements = types::dtypeOf<T>();
    }
    template <HostArrayClass T>
    Value(const T& array) : m_content(HostArray{HostArrayOf<T>::tensorOf(array)}) {}
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
    static types::Literal literalOf(T value, [[maybe_unused]] std::source_location where) {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t))
            if (value > detail::kLargestLiteral)
                throw UsageError("[argument] " + detail::literalMisfit(value) + placeText(where));
        if constexpr (std::is_same_v<T, bool>)
            return types::Literal(value);
        else if constexpr (std::is_floating_point_v<T>)
            return types::Literal(static_cast<double>(value));
        else
            return types::Literal(static_cast<std::int64_t>(value));
    }

    Content m_content;
};

namespace detail {

/// Numbers of C++ types: equal for one type, never 0.
template <class T>
std::uint64_t typeNumber() {
    static const char place = 0;
    return reinterpret_cast<std::uintptr_t>(&place);
}

/// The class of T's objects. Two are equal if T's == says so; without one, an object equals only itself.
template <class T>
const ObjectClass& objectClass() {
    static const ObjectClass one = [] {
        ObjectClass result;
        result.name = types::plainName(typeid(T));
        if constexpr (KeyedObject<T>)
            result.key = [](const void* object) { return Value(static_cast<const T*>(object)->traceKey()); };
        if constexpr (std::equality_comparable<T>)
            result.equals = [](const void* a, const void* b) {
                return static_cast<bool>(*static_cast<const T*>(a) == *static_cast<const T*>(b));
            };
        return result;
    }();
    return one;
}

/// An enum that does not turn into a number by itself.
template <class T>
inline constexpr bool kIsScopedEnum = std::is_enum_v<T> && !std::is_convertible_v<T, long long>;

} // namespace detail

template <class T>
    requires std::is_enum_v<T>
Value::Value(T value) {
    const types::Literal number(static_cast<std::int64_t>(value));
    if constexpr (detail::kIsScopedEnum<T>)
        m_content = Struct{types::plainName(typeid(T)), detail::typeNumber<T>(), {{"value", number}}, true};
    else
        m_content = number;
}

template <Reflected T>
Value::Value(const T& value) {
    Struct result{types::plainName(typeid(T)), detail::typeNumber<T>(), {}, true};
    std::apply(
        [&](const auto&... one) { (result.fields.emplace_back(one.name, Value(value.*(one.member))), ...); },
        T::traceFields());
    m_content = std::move(result);
}

template <class T>
Value::Value(const std::shared_ptr<T>& object) {
    if (object != nullptr)
        m_content = Object{object, &detail::objectClass<std::remove_const_t<T>>()};
}

/// Numbers the distinct variables among the arguments of one call in the order they are met: which arguments
/// are one variable is part of a signature, which variable it is is not.
class AliasNumbers {
public:
    /// From 0.
    int numberOf(const Variable& variable);
    /// True the first time a variable is asked for.
    bool isNew(const Variable& variable);

private:
    std::size_t m_count = 0;
    std::array<std::uint32_t, 8> m_few{}; ///< the first ids
    std::vector<std::uint32_t> m_more;    ///< those behind them
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

/// Keys and items of a dict or struct in flattening order.
std::vector<std::pair<types::Literal, const Value*>> flattened(const Value& value);

/// Appends the tensors of a value in flattening order, an empty one for a spec; a variable met before
/// contributes nothing.
void appendLeaves(const Value& value, AliasNumbers& aliases, std::vector<Tensor>& leaves);

/// All of them of the values of one call, or of one value.
std::vector<Tensor> leavesOfAll(std::span<const Value> values);
inline std::vector<Tensor> leavesOf(const Value& value) {
    return leavesOfAll(std::span(&value, 1));
}

/// A result of a body as tensors: variables are read, host values become tensors (but not those in structs of
/// C++), None stays. Throws UsageError for a TensorSpec and an object.
Value resultOf(const Value& returned, Tracer& tracer, std::string_view function);
/// The same of a body that ran outside of a trace of its own.
Value eagerResultOf(const Value& returned, std::string_view function);

/// The value with tensors in the place of host arrays.
Value withoutHostArrays(Value value);

/// The structure of `type` filled with `leaves` in flattening order; literals stay.
Value packed(types::TypeId type, std::span<const Tensor> leaves, std::size_t& next);

/// The structure of `type` with a TensorSpec for each tensor and variable; literals stay.
Value specOf(types::TypeId type);

/// As a parameter of a callable: all positional arguments behind those before it. Parameters behind it can
/// only be given by name.
template <class T>
struct Rest {
    std::vector<T> items;

    std::size_t size() const { return items.size(); }
    /// Throws UsageError if there are not so many.
    const T& operator[](std::size_t index) const {
        if (index >= items.size())
            throw UsageError("[Rest] expected an index below " + std::to_string(items.size()) +
                             ", the number of further arguments, got " + std::to_string(index));
        return items[index];
    }
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

/// A value that is not of the C++ type which a callable takes.
struct WrongValue : UsageError {
    WrongValue(std::string_view itsExpectation, std::string itsType);

    std::string expected;                 ///< "a tuple of 2"
    std::string given;                    ///< its type
    std::optional<std::size_t> parameter; ///< which parameter of the callable, if it is one
};
[[noreturn]] void refuseValue(const Value& value, std::string_view expected);
/// Tells it as a mistake of `op`.
[[noreturn]] void refuseWrong(const WrongValue& wrong, std::string_view op, Where where);

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
inline constexpr bool kIsSharedPointer = false;
template <class T>
inline constexpr bool kIsSharedPointer<std::shared_ptr<T>> = true;

template <class T>
inline constexpr bool kIsRest = false;
template <class T>
inline constexpr bool kIsRest<Rest<T>> = true;
template <class T>
inline constexpr bool kIsNamedRest = false;
template <class T>
inline constexpr bool kIsNamedRest<NamedRest<T>> = true;

} // namespace detail

namespace detail {

/// What a value of a C++ type comes back as: host numbers and text as tensors, a variable as what it holds.
template <class T>
struct HeldBy {
    using Type = std::conditional_t<std::is_arithmetic_v<T> || std::is_same_v<T, Variable>, Tensor, T>;
};
template <class T>
using Held = typename HeldBy<T>::Type;
template <>
struct HeldBy<std::string> {
    using Type = Tensor;
};
template <class... T>
struct HeldBy<std::tuple<T...>> {
    using Type = std::tuple<Held<T>...>;
};
template <class T>
struct HeldBy<std::vector<T>> {
    using Type = std::vector<Held<T>>;
};
template <class T>
struct HeldBy<std::map<std::string, T>> {
    using Type = std::map<std::string, Held<T>>;
};

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

template <class T>
T structFrom(const Value& value) {
    const auto* fields = value.as<Value::Struct>();
    constexpr std::size_t kCount = std::tuple_size_v<decltype(T::traceFields())>;
    if (fields == nullptr || fields->fields.size() != kCount)
        refuseValue(value, types::plainName(typeid(T)));
    T result;
    std::size_t next = 0;
    const auto set = [&](const auto& one) {
        const auto& [name, item] = fields->fields[next++];
        if (name != one.name)
            refuseValue(value, types::plainName(typeid(T)));
        using Member = std::remove_reference_t<decltype(result.*(one.member))>;
        result.*(one.member) = fromValue<Member>(item);
    };
    std::apply([&](const auto&... one) { (set(one), ...); }, T::traceFields());
    return result;
}

template <class T>
T enumFrom(const Value& value) {
    const Value* number = &value;
    if constexpr (kIsScopedEnum<T>) {
        const auto* fields = value.as<Value::Struct>();
        if (fields == nullptr || fields->fields.size() != 1)
            refuseValue(value, types::plainName(typeid(T)));
        number = &fields->fields[0].second;
    }
    return static_cast<T>(literalAs<std::int64_t, std::int64_t>(*number, types::plainName(typeid(T))));
}

template <class T>
std::shared_ptr<T> objectFrom(const Value& value) {
    const auto* literal = value.as<types::Literal>();
    if (literal != nullptr && literal->isNone())
        return nullptr;
    const auto* object = value.as<Value::Object>();
    const ObjectClass& wanted = objectClass<std::remove_const_t<T>>();
    if (object == nullptr || object->itsClass != &wanted)
        refuseValue(value, wanted.name);
    return std::static_pointer_cast<T>(std::const_pointer_cast<void>(object->pointer));
}

/// fromValue() for `op`, which is no call of a function.
template <class T>
T fromValueOf(const Value& value, std::string_view op, Where where) {
    try {
        return fromValue<T>(value);
    } catch (const WrongValue& wrong) {
        refuseWrong(wrong, op, where);
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
    } else if constexpr (std::is_enum_v<T>) {
        return detail::enumFrom<T>(value);
    } else if constexpr (Reflected<T>) {
        return detail::structFrom<T>(value);
    } else if constexpr (detail::kIsSharedPointer<T>) {
        return detail::objectFrom<typename T::element_type>(value);
    } else if constexpr (requires { T::fromArgument(value); }) { // a traced function
        return T::fromArgument(value);
    } else {
        static_assert(
            detail::kIsVector<T> || detail::kIsTuple<T> || detail::kIsMap<T>,
            "a traced function takes and returns Tensor, Variable, bool, numbers, enums, std::string, Value, "
            "structs with traceFields(), and std::vector, std::tuple and std::map<std::string, ...> of them; "
            "it takes std::shared_ptr to objects and other traced functions, too");
        return detail::itemsFrom<T>(value);
    }
}

} // namespace retracescope::trace
