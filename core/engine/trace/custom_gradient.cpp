#include <retracescope/engine/trace/custom_gradient.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/forward_backward.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/node_backward.h>
#include <retracescope/engine/trace/tape.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

using detail::CustomGradients;
using detail::CustomResult;

namespace {

using Callable = std::function<CustomResult(std::span<const Value>)>;

/// A tensor, or the handle of a variable, with the gradient that a backward returned for it.
struct InputGradient {
    Tensor input;
    Tensor gradient;
};

/// Goes through what a backward returned beside what it belongs to.
class GradientMatch {
public:
    GradientMatch(std::string_view name, Where where) : m_name(name), m_where(where) {}

    std::vector<InputGradient> of(std::span<const Value> arguments, std::span<const Variable> variables,
                                  const CustomGradients& gradients);

private:
    [[noreturn]] void refuse(const std::string& expected, const std::string& got) const {
        throw UsageError(fmt::format("[{}] expected {} from its backward, got {}{}", m_name, expected, got,
                                     placeText(m_where)));
    }
    void match(const Value& argument, const Value& gradient, const std::string& path);
    void matchItems(std::span<const Value> arguments, const Value& gradients, const std::string& what,
                    const std::string& path);
    void add(const Tensor& input, types::TensorTypeId type, const Value& gradient, const std::string& path);

    const std::string_view m_name;
    const Where m_where;
    std::vector<InputGradient> m_found;
};

bool isNone(const Value& value) {
    const auto* literal = value.as<types::Literal>();
    return literal != nullptr && literal->isNone();
}

std::string nameOf(const Value& value) {
    const auto* tensor = value.as<Tensor>();
    return tensor != nullptr ? types::toText(tensor->type()) : types::toText(typeOfValue(value));
}

std::vector<InputGradient> GradientMatch::of(std::span<const Value> arguments,
                                             std::span<const Variable> variables,
                                             const CustomGradients& gradients) {
    if (arguments.size() == 1)
        match(arguments[0], gradients.arguments, "argument 0");
    else
        matchItems(arguments, gradients.arguments, "the gradients of", "argument ");
    if (gradients.variables.size() != variables.size())
        refuse(fmt::format("a gradient for each of {} variables", variables.size()),
               fmt::format("{}", gradients.variables.size()));
    for (std::size_t i = 0; i < variables.size(); ++i)
        add(variables[i].handle(), variables[i].type(), gradients.variables[i],
            "variable '" + variables[i].name() + "'");
    return std::move(m_found);
}

void GradientMatch::matchItems(std::span<const Value> arguments, const Value& gradients,
                               const std::string& what, const std::string& path) {
    const auto* items = gradients.as<Value::Sequence>();
    if (items == nullptr || items->items.size() != arguments.size())
        refuse(fmt::format("{} {} {}", what, arguments.size(), path.ends_with(' ') ? "arguments" : "items"),
               items == nullptr ? nameOf(gradients) : fmt::format("{}", items->items.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i)
        match(arguments[i], items->items[i],
              path.ends_with(' ') ? fmt::format("{}{}", path, i) : fmt::format("{}[{}]", path, i));
}

void GradientMatch::match(const Value& argument, const Value& gradient, const std::string& path) {
    if (isNone(gradient))
        return;
    if (const auto* tensor = argument.as<Tensor>()) {
        if (!tensor->isEmpty())
            add(*tensor, tensor->type(), gradient, path);
    } else if (const auto* variable = argument.as<Variable>()) {
        add(variable->handle(), variable->type(), gradient, path);
    } else if (const auto* sequence = argument.as<Value::Sequence>()) {
        matchItems(sequence->items, gradient, "as the gradient of " + path, path);
    } else if (const auto* dict = argument.as<Value::Dict>()) {
        const auto* found = gradient.as<Value::Dict>();
        if (found == nullptr || found->items.size() != dict->items.size())
            refuse(fmt::format("as the gradient of {} a map with {} items", path, dict->items.size()),
                   nameOf(gradient));
        for (const auto& [key, item] : dict->items) {
            const auto other =
                std::ranges::find_if(found->items, [&](const auto& one) { return one.first == key; });
            if (other == found->items.end())
                refuse(fmt::format("as the gradient of {} an item {}", path, types::toText(key)), "none");
            match(item, other->second, fmt::format("{}[{}]", path, types::toText(key)));
        }
    } else if (const auto* fields = argument.as<Value::Struct>()) {
        const auto* found = gradient.as<Value::Struct>();
        if (found == nullptr || found->fields.size() != fields->fields.size())
            refuse(fmt::format("as the gradient of {} a {}", path, fields->name), nameOf(gradient));
        for (std::size_t i = 0; i < fields->fields.size(); ++i)
            match(fields->fields[i].second, found->fields[i].second,
                  fmt::format("{}.{}", path, fields->fields[i].first));
    }
}

void GradientMatch::add(const Tensor& input, types::TensorTypeId type, const Value& gradient,
                        const std::string& path) {
    if (!types::isFloating(types::dtypeOf(type)))
        return;
    const auto* tensor = gradient.as<Tensor>();
    if (tensor != nullptr && tensor->isEmpty())
        return;
    const bool fits = tensor != nullptr &&
                      (types::isSubtype(tensor->type(), type) || types::isSubtype(type, tensor->type()));
    if (!fits)
        refuse(fmt::format("{} as the gradient of {}", types::toText(type), path), nameOf(gradient));
    const auto known =
        std::ranges::find_if(m_found, [&](const InputGradient& one) { return one.input.isSame(input); });
    if (known == m_found.end())
        m_found.push_back({input, *tensor});
    else
        known->gradient = Tape::sumOf(known->gradient, *tensor, m_where);
}

/// Runs the callable, and refuses variables that it reads without giving a gradient.
CustomResult ran(std::string_view name, std::span<const Value> arguments, const Callable& callable,
                 Where where) {
    Tape watcher(true);
    const CustomResult made = callable(arguments);
    std::vector<Tensor> given = leavesOfAll(arguments);
    for (const Variable& variable : made.variables)
        given.push_back(variable.handle());
    for (const Variable& variable : watcher.watchedVariables()) {
        const bool isGiven = std::ranges::any_of(
            given, [&](const Tensor& handle) { return handle.isSame(variable.handle()); });
        if (!isGiven)
            throw UsageError(fmt::format("[{}] reads variable '{}', for which its backward returns no "
                                         "gradient; list it in withGradient(){}",
                                         name, variable.name(), placeText(where)));
    }
    return made;
}

/// The gradient of a result in its structure: zeros where none flows.
Value gradientOf(types::TypeId type, std::span<const Tensor> results, std::span<const Tensor> gradients,
                 Where where) {
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < results.size(); ++i)
        all.push_back(gradients[i].isEmpty() ? zerosLike(results[i], where) : gradients[i]);
    std::size_t next = 0;
    return packed(type, all, next);
}

/// Of an eager call.
class CustomBackward final : public Backward {
public:
    CustomBackward(std::string_view name, std::span<const Value> arguments, CustomResult made,
                   types::TypeId type, Where where)
        : m_name(name), m_arguments(arguments.begin(), arguments.end()), m_made(std::move(made)),
          m_type(type), m_where(where) {}

    std::vector<Tensor> inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                       const std::vector<bool>& /*wanted*/, Where where) const override {
        const CustomGradients returned = m_made.backward(gradientOf(m_type, entry.results, gradients, where));
        std::vector<Tensor> toInputs(entry.inputs.size());
        for (const InputGradient& one :
             GradientMatch(m_name, m_where).of(m_arguments, m_made.variables, returned)) {
            const auto place = std::ranges::find_if(
                entry.inputs, [&](const Tensor& input) { return input.isSame(one.input); });
            toInputs[static_cast<std::size_t>(place - entry.inputs.begin())] = one.gradient;
        }
        return toInputs;
    }

private:
    const std::string m_name;
    const std::vector<Value> m_arguments;
    const CustomResult m_made;
    const types::TypeId m_type; ///< of the result
    const Where m_where;
};

Value runEagerly(std::string_view name, std::span<const Value> arguments, const Callable& callable,
                 Where where) {
    if (!Tape::isAny())
        return eagerResultOf(callable(arguments).result, name);
    CustomResult made = ran(name, arguments, callable, where);
    const Value result = eagerResultOf(made.result, name);
    const types::TypeId type = typeOfValue(result);
    std::vector<Tensor> results;
    for (const Tensor& leaf : leavesOf(result)) // what tapes know of it does not count
        results.push_back(Tape::unknown(leaf));
    std::vector<Tensor> inputs = leavesOfAll(arguments);
    for (const Variable& variable : made.variables)
        inputs.push_back(variable.handle());
    Tape::record(inputs, results, [&] {
        return std::make_shared<const CustomBackward>(name, arguments, std::move(made), type, where);
    });
    std::size_t next = 0;
    return packed(type, results, next);
}

/// A call in the graph with both traced.
class TracedCall {
public:
    TracedCall(Tracer& outer, std::string_view name, Where where)
        : m_outer(outer), m_name(name), m_where(where) {}

    Value run(std::span<const Value> arguments, const Callable& callable);

private:
    /// Fills the rest.
    void trace(std::span<const Value> arguments, const Callable& callable);

    Tracer& m_outer;
    const std::string m_name;
    const Where m_where;
    autodiff::ForwardBackward m_graphs;
    std::vector<std::size_t> m_gradientsOf;
    std::vector<Tensor> m_lifted;               ///< further inputs
    types::TypeId m_type = types::TypeId::None; ///< of the result
    std::size_t m_resultCount = 0;              ///< tensors in it
};

void TracedCall::trace(std::span<const Value> arguments, const Callable& callable) {
    Tracer tracer(m_outer.name() + "/" + m_name, Tracer::Role::Branch, m_outer.creation());
    AliasNumbers aliases;
    std::map<std::uint32_t, Tensor> handles;
    std::vector<Value> seen;
    for (const Value& argument : arguments)
        seen.push_back(placeholderFor(argument, typeOfValue(argument, aliases),
                                      fmt::format("argument_{}", seen.size()), tracer, handles));
    const CustomResult made = ran(m_name, seen, callable, m_where);
    const Value result = resultOf(made.result, tracer, m_name);
    m_type = typeOfValue(result);
    const std::vector<Tensor> results = leavesOf(result);
    m_resultCount = results.size();
    ir::Graph& graph = tracer.graph();
    const ir::NodeId count = graph.nodeCount();

    std::vector<ir::NodeId> outputs;
    std::vector<ir::NodeId> seeds;
    std::vector<Tensor> gradients;
    for (const Tensor& one : results) {
        outputs.push_back(one.node());
        const bool isSeeded = types::isFloating(one.dtype());
        gradients.push_back(isSeeded ? tracer.addInput(one.type(), "gradient") : Tensor());
        seeds.push_back(isSeeded ? gradients.back().node() : ir::kNoNode);
    }
    const CustomGradients returned = made.backward(gradientOf(m_type, results, gradients, m_where));
    std::vector<ir::NodeId> found;
    std::vector<ir::NodeId> inputs;
    for (const InputGradient& one : GradientMatch(m_name, m_where).of(seen, made.variables, returned)) {
        found.push_back(tracer.nodeOf(one.gradient, m_name));
        inputs.push_back(tracer.nodeOf(one.input, m_name));
    }
    m_graphs = autodiff::split(graph, count, outputs, seeds, found);
    std::vector<ir::NodeId> taken;
    std::ranges::copy_if(graph.inputs(), std::back_inserter(taken),
                         [&](ir::NodeId input) { return std::ranges::count(seeds, input) == 0; });
    for (const ir::NodeId input : inputs)
        m_gradientsOf.push_back(static_cast<std::size_t>(std::ranges::find(taken, input) - taken.begin()));
    m_lifted = tracer.lifted();
}

Value TracedCall::run(std::span<const Value> arguments, const Callable& callable) {
    trace(arguments, callable);
    std::vector<Tensor> inputs = leavesOfAll(arguments);
    inputs.insert(inputs.end(), m_lifted.begin(), m_lifted.end());
    const std::vector<ir::NodeId> nodes = nodesOf(m_outer, inputs, m_name);
    m_graphs.forward.rename(m_name);
    const ir::OwnGradient own = autodiff::ownGradientFrom(m_graphs, m_resultCount, m_gradientsOf);
    ir::Graph& graph = m_outer.graph();
    graph.setSource(m_where);
    const ir::NodeId node = graph.addCall(compileCallee(std::move(m_graphs.forward)), nodes, own);
    const std::vector<Tensor> results = resultsInTrace(m_outer, node);
    std::size_t next = 0;
    return packed(m_type, results, next);
}

/// The gradient that a call has of its own.
class OwnBackward final : public Backward {
public:
    OwnBackward(ir::OwnGradient own, std::span<const Tensor> further)
        : m_own(std::move(own)), m_further(further.begin(), further.end()) {}

    std::vector<Tensor> inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                       const std::vector<bool>& /*wanted*/, Where where) const override {
        std::vector<Tensor> taken = entry.inputs;
        taken.insert(taken.end(), entry.results.begin(), entry.results.end());
        taken.insert(taken.end(), m_further.begin(), m_further.end());
        for (std::size_t i = 0; i < entry.results.size(); ++i)
            if (types::isFloating(entry.results[i].dtype()))
                taken.push_back(gradients[i].isEmpty() ? zerosLike(entry.results[i], where) : gradients[i]);
        std::vector<Tensor> found(m_own.gradientsOf.size());
        const auto backward =
            std::dynamic_pointer_cast<const runtime::Executable>(compileCallee(*m_own.backward));
        callGraph(backward, taken, found, where);
        std::vector<Tensor> toInputs(entry.inputs.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            toInputs[m_own.gradientsOf[i]] = found[i];
        return toInputs;
    }

private:
    const ir::OwnGradient m_own;
    const std::vector<Tensor> m_further; ///< results behind those that it belongs to
};

} // namespace

Value detail::runWithGradient(std::string_view name, std::span<const Value> arguments,
                              const std::function<CustomResult(std::span<const Value>)>& callable,
                              Where where) {
    std::vector<Value> given;
    for (const Value& argument : arguments)
        given.push_back(withoutHostArrays(argument));
    Tracer* const tracer = Tracer::current();
    return placed(where, [&] {
        return tracer != nullptr ? TracedCall(*tracer, name, where).run(given, callable)
                                 : runEagerly(name, given, callable, where);
    });
}

void recordOwnGradient(const ir::OwnGradient& own, std::span<const Tensor> inputs,
                       std::span<Tensor> results) {
    const std::span<Tensor> first = results.first(own.results);
    for (Tensor& result : first)
        result = Tape::unknown(result);
    Tape::record(inputs, first,
                 [&] { return std::make_shared<const OwnBackward>(own, results.subspan(own.results)); });
}

} // namespace retracescope::trace
