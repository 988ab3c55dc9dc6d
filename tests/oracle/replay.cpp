#include "tests/oracle/replay.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include <retracescope/engine/trace/function_core.h>

#include "tests/oracle/bodies.h"
#include "tests/oracle/python_def.h"
#include "tests/oracle/stage.h"

namespace retracescope::oracle {

namespace {

using trace::FunctionCore;

bool isLookup(const Json& step) {
    return step.at("do") == "call" || step.at("do") == "get_concrete_function";
}

bool isObservation(const Json& step) {
    return step.at("do") == "check" || step.at("do") == "graph";
}

std::string textAt(const Json& object, const char* key) {
    return object.contains(key) && object.at(key).is_string() ? object.at(key).get<std::string>() : "";
}

std::vector<std::string> linesOf(const Json& scenario) {
    return scenario.at("source").get<std::vector<std::string>>();
}

class Player {
public:
    Player(const Json& scenario, const trace::Policy& policy)
        : m_scenario(scenario), m_policy(policy), m_stage(scenario, Stage::Bodies::Other) {}

    Outcome play() {
        for (const Json& step : m_scenario.at("steps")) {
            if (isObservation(step))
                m_stage.skipObservation();
            else
                lookUp(step);
            if (!m_stage.problem().empty())
                break;
        }
        if (m_stage.problem().empty())
            m_stage.finish();
        return {m_stage.problem().empty() ? Outcome::Kind::Passed : Outcome::Kind::Failed, m_stage.problem(),
                m_stage.compared(), m_stage.notCompared()};
    }

private:
    FunctionCore& functionOf(const std::string& label) {
        std::unique_ptr<FunctionCore>& core = m_functions[label];
        if (core == nullptr) {
            core = std::make_unique<FunctionCore>(
                uniqueName(m_scenario, label), parametersOf(linesOf(m_scenario), label),
                [](std::span<const trace::Value>) { return trace::Value(); },
                optionsOf(m_scenario, label, m_policy), trace::Where::current());
            m_stage.add(label, *core);
        }
        return *core;
    }

    trace::CallArguments argumentsOf(const Json& step) {
        m_arguments.takeExactNumbersFrom(m_stage.expectedTypes(step));
        return m_arguments.argumentsOf(step);
    }

    void lookUp(const Json& step) {
        const bool isCall = step.at("do") == "call";
        FunctionCore& core = functionOf(step.at("fn"));
        const trace::CallArguments arguments = argumentsOf(step);
        m_stage.take(step.at("do"), step.at("fn"));
        m_stage.beginStep();
        Attempt got;
        attempt(got, [&] {
            got.request = parametersText(core.requestType(arguments));
            got.concrete = isCall ? core.call(arguments, {}).first : &core.concrete(arguments);
        });
        m_stage.judgeLookup(step, core, got);
    }

    const Json& m_scenario;
    const trace::Policy m_policy;
    std::map<std::string, std::unique_ptr<FunctionCore>> m_functions;
    Stage m_stage;
    Arguments m_arguments;
};

std::string whyNotReplayable(const Json& scenario, const Json& step) {
    if (isObservation(step))
        return {};
    if (!isLookup(step))
        return fmt::format("a step '{}'", step.at("do").get<std::string>());
    for (const char* key : {"args", "kwargs"})
        if (step.contains(key))
            if (std::string kind = unknownKind(step.at(key)); !kind.empty())
                return "an argument of kind " + kind;
    try {
        parametersOf(linesOf(scenario), textAt(step, "fn"));
    } catch (const std::exception& error) {
        return error.what();
    }
    if (step.contains("events") && !step.at("events").empty())
        return "nested lookups";
    const std::string outcome = step.at("outcome");
    if (step.value("traces", 0) > 1 || outcome == "eager" || outcome == "no_lookup")
        return "an outcome that depends on the body";
    if (outcome == "error") {
        const std::string type = step.at("error").at("type");
        if (step.value("traces", 0) > 0 || (type != "TypeError" && type != "IndexError"))
            return "an error out of the body";
    }
    return {};
}

} // namespace

trace::FunctionOptions optionsOf(const Json& scenario, const std::string& label,
                                 const trace::Policy& policy) {
    trace::FunctionOptions options;
    options.policy = policy;
    const Json& all = scenario.at("options");
    if (!all.contains(label))
        return options;
    const Json& given = all.at(label);
    options.reduceRetracing = given.value("reduce_retracing", false);
    if (given.contains("input_signature")) {
        options.inputSignature.emplace();
        Arguments specs;
        for (const Json& spec : given.at("input_signature").at("items"))
            options.inputSignature->push_back(specs.valueOf(spec));
    }
    return options;
}

std::string uniqueName(const Json& scenario, const std::string& label) {
    static int last = 0;
    return fmt::format("{}@{}.{}", label, scenario.at("id").get<std::string>(), ++last);
}

std::string whyNotReplayable(const Json& scenario) {
    const Json& steps = scenario.at("steps");
    if (std::ranges::none_of(steps, isLookup))
        return "no lookups";
    for (const Json& step : steps)
        if (std::string reason = whyNotReplayable(scenario, step); !reason.empty())
            return reason;
    if (std::string kind = unknownKind(scenario.at("options")); !kind.empty())
        return "an option of kind " + kind;
    for (const Json& concrete : scenario.at("concrete"))
        if (concrete.contains("captures") && !concrete.at("captures").empty())
            return "captures";
    return {};
}

Outcome replay(const Json& scenario, const trace::Policy& policy) {
    if (const Body* body = bodyOf(scenario.at("id")))
        return play(scenario, policy, *body);
    if (std::string reason = whyNotReplayable(scenario); !reason.empty())
        return {Outcome::Kind::Skipped, "needs a body, and there is none: " + reason, 0, 0};
    try {
        return Player(scenario, policy).play();
    } catch (const std::exception& error) {
        return {Outcome::Kind::Failed, error.what(), 0, 0};
    }
}

} // namespace retracescope::oracle
