#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <retracescope/retracescope.h>

#include "tests/oracle/python_def.h"
#include "tests/oracle/replay.h"
#include "tests/oracle/stage.h"

namespace retracescope::oracle {

/// One scenario with bodies written in C++: these define its functions as its `source` does and take its
/// recorded steps one after the other, with the lines of its `program` between them. What a step comes to is
/// compared with what was recorded; a step out of turn is a difference, too.
class Play {
    using CallArguments = trace::CallArguments;
    using Where = trace::Where;

public:
    Play(const Json& scenario, const trace::Policy& policy)
        : m_stage(scenario, Stage::Bodies::Recorded), m_policy(policy) {}

    // Functions.

    /// The function of that label, with the parameters of its `def` line.
    template <class Callable>
    auto function(const std::string& label, Callable callable, Where where = Where::current()) {
        return function(label, parametersOf(lines(), label), std::move(callable), where);
    }
    template <class Callable>
    auto function(const std::string& label, std::vector<ParameterName> parameters, Callable callable,
                  Where where = Where::current()) {
        return wrapper(label, uniqueName(label), std::move(parameters), std::move(callable), where);
    }
    /// One of several functions made of the same code: `name` is from uniqueName().
    template <class Callable>
    auto wrapper(const std::string& label, const std::string& name, std::vector<ParameterName> parameters,
                 Callable callable, Where where = Where::current()) {
        Function result(name, std::move(parameters), std::move(callable), options(label), where);
        add(label, result);
        return result;
    }
    template <class Signature>
    void add(const std::string& label, const Function<Signature>& made) {
        m_stage.add(label, made.core());
        m_cores[label] = {std::make_shared<Function<Signature>>(made), &made.core()};
    }
    /// A function that is none of the scenario's: for what Python does outside of any.
    template <class Callable>
    auto helper(std::vector<ParameterName> parameters, Callable callable) {
        return Function(uniqueName("helper"), std::move(parameters), std::move(callable), options(""));
    }
    std::string uniqueName(const std::string& label) const {
        return oracle::uniqueName(m_stage.scenario(), label);
    }
    FunctionOptions options(const std::string& label) const {
        return optionsOf(m_stage.scenario(), label, m_policy);
    }
    trace::FunctionCore& core(const std::string& label) { return *m_cores.at(label).core; }

    /// The variable that the notation of arguments knows by that id.
    void variable(int id, const Variable& variable) { m_arguments.set(id, variable); }

    // Steps.

    /// A call; the arguments are the recorded ones if none are given. None after an error.
    template <class... Given>
    Value call(const std::string& label, const Given&... given) {
        m_output = Value();
        lookUp("call", label, CallArguments::of(given...), sizeof...(Given) > 0);
        return m_output;
    }
    /// A request for a concrete function, which it returns (null after an error).
    template <class... Given>
    const ConcreteFunction* get(const std::string& label, const Given&... given) {
        return lookUp("get_concrete_function", label, CallArguments::of(given...), sizeof...(Given) > 0);
    }
    /// The direct call of a concrete function.
    template <class... Given>
    void callConcrete(const std::string& label, const Given&... given) {
        callConcrete(label, CallArguments::of(given...), sizeof...(Given) > 0);
    }
    /// All calls that follow, with the recorded arguments, up to a step of another kind.
    void playOn();
    /// A step that does something else.
    void other(const std::function<Value()>& work);

    /// An observation.
    void check(const Json& seen);
    /// One whose making may fail.
    void checkThat(const std::function<Json()>& look);
    /// The graph of a concrete function.
    void graph(const std::string& label, const ConcreteFunction& concrete);
    /// An observation that has no counterpart in the engine.
    void skip() { m_stage.skipObservation(); }

    /// The recorded positional argument of the step that comes now.
    Value argument(std::size_t index);
    void say(const std::string& text) { m_stage.say(text); }
    /// See Stage::ignoreTypes().
    void ignoreTypes() { m_stage.ignoreTypes(); }

    Outcome outcome();

private:
    struct Known {
        std::shared_ptr<void> function;
        trace::FunctionCore* core = nullptr;
    };

    std::vector<std::string> lines() const {
        return m_stage.scenario().at("source").get<std::vector<std::string>>();
    }
    const ConcreteFunction* lookUp(const std::string& what, const std::string& label, CallArguments arguments,
                                   bool given);
    void callConcrete(const std::string& label, CallArguments arguments, bool given);
    CallArguments recordedArguments(const Json& step);

    Stage m_stage;
    const trace::Policy m_policy;
    Arguments m_arguments;
    Value m_output; ///< of the last call
    std::map<std::string, Known> m_cores;
};

/// A value as Python's tf.convert_to_tensor() has it: a literal becomes a tensor, a variable is read.
Tensor tensorOf(const Value& value);

/// What `check` compares: nested lists of numbers, null for None.
Json seen(const Tensor& tensor);
Json seen(const Value& value);

} // namespace retracescope::oracle
