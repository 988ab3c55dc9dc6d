#include <retracescope/engine/trace/concrete_function.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/call_gradient.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/cast.h>
#include <retracescope/engine/trace/function_core.h>
#include <retracescope/engine/trace/replay.h>
#include <retracescope/engine/trace/tracer.h>
#include <retracescope/types/binding.h>

namespace retracescope::trace {

namespace {

using types::TypeId;
using types::TypeKind;

/// A tensor, variable, dataset or iterator among the arguments.
struct Leaf {
    std::string name;
    TypeId type = TypeId::None;
};

/// All of them in flattening order, a variable once.
class Leaves {
public:
    explicit Leaves(const types::FunctionType& type) {
        for (const types::Parameter& parameter : type.parameters)
            add(parameter.name, parameter.type);
    }
    std::vector<Leaf> take() { return std::move(m_leaves); }

private:
    void add(const std::string& parameter, TypeId id) {
        const types::TraceType& type = types::typeOf(id);
        if (type.kind == TypeKind::Variable && !m_variables.insert(type.alias).second)
            return;
        if (types::isLeaf(type.kind)) {
            const std::string& name = type.name.empty() ? parameter : type.name;
            const int uses = m_uses[name]++;
            m_leaves.push_back({uses == 0 ? name : fmt::format("{}_{}", name, uses), id});
            return;
        }
        for (const std::size_t row : types::flatteningOrder(type))
            add(parameter, type.items[row]);
    }

    std::vector<Leaf> m_leaves;
    std::map<std::string, int> m_uses;
    std::set<int> m_variables; ///< by alias
};

/// The tensors of values that have been cast to their types. What is one variable in the types is fed once,
/// with the first of the values in its places.
class LeavesByType {
public:
    void add(TypeId id, const Value& value) {
        const types::TraceType& type = types::typeOf(id);
        if (const auto* variable = value.as<Variable>()) {
            if (m_variables.insert(type.alias).second)
                m_leaves.push_back(variable->handle());
        } else if (const auto* sequence = value.as<Value::Sequence>()) {
            for (std::size_t i = 0; i < sequence->items.size(); ++i)
                add(type.items[i], sequence->items[i]);
        } else if (type.kind == TypeKind::Dict || type.kind == TypeKind::Named) {
            const auto items = flattened(value);
            const auto rows = types::flatteningOrder(type);
            for (std::size_t i = 0; i < items.size(); ++i)
                add(type.items[rows[i]], *items[i].second);
        } else {
            for (Tensor& leaf : leavesOf(value))
                m_leaves.push_back(std::move(leaf));
        }
    }
    std::vector<Tensor> take() { return std::move(m_leaves); }

private:
    std::vector<Tensor> m_leaves;
    std::set<int> m_variables; ///< by alias
};

/// The tensors of a call written as calls of the function are.
class StructuredCall {
public:
    StructuredCall(const std::string& name, const types::FunctionType& type, const Policy& policy)
        : m_start(fmt::format("[{}] ", name)), m_name(name), m_type(type), m_policy(policy) {}

    std::vector<Tensor> leaves(const CallArguments& arguments) const {
        std::vector<std::string_view> names;
        for (const auto& [name, value] : arguments.named)
            names.push_back(name);
        const std::size_t positional = arguments.positional.size();
        std::vector<Value> values;
        for (const types::BoundArgument& bound :
             types::bindArguments(m_name, m_type.parameters, static_cast<int>(positional), names)) {
            const auto source = static_cast<std::size_t>(bound.source);
            const Value& given = source < positional ? arguments.positional[source]
                                                     : arguments.named[source - positional].second;
            const types::Parameter& parameter = m_type.parameters[static_cast<std::size_t>(bound.declared)];
            values.push_back(castTo(given, parameter.type,
                                    fmt::format("{}argument '{}': ", m_start, parameter.name), m_policy));
        }
        if (!m_policy.runsConcreteUnchecked)
            requireVariablesAsTraced(values);
        LeavesByType leaves;
        for (std::size_t i = 0; i < values.size(); ++i)
            leaves.add(m_type.parameters[i].type, values[i]);
        return leaves.take();
    }

private:
    void requireVariablesAsTraced(std::span<const Value> values) const {
        AliasNumbers aliases;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const types::KeyRules rules = m_policy.keyRules();
            const TypeId given = types::cacheKey(typeOfValue(values[i], aliases), rules);
            if (types::castProblem(given, types::cacheKey(m_type.parameters[i].type, rules)))
                throw types::CastError(fmt::format("{}argument '{}': expected {}, got {}: which arguments "
                                                   "are one variable is part of the trace",
                                                   m_start, m_type.parameters[i].name,
                                                   types::toText(m_type.parameters[i].type),
                                                   types::toText(given)));
        }
    }

    const std::string m_start;
    const std::string& m_name;
    const types::FunctionType& m_type;
    const Policy& m_policy;
};

/// Whether the types differ in shape alone, so that the ops of a graph may still take the value.
bool hasOtherShape(types::TensorTypeId given, types::TensorTypeId wanted) {
    return types::dtypeOf(given) == types::dtypeOf(wanted) && !types::isSubtype(given, wanted);
}

/// The tensors of a call written flat, or why it is none. Unchecked, the dtype alone must fit.
class FlatCall {
public:
    FlatCall(std::vector<Leaf> leaves, bool isUnchecked)
        : m_leaves(std::move(leaves)), m_isUnchecked(isUnchecked), m_given(m_leaves.size()) {}

    std::optional<std::vector<Tensor>> tensors(const CallArguments& arguments) {
        const std::size_t count = arguments.positional.size();
        if (count > m_leaves.size())
            return fail(fmt::format("expected {} tensor{}, got {}", m_leaves.size(),
                                    m_leaves.size() == 1 ? "" : "s", count));
        for (std::size_t i = 0; i < count; ++i)
            if (!set(i, arguments.positional[i]))
                return std::nullopt;
        for (const auto& [name, value] : arguments.named) {
            const auto leaf = std::ranges::find(m_leaves, name, &Leaf::name);
            if (leaf == m_leaves.end())
                return fail(fmt::format("unexpected '{}'", name));
            const auto row = static_cast<std::size_t>(leaf - m_leaves.begin());
            if (!m_given[row].isEmpty())
                return fail(fmt::format("two values for '{}'", name));
            if (!set(row, value))
                return std::nullopt;
        }
        for (std::size_t i = 0; i < m_leaves.size(); ++i)
            if (m_given[i].isEmpty())
                return fail(fmt::format("missing '{}'", m_leaves[i].name));
        return m_given;
    }
    const std::string& problem() const { return m_problem; }
    /// Whether there is an argument for each tensor, none of them by name.
    bool isOfCount(const CallArguments& arguments) const {
        return arguments.named.empty() && arguments.positional.size() == m_leaves.size();
    }
    /// Whether a tensor has a shape that the graph was not made for.
    bool hasOtherShapes() const { return m_hasOtherShapes; }

private:
    bool set(std::size_t row, const Value& value) {
        const Leaf& leaf = m_leaves[row];
        const types::TraceType& wanted = types::typeOf(leaf.type);
        if (wanted.kind == TypeKind::Dataset || wanted.kind == TypeKind::Iterator)
            return setStream(row, value);
        const auto* variable = value.as<Variable>();
        const auto* tensor = value.as<Tensor>();
        if (wanted.kind == TypeKind::Variable ? variable == nullptr
                                              : tensor == nullptr || tensor->isEmpty()) {
            fail(fmt::format("expected '{}' as {}, got {}", leaf.name, types::toText(leaf.type),
                             tensor != nullptr && tensor->isEmpty() ? "an empty tensor"
                                                                    : types::toText(typeOfValue(value))));
            return false;
        }
        const types::TensorTypeId givenType = variable != nullptr ? variable->type() : tensor->type();
        const bool isOther = m_isUnchecked && hasOtherShape(givenType, wanted.tensor);
        m_hasOtherShapes = m_hasOtherShapes || isOther;
        if (!isOther && !types::isSubtype(givenType, wanted.tensor)) {
            fail(fmt::format("expected '{}' as {}, got {}", leaf.name, types::toText(wanted.tensor),
                             types::toText(givenType)));
            return false;
        }
        const Tensor& given = variable != nullptr ? variable->handle() : *tensor;
        if (variable != nullptr && !m_isUnchecked &&
            std::ranges::any_of(m_given, [&](const Tensor& other) { return other.isSame(given); })) {
            fail(fmt::format("one variable for '{}' and another", leaf.name));
            return false;
        }
        m_given[row] = given;
        return true;
    }
    bool setStream(std::size_t row, const Value& value) {
        const Leaf& leaf = m_leaves[row];
        const auto* stream = value.as<Value::Stream>();
        if (stream == nullptr || stream->handle.isEmpty() || !types::isSubtype(stream->type, leaf.type)) {
            fail(fmt::format("expected '{}' as {}", leaf.name, types::toText(leaf.type)));
            return false;
        }
        m_given[row] = stream->handle;
        return true;
    }
    std::nullopt_t fail(std::string problem) {
        m_problem = std::move(problem);
        return std::nullopt;
    }

    const std::vector<Leaf> m_leaves;
    const bool m_isUnchecked;
    std::vector<Tensor> m_given;
    bool m_hasOtherShapes = false;
    std::string m_problem;
};

bool isTensorList(TypeId id) {
    if (id == TypeId::None)
        return false;
    const types::TraceType& type = types::typeOf(id);
    return type.kind == TypeKind::List && std::ranges::all_of(type.items, [](TypeId item) {
               return types::typeOf(item).kind == TypeKind::Tensor;
           });
}

} // namespace

ConcreteFunction::ConcreteFunction(Parts parts)
    : m_outputCount(parts.executable->graph().outputs().size()),
      m_returnsTensorList(isTensorList(parts.type.output)), m_hasDeferred(!parts.deferred.empty()),
      m_mayCallHost(m_hasDeferred || parts.executable->graph().effect() == ir::Effect::Ordered),
      m_parts(std::move(parts)) {}

Value ConcreteFunction::call(const CallArguments& arguments) const {
    return m_parts.function->withoutLookup(key(), runtime::CallOutcome::Hit, [&] {
        return placed(arguments.where, [&] { return called(arguments); });
    });
}

Value ConcreteFunction::called(const CallArguments& arguments) const {
    std::vector<Tensor> leaves;
    FlatCall flat(Leaves(m_parts.type).take(),
                  m_parts.policy.runsConcreteUnchecked && Tracer::current() == nullptr);
    const auto flatOr = [&]<class Error>(const Error& structured) {
        auto tensors = flat.tensors(arguments);
        if (!tensors && std::is_same_v<Error, types::BindingError> &&
            flat.isOfCount(arguments)) // written flat, then
            throw Error(fmt::format("[{}] {}; as its function is called: {}", name(), flat.problem(),
                                    std::string_view(structured.what()).substr(name().size() + 3)));
        if (!tensors)
            throw Error(fmt::format("{}; flat: {}", structured.what(), flat.problem()));
        leaves = std::move(*tensors);
    };
    try {
        leaves = StructuredCall(m_parts.name, m_parts.type, m_parts.policy).leaves(arguments);
    } catch (const types::BindingError& error) {
        flatOr(error);
    } catch (const types::CastError& error) {
        flatOr(error);
    }
    std::vector<Tensor> results(m_outputCount);
    if (flat.hasOtherShapes())
        results = runOpByOp(leaves, arguments.where);
    else
        run(leaves, results, arguments.where);
    std::size_t next = 0;
    return packed(m_parts.type.output, results, next);
}

std::vector<std::string> ConcreteFunction::flatNames() const {
    std::vector<std::string> names;
    for (Leaf& leaf : Leaves(m_parts.type).take())
        names.push_back(std::move(leaf.name));
    return names;
}

std::vector<std::pair<std::string, Value>> ConcreteFunction::inputStructure() const {
    std::vector<std::pair<std::string, Value>> structure;
    for (const types::Parameter& parameter : type().parameters)
        structure.emplace_back(parameter.name, specOf(parameter.type));
    return structure;
}

Value ConcreteFunction::outputStructure() const {
    return specOf(type().output);
}

bool ConcreteFunction::hasOtherShapes(std::span<const Tensor> arguments) const {
    const std::vector<Leaf> leaves = Leaves(m_parts.type).take();
    if (leaves.size() != arguments.size())
        return false;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const types::TraceType& wanted = types::typeOf(leaves[i].type);
        const bool isVariable = wanted.kind == TypeKind::Variable && runtime::Variable::find(arguments[i]);
        if (!isVariable && wanted.kind != TypeKind::Tensor)
            continue;
        const types::TensorTypeId given =
            isVariable ? Variable::of(arguments[i]).type() : arguments[i].type();
        if (hasOtherShape(given, wanted.tensor))
            return true;
    }
    return false;
}

std::vector<Tensor> ConcreteFunction::callFlat(std::span<const Tensor> arguments, Where where) const {
    return m_parts.function->withoutLookup(key(), runtime::CallOutcome::Hit, [&] {
        return placed(where, [&] {
            if (m_parts.policy.runsConcreteUnchecked && Tracer::current() == nullptr &&
                hasOtherShapes(arguments))
                return runOpByOp(arguments, where);
            std::vector<Tensor> results(m_outputCount);
            run(arguments, results, where);
            return results;
        });
    });
}

std::vector<Tensor> ConcreteFunction::withDeferred(std::span<const Tensor> arguments) const {
    std::vector<Tensor> all(arguments.begin(), arguments.end());
    Tracer* const tracer = Tracer::current();
    for (const DeferredCapture& capture : m_parts.deferred) // inside a trace, its function asks in turn
        all.push_back(tracer == nullptr ? capture.now(m_parts.name) : tracer->addDeferred(capture));
    return all;
}

void ConcreteFunction::run(std::span<const Tensor> given, std::span<Tensor> results, Where where) const {
    std::vector<Tensor> all;
    if (hasDeferred())
        all = withDeferred(given);
    const std::span<const Tensor> arguments = hasDeferred() ? std::span<const Tensor>(all) : given;
    callGraph(m_parts.executable, arguments, results, where, [this] { return gradient(); });
}

std::vector<Tensor> ConcreteFunction::runOpByOp(std::span<const Tensor> arguments, Where where) const {
    Replay replay(graph(), where);
    replay.setInputs(withDeferred(arguments));
    replay.runAll();
    return replay.outputs();
}

std::shared_ptr<const CallGradient> ConcreteFunction::gradient() const {
    std::call_once(m_gradientMade, [this] {
        m_gradient = CallGradient::of(graph());
        m_hasGradient = m_gradient != nullptr;
    });
    return m_gradient;
}

std::string toText(const ConcreteFunction& concrete) {
    return types::toListing(concrete.type());
}

} // namespace retracescope::trace
