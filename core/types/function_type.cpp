#include <retracescope/types/function_type.h>

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include <retracescope/types/intern_table.h>

namespace retracescope::types {

namespace {

/// Appends the components of one value below `path`.
class ComponentWriter {
public:
    explicit ComponentWriter(std::vector<Component>& out) : m_out(out) {}

    void write(const std::string& path, TypeId id) {
        const TraceType& type = typeOf(id);
        switch (type.kind) {
        case TypeKind::Tensor:
            return writeTensor(path, type);
        case TypeKind::Variable:
            return writeVariable(path, type);
        case TypeKind::Literal:
            return writeLiteral(path, type);
        case TypeKind::List:
        case TypeKind::Tuple:
            return writeSequence(path, type);
        case TypeKind::Dict:
        case TypeKind::Named:
            return writeKeyed(path, type);
        case TypeKind::Object:
            add(path + ".type", ComponentKind::Type, type.name);
            add(path + ".identity", ComponentKind::Identity, fmt::format("{} #{}", type.name, type.identity));
            return;
        case TypeKind::Dataset:
        case TypeKind::Iterator:
            add(path + ".type", ComponentKind::Type, type.kind == TypeKind::Dataset ? "dataset" : "iterator");
            return write(path + ".element", type.items[0]);
        }
    }

    void add(std::string path, ComponentKind kind, std::string value, bool open = false) {
        m_out.push_back({std::move(path), kind, std::move(value), open});
    }

private:
    void writeShape(const std::string& path, TensorTypeId tensor) {
        const Shape& shape = shapeOf(tensor);
        add(path + ".dtype", ComponentKind::Dtype, std::string(dtypeName(dtypeOf(tensor))));
        add(path + ".rank", ComponentKind::Rank, shape.hasRank() ? std::to_string(shape.rank()) : "None",
            !shape.hasRank());
        for (int axis = 0; axis < shape.rank(); ++axis) {
            const bool open = shape[axis] == Shape::kUnknown;
            add(path + ".shape[" + std::to_string(axis) + "]", ComponentKind::Dimension,
                open ? "None" : std::to_string(shape[axis]), open);
        }
    }

    void writeTensor(const std::string& path, const TraceType& type) {
        add(path + ".type", ComponentKind::Type, "tensor");
        writeShape(path, type.tensor);
        if (!type.name.empty())
            add(path + ".name", ComponentKind::Name, type.name);
    }

    void writeVariable(const std::string& path, const TraceType& type) {
        add(path + ".type", ComponentKind::Type, "variable");
        writeShape(path, type.tensor);
        add(path + ".trainable", ComponentKind::Trainable, type.trainable ? "True" : "False");
        add(path + ".alias", ComponentKind::Alias, std::to_string(type.alias));
    }

    void writeLiteral(const std::string& path, const TraceType& type) {
        add(path + ".type", ComponentKind::Type, std::string(kindName(type.literal)));
        add(path + ".value", ComponentKind::Value, toText(type.literal));
    }

    void writeSequence(const std::string& path, const TraceType& type) {
        add(path + ".type", ComponentKind::Type, type.kind == TypeKind::List ? "list" : "tuple");
        add(path + ".len", ComponentKind::Length, std::to_string(type.items.size()));
        for (std::size_t i = 0; i < type.items.size(); ++i)
            write(fmt::format("{}[{}]", path, i), type.items[i]);
    }

    void writeKeyed(const std::string& path, const TraceType& type) {
        add(path + ".type", ComponentKind::Type, type.kind == TypeKind::Dict ? "dict" : type.name);
        std::string keys;
        for (const Literal& key : type.keys)
            keys += (keys.empty() ? "" : ", ") + toText(key);
        add(path + ".keys", ComponentKind::Keys, keys);
        for (std::size_t i = 0; i < type.items.size(); ++i)
            write(fmt::format("{}[{}]", path, toText(type.keys[i])), type.items[i]);
    }

    std::vector<Component>& m_out;
};

} // namespace

std::string_view parameterKindName(ParameterKind kind) {
    static constexpr std::array<std::string_view, 5> kNames{"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD",
                                                            "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::uint64_t hashOf(const FunctionType& type) {
    std::uint64_t hash = type.parameters.size();
    for (const Parameter& parameter : type.parameters) {
        hash = mixBits(hash) + std::hash<std::string>{}(parameter.name);
        hash = mixBits(hash) + ((static_cast<std::uint64_t>(parameter.type) << 8) |
                                (static_cast<std::uint64_t>(parameter.kind) << 1) |
                                static_cast<std::uint64_t>(parameter.optional));
    }
    for (const Capture& capture : type.captures)
        hash = mixBits(hash) + static_cast<std::uint64_t>(capture.type);
    return hash;
}

namespace {

bool sameHead(const Parameter& a, const Parameter& b) {
    return a.name == b.name && a.kind == b.kind && a.optional == b.optional;
}

/// The common supertypes of the first parameters, up to the first pair that has none.
std::vector<Parameter> commonParameters(const FunctionType& a, const FunctionType& b) {
    std::vector<Parameter> result;
    for (std::size_t i = 0; i < std::min(a.parameters.size(), b.parameters.size()); ++i) {
        if (!sameHead(a.parameters[i], b.parameters[i]))
            break;
        const TypeId type = commonSupertype(a.parameters[i].type, b.parameters[i].type);
        if (type == TypeId::None)
            break;
        result.push_back(a.parameters[i]);
        result.back().type = type;
    }
    return result;
}

const Capture* find(const FunctionType& type, const std::string& name) {
    const auto it = std::ranges::find(type.captures, name, &Capture::name);
    return it == type.captures.end() ? nullptr : &*it;
}

} // namespace

namespace {

bool serves(const FunctionType& stored, const FunctionType& request, bool (*fits)(TypeId, TypeId)) {
    const bool argumentsFit = std::ranges::equal(
        request.parameters, stored.parameters, [&](const Parameter& asked, const Parameter& have) {
            return sameHead(asked, have) && fits(asked.type, have.type);
        });
    return argumentsFit && std::ranges::all_of(request.captures, [&](const Capture& asked) {
               const Capture* have = find(stored, asked.name);
               return have != nullptr && fits(asked.type, have->type);
           });
}

bool isBelow(TypeId narrow, TypeId wide) {
    return isSubtype(narrow, wide);
}

} // namespace

bool canServe(const FunctionType& stored, const FunctionType& request) {
    return serves(stored, request, isBelow);
}

bool couldServe(const FunctionType& stored, const FunctionType& request) {
    return serves(stored, request, wasSubtype);
}

bool hasObjects(const FunctionType& type) {
    return std::ranges::any_of(type.parameters,
                               [](const Parameter& parameter) { return hasObjects(parameter.type); });
}

bool servesOnlyItself(const FunctionType& type) {
    return type.captures.empty() && std::ranges::all_of(type.parameters, [](const Parameter& parameter) {
               return servesOnlyItself(parameter.type);
           });
}

bool hasDeadObjects(const FunctionType& type) {
    return std::ranges::any_of(type.parameters,
                               [](const Parameter& parameter) { return hasDeadObjects(parameter.type); });
}

FunctionType cacheKey(const FunctionType& written, KeyRules rules) {
    FunctionType key{written.parameters, written.captures, TypeId::None};
    for (Parameter& parameter : key.parameters)
        parameter.type = cacheKey(parameter.type, rules);
    for (Capture& capture : key.captures)
        capture.type = cacheKey(capture.type, rules);
    return key;
}

std::optional<FunctionType> commonFunctionType(const FunctionType& a, const FunctionType& b) {
    if (a.parameters.size() != b.parameters.size())
        return std::nullopt;
    FunctionType result;
    result.parameters = commonParameters(a, b);
    if (result.parameters.size() < a.parameters.size())
        return std::nullopt;
    result.captures = a.captures;
    for (const Capture& other : b.captures) {
        const auto own = std::ranges::find(result.captures, other.name, &Capture::name);
        if (own == result.captures.end())
            result.captures.push_back(other);
        else if ((own->type = commonSupertype(own->type, other.type)) == TypeId::None)
            return std::nullopt;
    }
    return result;
}

FunctionType relaxed(const FunctionType& request, std::span<const FunctionType> earlier, RelaxRule rule) {
    FunctionType result = request;
    for (const FunctionType& trace : earlier) {
        FunctionType arguments{trace.parameters, {}, TypeId::None};
        const std::size_t wanted = result.parameters.size();
        if (rule == RelaxRule::AsTensorFlow && arguments.parameters.size() != wanted) {
            const std::size_t fit = commonParameters(result, arguments).size();
            if (fit < wanted && fit == arguments.parameters.size())
                throw RelaxError(fmt::format("expected at most {} arguments as in the earlier {}, got {}",
                                             fit, toText(trace), toText(request)));
            if (arguments.parameters.size() > wanted)
                arguments.parameters.resize(wanted);
        }
        if (auto wider = commonFunctionType(result, arguments))
            result = std::move(*wider);
    }
    return result;
}

std::string toText(const FunctionType& type) {
    std::string text;
    const auto add = [&text](std::string_view part) {
        text += (text.empty() ? "" : ", ") + std::string(part);
    };
    const Parameter* before = nullptr;
    for (const Parameter& parameter : type.parameters) {
        const auto turns = [&](ParameterKind kind) {
            return (before != nullptr && before->kind == kind) != (parameter.kind == kind);
        };
        if (before != nullptr && turns(ParameterKind::PositionalOnly))
            add("/");
        if (turns(ParameterKind::KeywordOnly))
            add("*");
        add(fmt::format("{}: {}", parameter.name, toText(parameter.type)));
        before = &parameter;
    }
    if (before != nullptr && before->kind == ParameterKind::PositionalOnly)
        add("/");
    text = "(" + text + ")";
    if (type.output != TypeId::None)
        text += " -> " + toText(type.output);
    return text;
}

std::string toListing(const FunctionType& type) {
    std::string text = "Input Parameters:\n";
    for (const Parameter& parameter : type.parameters)
        text += fmt::format("  {} ({}): {}\n", parameter.name, parameterKindName(parameter.kind),
                            toText(parameter.type));
    if (type.parameters.empty())
        text += "  None\n";
    text += fmt::format("Output Type:\n  {}\n", type.output == TypeId::None ? "None" : toText(type.output));
    text += "Captures:\n";
    for (const Capture& capture : type.captures)
        text += fmt::format("  {}: {}\n", capture.name, toText(capture.type));
    if (type.captures.empty())
        text += "  None\n";
    return text;
}

std::vector<Component> components(const FunctionType& type, const FunctionContext& context) {
    std::vector<Component> result;
    result.reserve(6 * type.parameters.size() + 2); // tensors of up to three axes take six
    ComponentWriter writer(result);
    // Parameters are positional-only in the type of a call only where the function takes any number of them.
    const auto isPositional = [](const Parameter& parameter) {
        return parameter.kind == ParameterKind::PositionalOnly;
    };
    if (const auto count = std::ranges::count_if(type.parameters, isPositional); count > 0)
        writer.add("args.len", ComponentKind::Length, std::to_string(count));
    for (std::size_t i = 0; i < type.parameters.size(); ++i) {
        const Parameter& parameter = type.parameters[i];
        writer.write(isPositional(parameter) ? fmt::format("args[{}]", i) : parameter.name, parameter.type);
    }
    if (context.scope == FunctionContext::Scope::NoCreation)
        writer.add("ambient.scope", ComponentKind::Context, "no_variable_creation");
    return result;
}

} // namespace retracescope::types
