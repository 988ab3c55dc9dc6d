#include "tests/oracle/stage.h"

#include <algorithm>
#include <array>
#include <regex>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace retracescope::oracle {

namespace {

using trace::ConcreteFunction;
using trace::FunctionCore;

/// "binding", "cast" or "relax" for an error of a lookup, "other" for one out of a body or a run.
std::string kindOf(const Json& error) {
    if (error.at("type") == "IndexError")
        return "relax";
    const std::string fragment = error.at("fragment");
    if (fragment.find("(zero-based) was expected to be a ") != std::string::npos)
        return "cast"; // TensorFlow leaves some types to the runtime
    if (!fragment.starts_with("Binding inputs"))
        return "other";
    static constexpr std::array kBindingTexts{
        "`missing a required", "`too many positional arguments", "`got an unexpected keyword argument",
        "`multiple values for argument", "positional only, but was passed as a keyword"};
    const bool isBinding = std::ranges::any_of(
        kBindingTexts, [&](const char* text) { return fragment.find(text) != std::string::npos; });
    return isBinding ? "binding" : "cast";
}

/// "Mask.Spec(values=TensorSpec(...), name='m')" as the engine writes structs:
/// "Mask[['values', TensorSpec(...)], ['name', Literal['m']]]".
std::string structsOf(const std::string& text) {
    static const std::regex start(R"((\w+)\.Spec\()");
    std::smatch found;
    if (!std::regex_search(text, found, start))
        return text;
    std::string result;
    std::string field;
    const auto add = [&] {
        const std::size_t equals = field.find('=');
        const std::string value = field.substr(equals + 1);
        result +=
            fmt::format("{}['{}', {}]", result.empty() ? "" : ", ", field.substr(0, equals),
                        value.find("Spec(") != std::string::npos ? value : fmt::format("Literal[{}]", value));
        field.clear();
    };
    std::size_t at = static_cast<std::size_t>(found.position() + found.length());
    for (int depth = 1; at < text.size(); ++at) {
        const char c = text[at];
        depth += c == '(';
        depth -= c == ')';
        if (depth == 0)
            break;
        if (depth == 1 && c == ',') {
            add();
            ++at; // the blank
        } else {
            field += c;
        }
    }
    add();
    return structsOf(
        fmt::format("{}{}[{}]{}", found.prefix().str(), found[1].str(), result, text.substr(at + 1)));
}

/// Without what is only Python's way to write a value or only the engine's: the object that stands for all
/// NaNs, NumPy's class of text, addresses and numbers of objects, enumerators.
std::string plainTypes(std::string text) {
    static const std::array<std::pair<std::regex, const char*>, 8> kPlain{{
        // TensorFlow writes all NaNs as one object()
        {std::regex(R"(Literal\[[^'"\]]*nan[^'"\]]*\])"), "Weakref[object]"},
        {std::regex(R"(np\.str_\(('[^']*'|"[^"]*")\))"), "$1"},
        {std::regex(R"(Weakref\[<weakref at 0x\.\.; to '(\w+)' at 0x\.\.(?: \(\w+\))?>\]\))"), "Weakref[$1]"},
        {std::regex(R"(Literal\[<(\w+) object at 0x\.\.>\])"), "Weakref[$1]"},
        {std::regex(R"(Literal\[<[\w.|]+: (\d+)>\])"), "Literal[$1]"},
        {std::regex(R"(Weakref\[<(\w+) #\d+>\])"), "Weakref[$1]"},
        {std::regex(R"((\w+)\[\['value', Literal\[[^\[\]]*\]\]\])"), "Weakref[$1]"},
        {std::regex(R"(\w+\[\['key', Literal\['([^']*)'\]\]\])"), "$1"},
    }};
    for (const auto& [pattern, plain] : kPlain)
        text = std::regex_replace(text, pattern, plain);
    return structsOf(text);
}

std::string argumentsText(const types::FunctionType& type) {
    return types::toText(types::FunctionType{type.parameters, {}, types::TypeId::None});
}

std::string textOf(const Json& list) {
    std::string text;
    for (const Json& item : list)
        text += (text.empty() ? "" : " | ") + item.get<std::string>();
    return text;
}

void addVariables(const ir::Graph& graph, std::set<const void*>& variables) {
    for (const auto& capture : graph.captures())
        if (capture.value.dtype() == types::DType::Resource)
            variables.insert(capture.value.target().get());
}

void addVariablesOfCallees(const ir::Graph& graph, std::set<const void*>& variables) {
    for (const auto& callee : graph.callees()) {
        addVariables(callee->graph(), variables);
        addVariablesOfCallees(callee->graph(), variables);
    }
    for (const auto& branch : graph.branches())
        addVariablesOfCallees(*branch, variables);
}

/// How many values of the surrounding program a concrete function reads. In TensorFlow a caller captures what
/// the functions it calls capture; here these keep it, so their variables are added.
std::size_t captureCount(const ConcreteFunction& concrete) {
    std::set<const void*> own;
    std::set<const void*> called;
    addVariables(concrete.graph(), own);
    addVariablesOfCallees(concrete.graph(), called);
    const auto added = std::ranges::count_if(called, [&](const void* one) { return !own.contains(one); });
    return concrete.type().captures.size() + static_cast<std::size_t>(added);
}

/// "-" for none.
std::string rowText(const Json& row) {
    return row.is_null() ? "-" : std::to_string(row.get<std::size_t>());
}

bool isNear(const Json& got, const Json& expected) {
    if (expected.is_array() && got.is_array()) {
        return got.size() == expected.size() &&
               std::ranges::equal(got, expected, [](const Json& a, const Json& b) { return isNear(a, b); });
    }
    if (!expected.is_number() || !got.is_number())
        return got == expected;
    const double a = got.get<double>();
    const double b = expected.get<double>();
    return std::abs(a - b) <= 1e-5 * std::max(std::abs(b), 1e-3);
}

} // namespace

/// Hears every lookup of the functions on stage.
class Stage::Listener : public runtime::Observer {
public:
    explicit Listener(Stage& stage) : m_stage(stage) {}

    void onFunction(const runtime::FunctionFacts&) override {}
    void onMiss(const runtime::MissFacts&) override {}
    void onTraceBegin(runtime::FunctionKey, std::uint64_t) override {}
    void onEntry(const runtime::EntryFacts& facts) override { add(facts.function, "trace", facts.entry); }
    void onTraceEnd(const runtime::TraceFacts& facts) override {
        if (!facts.exception.empty())
            add(facts.function, "trace_error", 0);
    }
    void onPhase(const runtime::PhaseFacts&) override {}
    void onDrop(runtime::EntryKey, runtime::DropReason, std::uint64_t) override {}
    void onWarning(runtime::FunctionKey, std::string_view, std::uint64_t) override {}
    void onCall(const runtime::CallFacts& facts) noexcept override {
        if (facts.outcome == runtime::CallOutcome::Hit)
            add(facts.function, "hit", facts.entry);
    }

private:
    void add(runtime::FunctionKey function, const char* outcome, runtime::EntryKey entry) {
        for (const auto& [label, actor] : m_stage.m_actors)
            if (actor.core->key() == function)
                m_stage.m_events.push_back({label, outcome, entry, trace::Tracer::current() != nullptr});
    }

    Stage& m_stage;
};

void attempt(Attempt& result, const std::function<void()>& work) {
    const auto failed = [&](const char* kind, const std::exception& error) {
        result.error = kind;
        result.message = error.what();
        result.concrete = nullptr;
    };
    try {
        work();
    } catch (const types::BindingError& error) {
        failed("binding", error);
    } catch (const types::CastError& error) {
        failed("cast", error);
    } catch (const types::RelaxError& error) {
        failed("relax", error);
    } catch (const std::exception& error) {
        failed("other", error);
    }
}

std::string parametersText(const types::FunctionType& type) {
    std::string text;
    for (const types::Parameter& parameter : type.parameters)
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : ", ", parameter.name, types::toText(parameter.type));
    return "(" + text + ")";
}

std::string argumentsPart(const std::string& signature) {
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < signature.size(); ++i) {
        const char c = signature[i];
        if (quote != 0) {
            if (c == '\\')
                ++i;
            else if (c == quote)
                quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else {
            depth += c == '(';
            depth -= c == ')';
            if (depth == 0)
                return signature.substr(0, i + 1);
        }
    }
    return signature;
}

Stage::Stage(const Json& scenario, Bodies bodies)
    : m_scenario(scenario), m_bodies(bodies), m_listener(std::make_unique<Listener>(*this)) {
    m_observerBefore = runtime::setObserver(m_listener.get());
    m_handlerBefore = trace::setRetracingHandler([this](const auto& warning) { warned(warning); });
}

Stage::~Stage() {
    runtime::setObserver(m_observerBefore);
    trace::setRetracingHandler(std::move(m_handlerBefore));
}

void Stage::add(const std::string& label, FunctionCore& core) {
    m_actors[label].core = &core;
}

std::string Stage::labelOf(const FunctionCore& core) const {
    for (const auto& [label, actor] : m_actors)
        if (actor.core == &core)
            return label;
    throw std::logic_error("a function that is not on stage: " + core.name());
}

const Json* Stage::next() const {
    const Json& steps = m_scenario.at("steps");
    return m_next < steps.size() ? &steps[m_next] : nullptr;
}

bool Stage::isObservationNext() const {
    const Json* step = next();
    return step != nullptr && (step->at("do") == "check" || step->at("do") == "graph");
}

void Stage::skipObservation() {
    ++m_next;
    ++m_notCompared;
}

const Json* Stage::take(const std::string& what, const std::string& label) {
    const Json& steps = m_scenario.at("steps");
    m_step = fmt::format("step {}: {} {}", m_next + 1, what, label);
    if (m_next >= steps.size()) {
        note("there is no such step");
        return nullptr;
    }
    const Json& step = steps[m_next++];
    const std::string found =
        step.at("do").get<std::string>() + " " + (label.empty() ? "" : step.value("fn", ""));
    if (found != what + " " + label) {
        note(fmt::format("the recorded step is '{}'", found));
        return nullptr;
    }
    return &step;
}

void Stage::beginStep() {
    m_events.clear();
    m_said.clear();
    m_warnings.clear();
}

std::size_t Stage::rowOf(const std::string& label, const ConcreteFunction& concrete) {
    auto& served = m_actors.at(label).served;
    const auto known = std::ranges::find(served, &concrete);
    if (known != served.end())
        return static_cast<std::size_t>(known - served.begin());
    served.push_back(&concrete);
    return served.size() - 1;
}

std::string Stage::expectedTypes(const Json& step) const {
    if (step.contains("request"))
        return step.at("request");
    for (const Json& concrete : m_scenario.at("concrete"))
        if (step.contains("cf") && concrete.at("fn") == step.at("fn") &&
            concrete.at("index") == step.at("cf"))
            return argumentsPart(concrete.at("signature"));
    return {};
}

void Stage::judgeLookup(const Json& step, FunctionCore& core, const Attempt& got) {
    ++m_compared;
    const std::string label = step.at("fn");
    const std::string events = eventsText(); // gives numbers to what served first inside
    const bool traced = std::ranges::any_of(
        m_events, [&](const Event& event) { return event.label == label && event.outcome == "trace"; });
    const std::string outcome = !got.error.empty() ? "error" : traced ? "trace" : "hit";
    if (step.at("outcome") != outcome)
        note(fmt::format("outcome: expected '{}', got '{}'", step.at("outcome").get<std::string>(),
                         got.error.empty() ? outcome : fmt::format("error ({})", got.message)));
    if (!got.error.empty()) {
        if (const std::string kind = step.contains("error") ? kindOf(step.at("error")) : "";
            kind != got.error)
            note(fmt::format("error: expected '{}', got '{} ({})'", kind, got.error, got.message));
    } else {
        compare("serving function", rowText(step.at("cf")), std::to_string(rowOf(label, *got.concrete)));
        if (m_comparesTypes)
            compare("type looked up",
                    plainTypes(step.contains("request") ? step.at("request").get<std::string>()
                                                        : parametersText(got.concrete->type())),
                    plainTypes(got.request));
    }
    compare("cache size", std::to_string(step.at("count").get<std::size_t>()),
            std::to_string(core.tracingCount()));
    compareBodies(step, core);
    compareEvents(step);
    compareOutput(step, got);
    compareSaid(step);
    compareCounts(step);
}

void Stage::judgeConcreteCall(const Json& step, FunctionCore& core, const Attempt& got) {
    ++m_compared;
    const std::string outcome = got.error.empty() ? "run" : "error";
    if (step.at("outcome") != outcome)
        note(fmt::format("outcome: expected '{}', got '{} ({})'", step.at("outcome").get<std::string>(),
                         outcome, got.message));
    if (!got.error.empty() && step.contains("error"))
        compare("error", kindOf(step.at("error")), got.error);
    if (got.concrete != nullptr)
        compare("concrete function", std::to_string(step.at("cf").get<std::size_t>()),
                std::to_string(rowOf(labelOf(core), *got.concrete)));
    compareOutput(step, got);
    compareSaid(step);
}

void Stage::judgeOther(const Json& step, const Attempt& got) {
    ++m_compared;
    const std::string outcome = got.error.empty() ? "done" : "error";
    if (step.at("outcome") != outcome)
        note(fmt::format("outcome: expected '{}', got '{} ({})'", step.at("outcome").get<std::string>(),
                         outcome, got.message));
    compareEvents(step);
    compareOutput(step, got);
    compareSaid(step);
    compareCounts(step);
}

void Stage::judgeValue(const Json& step, const Json& got) {
    ++m_compared;
    if (!step.contains("value"))
        note(
            fmt::format("{}: an error was recorded, got {}", step.at("text").get<std::string>(), got.dump()));
    else if (!isNear(got, step.at("value")))
        note(fmt::format("{}: expected {}, got {}", step.at("text").get<std::string>(),
                         step.at("value").dump(), got.dump()));
}

void Stage::finish() {
    m_step.clear();
    while (isObservationNext())
        skipObservation();
    if (m_next < m_scenario.at("steps").size())
        note(fmt::format("{} steps were not taken", m_scenario.at("steps").size() - m_next));
    for (const Json& concrete : m_scenario.at("concrete")) {
        const auto actor = m_actors.find(concrete.at("fn"));
        const auto row = concrete.at("index").get<std::size_t>();
        if (actor == m_actors.end() || row >= actor->second.served.size())
            continue; // made by an observation
        const types::FunctionType& type = actor->second.served[row]->type();
        const std::string which = fmt::format("{} of {}", row, actor->first);
        const std::string recorded = plainTypes(concrete.at("signature"));
        if (m_comparesTypes && m_bodies == Bodies::Recorded)
            compare("signature " + which, recorded, plainTypes(types::toText(type)));
        else if (m_comparesTypes)
            compare("signature " + which, argumentsPart(recorded), plainTypes(argumentsText(type)));
        if (m_bodies == Bodies::Recorded)
            compare("captures of " + which,
                    std::to_string(concrete.contains("captures") ? concrete.at("captures").size() : 0),
                    std::to_string(captureCount(*actor->second.served[row])));
    }
}

void Stage::judgeEager(const Json& step, FunctionCore& core, const Attempt& got) {
    ++m_compared;
    compare("outcome", step.at("outcome"), got.error.empty() ? "eager" : "error");
    compare("cache size", std::to_string(step.at("count").get<std::size_t>()),
            std::to_string(core.tracingCount()));
    compareBodies(step, core);
    compareEvents(step);
    compareOutput(step, got);
    compareSaid(step);
}

void Stage::judgeGraph(const Json& step, const std::string& label, const ConcreteFunction& concrete) {
    ++m_compared;
    rowOf(label, concrete);
    const std::size_t captures = captureCount(concrete);
    const auto compareCount = [&](const char* what, std::size_t got) {
        compare(what, std::to_string(step.at(what).get<std::size_t>()), std::to_string(got));
    };
    compareCount("captures", captures);
    compareCount("inputs", concrete.flatNames().size() + captures);
    compareCount("outputs", concrete.outputCount());
}

const ConcreteFunction& Stage::served(const std::string& label, std::size_t row) const {
    return *m_actors.at(label).served.at(row);
}

void Stage::note(const std::string& problem) {
    if (m_problem.empty())
        m_problem = m_step.empty() ? problem : m_step + ": " + problem;
}

void Stage::compare(const std::string& what, const std::string& expected, const std::string& got) {
    if (expected != got)
        note(fmt::format("{}: expected '{}', got '{}'", what, expected, got));
}

void Stage::compareOutput(const Json& step, const Attempt& got) {
    if (m_bodies == Bodies::Other || !got.hasOutput || !got.error.empty() || !step.contains("output"))
        return;
    if (const auto found = difference(got.output, step.at("output"), "output"))
        note(*found);
}

std::string Stage::eventsText() {
    std::string text;
    for (const Event& event : m_events) {
        const auto entries = m_actors.at(event.label).core->concreteFunctions();
        const auto entry = std::ranges::find(entries, event.entry, &ConcreteFunction::key);
        text += fmt::format("{} {} {} {}; ", event.label, event.outcome,
                            entry == entries.end() ? "-" : std::to_string(rowOf(event.label, **entry)),
                            event.isInGraph ? "graph" : "eager");
    }
    return text;
}

void Stage::compareEvents(const Json& step) {
    compare(
        "warnings",
        [&] {
            std::string text;
            if (step.contains("warnings"))
                for (const Json& warning : step.at("warnings"))
                    text += fmt::format("{} of {};", warning.at("traces").get<int>(),
                                        warning.at("calls").get<int>());
            return text;
        }(),
        m_warnings);
    if (!step.contains("events"))
        return;
    std::string expected;
    for (const Json& event : step.at("events"))
        expected += fmt::format("{} {} {} {}; ", event.at("fn").get<std::string>(),
                                event.at("outcome").get<std::string>(), rowText(event.at("cf")),
                                event.at("where").get<std::string>());
    compare("lookups", expected, eventsText());
}

void Stage::compareBodies(const Json& step, const FunctionCore& core) {
    const auto recorded = step.value("bodies", std::size_t{0});
    if (m_bodies == Bodies::Recorded && recorded > 0) // else they were not counted
        compare("body runs", std::to_string(recorded), std::to_string(core.bodyRuns()));
}

void Stage::compareSaid(const Json& step) {
    if (m_bodies == Bodies::Other)
        return;
    compare("said", step.contains("said") ? textOf(step.at("said")) : "", [&] {
        std::string text;
        for (const std::string& said : m_said)
            text += (text.empty() ? "" : " | ") + said;
        return text;
    }());
}

void Stage::compareCounts(const Json& step) {
    if (!step.contains("counts"))
        return;
    for (const auto& [label, count] : step.at("counts").items()) {
        const auto actor = m_actors.find(label);
        if (actor != m_actors.end())
            compare("cache size of " + label, std::to_string(count.get<std::size_t>()),
                    std::to_string(actor->second.core->tracingCount()));
    }
}

void Stage::warned(const trace::RetracingWarning& warning) {
    m_warnings += fmt::format("{} of {};", warning.traces, warning.calls);
}

} // namespace retracescope::oracle
