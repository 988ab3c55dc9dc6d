#include <retracescope/engine/trace/function_core.h>

#include <fmt/format.h>

#include <retracescope/engine/trace/cast.h>

namespace retracescope::trace {

void FunctionCore::constrain() {
    std::vector<types::TypeId> specs;
    std::vector<types::TypeId> defaults;
    AliasNumbers aliases;
    for (const Value& spec : *m_options.inputSignature)
        specs.push_back(typeOfValue(spec, aliases));
    for (std::size_t i = 0; i < m_declared.size(); ++i)
        defaults.push_back(m_declared[i].optional ? typeOfValue(m_defaults[i], aliases)
                                                  : types::TypeId::None);
    for (auto& [parameter, declared] : types::constrainedParameters(m_name, m_declared, specs, defaults)) {
        m_bound.push_back(parameter);
        m_owners.push_back(declared);
        m_declared[static_cast<std::size_t>(declared)].type =
            m_declared[static_cast<std::size_t>(declared)].kind == types::ParameterKind::VarPositional
                ? types::TypeId::None
                : parameter.type;
    }
}

std::string FunctionCore::messageStart(std::string_view parameter) const {
    return fmt::format("[{}] argument '{}': ", m_name, parameter);
}

Value FunctionCore::valueOf(const types::BoundArgument& bound, const CallArguments& arguments) const {
    const auto positional = static_cast<int>(arguments.positional.size());
    const auto owner = static_cast<std::size_t>(m_owners[static_cast<std::size_t>(bound.declared)]);
    if (bound.source == types::BoundArgument::kDefault)
        return m_defaults[owner];
    const Value& given = bound.source < positional
                             ? arguments.positional[static_cast<std::size_t>(bound.source)]
                             : arguments.named[static_cast<std::size_t>(bound.source - positional)].second;
    const auto asParameter = m_asParameter[owner];
    return asParameter == nullptr
               ? given
               : asParameter(given, messageStart(bound.parameter.name), m_options.inputSignature.has_value());
}

void FunctionCore::refuseArgument(std::size_t parameter, const std::string& problem, Where where) const {
    throw UsageError(messageStart(m_declared[parameter].name) + problem + placeOf(where));
}

FunctionCore::Request FunctionCore::bind(const CallArguments& arguments) const {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : arguments.named)
        names.push_back(name);
    Request request;
    AliasNumbers aliases;
    for (const types::BoundArgument& bound :
         types::bindArguments(m_name, m_bound, static_cast<int>(arguments.positional.size()), names)) {
        const auto row = static_cast<std::size_t>(bound.declared);
        Value value = valueOf(bound, arguments);
        types::Parameter parameter = bound.parameter;
        if (m_options.inputSignature) {
            parameter.type = m_bound[row].type;
            value = castTo(value, parameter.type, messageStart(parameter.name), m_options.policy);
        } else {
            parameter.type = typeOfValue(value, aliases);
        }
        request.type.parameters.push_back(std::move(parameter));
        request.values.push_back(std::move(value));
        request.owners.push_back(m_owners[row]);
    }
    request.key = types::cacheKey(request.type, m_options.policy.keyRules());
    return request;
}

FunctionCore::Request FunctionCore::bindForConcrete(const CallArguments& arguments) const {
    if (arguments.positional.empty() && arguments.named.empty() && m_options.inputSignature)
        return bind({*m_options.inputSignature, {}, arguments.where});
    return bind(arguments);
}

std::string FunctionCore::placeOf(Where where) const {
    return where.line() != 0 ? placeText(where)
                             : fmt::format("; the function is defined at{}", placeText(m_definedAt));
}

void FunctionCore::placeException(Where where) const {
    try {
        throw;
    } catch (UsageError& error) {
        error.at(placeOf(where));
    } catch (...) { // not ours to change
    }
}

Value FunctionCore::runBody(const Request& request, std::vector<Value> bound, Where where) const {
    try {
        return m_body(bodyArguments(request, std::move(bound)));
    } catch (const detail::WrongValue& wrong) {
        const std::string which =
            wrong.parameter ? fmt::format("argument '{}': ", m_declared[*wrong.parameter].name) : "";
        throw UsageError(fmt::format("[{}] {}the callable's parameter expects {}, got {}; give the parameter "
                                     "the type of what is passed, or pass what it takes{}",
                                     m_name, which, wrong.expected, wrong.given, placeOf(where)));
    }
}

std::vector<Value> FunctionCore::bodyArguments(const Request& request, std::vector<Value> bound) const {
    std::vector<Value> result;
    for (const types::Parameter& parameter : m_declared) {
        if (parameter.kind == types::ParameterKind::VarPositional)
            result.emplace_back(Value::Sequence{true, {}});
        else if (parameter.kind == types::ParameterKind::VarKeyword)
            result.emplace_back(Value::Dict{});
        else
            result.emplace_back();
    }
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const auto owner = static_cast<std::size_t>(request.owners[i]);
        if (m_declared[owner].kind == types::ParameterKind::VarPositional)
            result[owner].as<Value::Sequence>()->items.push_back(std::move(bound[i]));
        else if (m_declared[owner].kind == types::ParameterKind::VarKeyword)
            result[owner].as<Value::Dict>()->items.emplace_back(request.type.parameters[i].name,
                                                                std::move(bound[i]));
        else
            result[owner] = std::move(bound[i]);
    }
    return result;
}

types::FunctionType FunctionCore::requestType(const CallArguments& arguments) const {
    return bindForConcrete(arguments).type;
}

} // namespace retracescope::trace
