#include "tests/oracle/notation.h"

#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <regex>
#include <stdexcept>

#include <fmt/format.h>

#include <retracescope/engine/trace/dataset.h>
#include <retracescope/engine/trace/host_values.h>

#include "tests/oracle/element_spec.h"

namespace retracescope::oracle {

namespace {

using trace::Value;
using types::DType;
using types::Literal;

constexpr std::array kKinds{"tensor",         "spec",  "literal", "ndarray",         "numpy_scalar",
                            "list",           "tuple", "dict",    "namedtuple",      "variable",
                            "extension_type", "enum",  "dataset", "dataset_iterator"};

bool isStream(const std::string& kind) {
    return kind == "dataset" || kind == "dataset_iterator";
}

DType dtypeOf(const std::string& name) {
    if (name.starts_with("str") || name.starts_with("bytes"))
        return DType::String; // NumPy's names carry a length
    const auto dtype = types::dtypeFromName(name);
    if (!dtype)
        throw std::runtime_error("no dtype of the engine: " + name);
    return *dtype;
}

/// null is an unknown rank, null in the list an unknown axis.
types::Shape shapeOf(const Json& sizes) {
    if (sizes.is_null())
        return types::Shape::unknownRank();
    std::vector<std::int64_t> result;
    for (const Json& size : sizes)
        result.push_back(size.is_null() ? types::Shape::kUnknown : size.get<std::int64_t>());
    return types::Shape(result);
}

double numberOf(const Json& value) {
    if (!value.is_string())
        return value.get<double>();
    const auto text = value.get<std::string>();
    if (text == "nan")
        return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf" || text == "-inf")
        return text == "inf" ? HUGE_VAL : -HUGE_VAL;
    if (text == "-0.0")
        return -0.0;
    throw std::runtime_error("no number: " + text);
}

Literal elementOf(const Json& value, DType dtype) {
    if (value.is_object())
        return std::complex(numberOf(value.at("re")), numberOf(value.at("im")));
    if (dtype == DType::String)
        return value.get<std::string>();
    if (value.is_boolean())
        return value.get<bool>();
    if (value.is_number_integer())
        return value.get<std::int64_t>();
    return numberOf(value);
}

void appendElements(const Json& value, DType dtype, std::vector<Literal>& elements) {
    if (!value.is_array()) {
        elements.push_back(elementOf(value, dtype));
        return;
    }
    for (const Json& item : value)
        appendElements(item, dtype, elements);
}

Literal oneOf(DType dtype) {
    return dtype == DType::Bool ? Literal(true) : dtype == DType::String ? Literal("1") : Literal(1);
}

tensor::Tensor tensorFrom(const Json& notation) {
    const DType dtype = dtypeOf(notation.at("dtype"));
    const types::Shape shape = shapeOf(notation.at("shape"));
    std::vector<Literal> elements;
    if (notation.contains("value"))
        appendElements(notation.at("value"), dtype, elements);
    else
        elements.assign(static_cast<std::size_t>(shape.elementCount().value_or(0)), oneOf(dtype));
    return trace::tensorOf(elements, dtype, shape, "");
}

Literal literalFrom(const Json& notation) {
    const std::string type = notation.at("type");
    const Json& value = notation.at("value");
    if (type == "none")
        return {};
    if (type == "bool")
        return value.get<bool>();
    if (type == "int") {
        if (value.is_number_unsigned() && value.get<std::uint64_t>() > 0x7fffffffffffffffULL)
            throw std::runtime_error("an integer beyond 64 bits");
        return value.get<std::int64_t>();
    }
    if (type == "float")
        return numberOf(value);
    if (type == "complex")
        return std::complex(numberOf(value.at("re")), numberOf(value.at("im")));
    if (type == "bytes")
        return Literal::Bytes{value.get<std::string>()};
    return value.get<std::string>(); // str, np.str_
}

bool isNear(double actual, double expected) {
    if (std::isnan(actual) || std::isnan(expected))
        return std::isnan(actual) && std::isnan(expected);
    if (std::isinf(actual) || std::isinf(expected))
        return actual == expected;
    return std::abs(actual - expected) <= 1e-5 * std::max(std::abs(expected), 1e-3);
}

bool isSameElement(const Literal& actual, const Literal& expected) {
    if (const auto* a = std::get_if<std::complex<double>>(&actual.value())) {
        const auto* b = std::get_if<std::complex<double>>(&expected.value());
        return b != nullptr && isNear(a->real(), b->real()) && isNear(a->imag(), b->imag());
    }
    const auto number = [](const Literal& literal) -> std::optional<double> {
        if (const auto* integer = std::get_if<std::int64_t>(&literal.value()))
            return static_cast<double>(*integer);
        if (const auto* value = std::get_if<double>(&literal.value()))
            return *value;
        return std::nullopt;
    };
    if (const auto a = number(actual))
        if (const auto b = number(expected))
            return isNear(*a, *b);
    return actual == expected;
}

std::optional<std::string> tensorDifference(const tensor::Tensor& actual, const Json& expected,
                                            const std::string& path) {
    const types::TensorTypeId type =
        types::tensorType(dtypeOf(expected.at("dtype")), shapeOf(expected.at("shape")));
    if (!types::isSubtype(actual.type(), type))
        return fmt::format("{}: expected {}, got {}", path, types::toText(type),
                           types::toText(actual.type()));
    if (!expected.contains("value"))
        return std::nullopt;
    std::vector<Literal> elements;
    appendElements(expected.at("value"), actual.dtype(), elements);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const Literal element = trace::literalAt(actual, static_cast<std::int64_t>(i));
        if (!isSameElement(element, elements[i]))
            return fmt::format("{}: element {} is {}, expected {}", path, i, types::toText(element),
                               types::toText(elements[i]));
    }
    return std::nullopt;
}

} // namespace

std::string unknownKind(const Json& notation) {
    if (notation.is_array()) {
        for (const Json& item : notation)
            if (std::string kind = unknownKind(item); !kind.empty())
                return kind;
    }
    if (!notation.is_object())
        return {};
    if (notation.contains("kind")) {
        const std::string kind = notation.at("kind");
        const bool isNumber = kind == "enum" && notation.at("int").get<bool>(); // which one is not said
        const bool isForeign = isStream(kind) && !elementSpecFrom(notation.at("spec").get<std::string>());
        if (isNumber || isForeign || std::ranges::find(kKinds, kind) == kKinds.end())
            return kind;
    }
    for (const Json& item : notation)
        if (std::string kind = unknownKind(item); !kind.empty())
            return kind;
    return {};
}

bool isReplayable(const Json& notation) {
    return unknownKind(notation).empty();
}

Value Arguments::valueOf(const Json& notation) {
    const std::string kind = notation.at("kind");
    if (kind == "tensor")
        return tensorFrom(notation);
    if (kind == "ndarray" || kind == "numpy_scalar")
        return trace::HostArray{tensorFrom(notation)};
    if (kind == "spec")
        return trace::TensorSpec{dtypeOf(notation.at("dtype")), shapeOf(notation.at("shape")),
                                 notation.at("name").is_null() ? "" : notation.at("name").get<std::string>()};
    if (kind == "literal")
        return literal(notation);
    if (kind == "variable")
        return variable(notation);
    if (kind == "list" || kind == "tuple") {
        Value::Sequence result{kind == "tuple", {}};
        for (const Json& item : notation.at("items"))
            result.items.push_back(valueOf(item));
        return result;
    }
    if (kind == "dict") {
        Value::Dict result;
        for (const Json& entry : notation.at("items"))
            result.items.emplace_back(entry[0].is_string() ? Literal(entry[0].get<std::string>())
                                                           : literalFrom(entry[0]),
                                      valueOf(entry[1]));
        return result;
    }
    if (kind == "enum")
        return Value::Struct{
            notation.at("class"), 0, {{"value", notation.at("member").get<std::string>()}}, true};
    if (kind == "namedtuple" || kind == "extension_type") {
        Value::Struct result{notation.at("class"), 0, {}, kind == "extension_type"};
        for (const Json& field : notation.at("fields"))
            result.fields.emplace_back(field[0], valueOf(field[1]));
        return result;
    }
    if (isStream(kind)) { // which elements is not said
        const auto none = [] { return [] { return std::optional<Value>(); }; };
        const auto dataset = trace::Dataset::fromGenerator(
            none, elementSpecFrom(notation.at("spec").get<std::string>()).value());
        return kind == "dataset" ? Value(dataset) : Value(trace::DatasetIterator(dataset));
    }
    throw std::runtime_error("an argument of kind " + kind);
}

trace::CallArguments Arguments::argumentsOf(const Json& step) {
    trace::CallArguments arguments;
    if (step.contains("args"))
        for (const Json& argument : step.at("args"))
            arguments.positional.push_back(valueOf(argument));
    if (step.contains("kwargs"))
        for (const auto& [name, argument] : step.at("kwargs").items())
            arguments.named.emplace_back(name, valueOf(argument));
    return arguments;
}

void Arguments::takeExactNumbersFrom(const std::string& types) {
    static const std::regex number(R"(Literal\[(-?[0-9.]+(?:e[-+]?[0-9]+)?)\])");
    m_exactNumbers.clear();
    for (std::sregex_iterator at(types.begin(), types.end(), number), end; at != end; ++at)
        m_exactNumbers.push_back(std::stod((*at)[1]));
}

Literal Arguments::literal(const Json& notation) const {
    Literal result = literalFrom(notation);
    if (std::holds_alternative<double>(result.value()))
        for (const double exact : m_exactNumbers)
            if (Literal(std::stod(fmt::format("{:.6g}", exact))) == result) // by its bits: 0.0 is not -0.0
                return exact;
    return result;
}

Value Arguments::variable(const Json& notation) {
    trace::Variable& known = m_variables[notation.at("id").get<int>()];
    if (known.isEmpty()) {
        const DType dtype = dtypeOf(notation.at("dtype"));
        const types::Shape shape = shapeOf(notation.at("shape"));
        std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
        std::ranges::replace(sizes, types::Shape::kUnknown, 1);
        const types::Shape first(sizes);
        const std::vector<Literal> elements(static_cast<std::size_t>(*first.elementCount()), oneOf(dtype));
        trace::Variable::Options options;
        options.trainable = notation.at("trainable");
        options.shape = shape;
        known = trace::Variable(trace::tensorOf(elements, dtype, first, ""), options);
    }
    return known;
}

std::optional<std::string> difference(const Value& actual, const Json& expected, const std::string& path) {
    const std::string kind = expected.at("kind");
    const auto mismatch = [&](std::string_view got) {
        return fmt::format("{}: expected {}, got {}", path, expected.dump(), got);
    };
    if (kind == "tensor") {
        const auto* tensor = actual.as<tensor::Tensor>();
        return tensor == nullptr || !tensor->isEager() ? mismatch("no tensor")
                                                       : tensorDifference(*tensor, expected, path);
    }
    if (kind == "literal") { // a function returns tensors and None only
        const auto* literal = actual.as<Literal>();
        const auto* tensor = actual.as<tensor::Tensor>();
        const bool isNone = literal != nullptr ? literal->isNone() : tensor != nullptr && tensor->isEmpty();
        return isNone && expected.at("type") == "none" ? std::nullopt
                                                       : std::optional(mismatch("something else"));
    }
    if (kind == "list" || kind == "tuple") {
        const auto* sequence = actual.as<Value::Sequence>();
        if (sequence == nullptr || sequence->items.size() != expected.at("items").size())
            return mismatch("no sequence of that length");
        for (std::size_t i = 0; i < sequence->items.size(); ++i)
            if (auto found =
                    difference(sequence->items[i], expected.at("items")[i], fmt::format("{}[{}]", path, i)))
                return found;
        return std::nullopt;
    }
    if (kind == "dict") {
        const auto* dict = actual.as<Value::Dict>();
        if (dict == nullptr || dict->items.size() != expected.at("items").size())
            return mismatch("no dict of that size");
        for (const Json& entry : expected.at("items")) {
            const Literal key(entry[0].get<std::string>());
            const auto at = std::ranges::find(dict->items, key, &std::pair<Literal, Value>::first);
            if (at == dict->items.end())
                return mismatch("a dict without " + types::toText(key));
            if (auto found = difference(at->second, entry[1], path + "[" + types::toText(key) + "]"))
                return found;
        }
        return std::nullopt;
    }
    if (kind == "namedtuple") {
        const auto* fields = actual.as<Value::Struct>();
        if (fields == nullptr || fields->fields.size() != expected.at("fields").size())
            return mismatch("no struct of that many fields");
        for (std::size_t i = 0; i < fields->fields.size(); ++i) {
            const auto& [name, value] = fields->fields[i];
            const Json& field = expected.at("fields")[i];
            if (field[0] != name)
                return mismatch("a struct with the field " + name);
            if (auto found = difference(value, field[1], path + "." + name))
                return found;
        }
        return std::nullopt;
    }
    return mismatch("a kind that no function of the engine returns");
}

} // namespace retracescope::oracle
