#include <retracescope/types/binding.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <retracescope/base/check.h>

namespace retracescope::types {

namespace {

std::string namesOf(std::span<const Parameter> declared) {
    std::string text;
    for (const Parameter& parameter : declared)
        text += (text.empty() ? "" : ", ") + parameter.name + (parameter.optional ? "=..." : "");
    return "(" + text + ")";
}

bool takesPositional(ParameterKind kind) {
    return kind == ParameterKind::PositionalOnly || kind == ParameterKind::PositionalOrKeyword;
}

bool hasRest(std::span<const Parameter> declared) {
    return std::ranges::find(declared, ParameterKind::VarPositional, &Parameter::kind) != declared.end();
}

bool takesNamed(ParameterKind kind) {
    return kind == ParameterKind::PositionalOrKeyword || kind == ParameterKind::KeywordOnly;
}

/// One binding of one call, parameter by parameter.
class Binder {
public:
    Binder(std::string_view function, std::span<const Parameter> declared, int positionalCount,
           std::span<const std::string_view> named)
        : m_function(function), m_declared(declared), m_positionalCount(positionalCount), m_named(named),
          m_isNamedUsed(named.size(), false) {
        m_isVariadic = hasRest(declared);
    }

    std::vector<BoundArgument> bind() {
        for (std::size_t i = 0; i < m_declared.size(); ++i) {
            const Parameter& parameter = m_declared[i];
            if (parameter.kind == ParameterKind::VarPositional)
                bindRest(parameter, static_cast<int>(i));
            else if (parameter.kind == ParameterKind::VarKeyword)
                bindRemainingNames(static_cast<int>(i));
            else
                bindOne(parameter, static_cast<int>(i));
        }
        checkAllUsed();
        return std::move(m_result);
    }

private:
    void bindOne(const Parameter& parameter, int declared) {
        const int named = takesNamed(parameter.kind) ? takeNamed(parameter.name) : -1;
        int source = BoundArgument::kDefault;
        if (takesPositional(parameter.kind) && m_nextPositional < m_positionalCount) {
            if (named >= 0)
                fail(fmt::format("multiple values for argument '{}'", parameter.name));
            source = m_nextPositional++;
        } else if (named >= 0) {
            source = m_positionalCount + named;
        } else if (!parameter.optional) {
            if (!takesPositional(parameter.kind) && !m_isVariadic && m_nextPositional < m_positionalCount)
                fail(fmt::format("'{}' can only be given by name", parameter.name));
            if (!takesNamed(parameter.kind) && std::ranges::find(m_named, parameter.name) != m_named.end())
                fail(fmt::format("'{}' can only be given by position", parameter.name));
            fail(fmt::format("missing a required argument: '{}'", parameter.name));
        }
        add(parameter.name, source, declared,
            m_isVariadic && takesPositional(parameter.kind) ? ParameterKind::PositionalOnly : parameter.kind);
    }

    void bindRest(const Parameter& parameter, int declared) {
        for (int i = 0; m_nextPositional < m_positionalCount; ++i)
            add(fmt::format("{}_{}", parameter.name, i), m_nextPositional++, declared,
                ParameterKind::PositionalOnly);
    }

    void bindRemainingNames(int declared) {
        std::vector<std::pair<std::string, int>> rest;
        for (std::size_t i = 0; i < m_named.size(); ++i)
            if (!m_isNamedUsed[i])
                rest.emplace_back(sanitizedName(m_named[i]), static_cast<int>(i));
        std::ranges::sort(rest);
        for (std::size_t i = 0; i < rest.size(); ++i) {
            if (i > 0 && rest[i].first == rest[i - 1].first)
                fail(fmt::format("two named arguments become '{}' after sanitization", rest[i].first));
            m_isNamedUsed[static_cast<std::size_t>(rest[i].second)] = true;
            add(rest[i].first, m_positionalCount + rest[i].second, declared, ParameterKind::KeywordOnly);
        }
    }

    int takeNamed(std::string_view name) {
        int found = -1;
        for (std::size_t i = 0; i < m_named.size(); ++i) {
            if (m_named[i] != name)
                continue;
            if (found >= 0)
                fail(fmt::format("multiple values for argument '{}'", name));
            m_isNamedUsed[i] = true;
            found = static_cast<int>(i);
        }
        return found;
    }

    void checkAllUsed() const {
        if (m_nextPositional < m_positionalCount)
            fail(fmt::format("expected at most {} positional arguments, got {}", m_nextPositional,
                             m_positionalCount));
        const auto unused = std::ranges::find(m_isNamedUsed, false);
        if (unused != m_isNamedUsed.end())
            fail(fmt::format("got an unexpected named argument '{}'",
                             m_named[static_cast<std::size_t>(unused - m_isNamedUsed.begin())]));
    }

    void add(std::string name, int source, int declared, ParameterKind kind) {
        m_result.push_back({{std::move(name), kind, false, TypeId::None}, source, declared});
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw BindingError(
            fmt::format("[{}] {}; the parameters are {}", m_function, what, namesOf(m_declared)));
    }

    std::string_view m_function;
    std::span<const Parameter> m_declared;
    int m_positionalCount;
    std::span<const std::string_view> m_named;
    std::vector<bool> m_isNamedUsed;
    bool m_isVariadic = false;
    int m_nextPositional = 0;
    std::vector<BoundArgument> m_result;
};

bool hasOnlyTensorLeaves(TypeId type) {
    const TraceType& facts = typeOf(type);
    if (facts.kind == TypeKind::Tensor || facts.kind == TypeKind::Dataset || facts.kind == TypeKind::Iterator)
        return true;
    return facts.kind != TypeKind::Literal && facts.kind != TypeKind::Object &&
           facts.kind != TypeKind::Variable && std::ranges::all_of(facts.items, hasOnlyTensorLeaves);
}

void checkSpec(std::string_view function, TypeId spec) {
    if (!hasOnlyTensorLeaves(spec))
        throw UsageError(
            fmt::format("[{}] expected an input signature of tensor specs, possibly nested, got {}; "
                        "numbers and variables have no place in it",
                        function, toText(spec)));
}

} // namespace

std::vector<BoundArgument> bindArguments(std::string_view function, std::span<const Parameter> declared,
                                         int positionalCount, std::span<const std::string_view> named) {
    return Binder(function, declared, positionalCount, named).bind();
}

std::string sanitizedName(std::string_view name) {
    std::string result(name);
    for (char& c : result)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0)
            c = '_';
    if (result.empty() || std::isalpha(static_cast<unsigned char>(result[0])) == 0)
        result.insert(0, "arg_");
    return result;
}

void checkParameters(std::string_view function, std::span<const Parameter> declared) {
    const auto refuse = [&](const Parameter& parameter, std::string_view why) {
        throw UsageError(fmt::format("[{}] parameter '{}' {}; the parameters are {}", function,
                                     parameter.name, why, namesOf(declared)));
    };
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const Parameter& parameter = declared[i];
        if (parameter.name.empty())
            refuse(parameter, "has no name");
        for (std::size_t k = 0; k < i; ++k)
            if (declared[k].name == parameter.name)
                refuse(parameter, "stands there twice");
        if (i == 0)
            continue;
        const Parameter& before = declared[i - 1];
        const bool isVariadic =
            before.kind == ParameterKind::VarPositional || before.kind == ParameterKind::VarKeyword;
        if (before.kind > parameter.kind || (isVariadic && before.kind == parameter.kind))
            refuse(parameter, fmt::format("({}) cannot follow '{}' ({})", parameterKindName(parameter.kind),
                                          before.name, parameterKindName(before.kind)));
        if (before.optional && !parameter.optional && takesPositional(parameter.kind))
            refuse(parameter,
                   fmt::format("needs a default value, since '{}' before it has one", before.name));
    }
}

std::vector<ConstrainedParameter> constrainedParameters(std::string_view function,
                                                        std::span<const Parameter> declared,
                                                        std::span<const TypeId> specs,
                                                        std::span<const TypeId> defaults) {
    RETRACESCOPE_CHECK(defaults.size() == declared.size());
    std::vector<ConstrainedParameter> result;
    const bool isVariadic = hasRest(declared);
    std::size_t nextSpec = 0;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        Parameter parameter = declared[i];
        const int index = static_cast<int>(i);
        if (parameter.kind == ParameterKind::VarKeyword)
            continue;
        if (parameter.kind == ParameterKind::VarPositional) {
            for (int k = 0; nextSpec < specs.size(); ++k, ++nextSpec) {
                checkSpec(function, specs[nextSpec]);
                result.push_back({{fmt::format("{}_{}", parameter.name, k), ParameterKind::PositionalOnly,
                                   false, specs[nextSpec]},
                                  index});
            }
            continue;
        }
        if (parameter.kind == ParameterKind::KeywordOnly && !parameter.optional)
            throw UsageError(
                fmt::format("[{}] keyword-only parameter '{}' must have a default value, since an input "
                            "signature has no place for it",
                            function, parameter.name));
        if (parameter.kind != ParameterKind::KeywordOnly && nextSpec < specs.size()) {
            checkSpec(function, specs[nextSpec]);
            parameter.type = specs[nextSpec++];
        } else if (parameter.optional) {
            parameter.type = defaults[i];
        } else {
            throw UsageError(
                fmt::format("[{}] input signature is missing a spec for '{}': {} given, parameters are {}",
                            function, parameter.name, specs.size(), namesOf(declared)));
        }
        if (isVariadic && takesPositional(parameter.kind))
            parameter.kind = ParameterKind::PositionalOnly;
        result.push_back({std::move(parameter), index});
    }
    if (nextSpec < specs.size())
        throw UsageError(fmt::format("[{}] input signature has {} specs too many; the parameters are {}",
                                     function, specs.size() - nextSpec, namesOf(declared)));
    return result;
}

std::optional<std::string> castProblem(TypeId given, TypeId expected) {
    const TraceType& have = typeOf(given);
    const TraceType& want = typeOf(expected);
    if (have.kind == TypeKind::Tensor && want.kind == TypeKind::Tensor) {
        if (isSubtype(have.tensor, want.tensor))
            return std::nullopt;
    } else if (have.kind == want.kind && !isLeaf(want.kind) && !want.items.empty() &&
               have.items.size() == want.items.size() && have.keys == want.keys && have.name == want.name) {
        for (std::size_t i = 0; i < want.items.size(); ++i)
            if (auto problem = castProblem(have.items[i], want.items[i])) {
                const std::string place = want.keys.empty() ? std::to_string(i) : toText(want.keys[i]);
                return fmt::format("at [{}]: {}", place, *problem);
            }
        return std::nullopt;
    } else if (isSubtype(given, expected)) {
        return std::nullopt;
    }
    return fmt::format("expected {}, got {}", toText(expected), toText(given));
}

} // namespace retracescope::types
