#include "tests/oracle/play.h"

#include <fmt/format.h>

#include <retracescope/engine/trace/host_values.h>

namespace retracescope::oracle {

namespace {

Json elementAt(const Tensor& tensor, std::int64_t index) {
    return std::visit(
        [](const auto& element) -> Json {
            using T = std::decay_t<decltype(element)>;
            if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
                return element;
            else
                return nullptr;
        },
        trace::literalAt(tensor, index).value());
}

Json nested(const Tensor& tensor, int axis, std::int64_t& next) {
    if (axis == tensor.shape().rank())
        return elementAt(tensor, next++);
    Json list = Json::array();
    for (std::int64_t i = 0; i < tensor.shape()[axis]; ++i)
        list.push_back(nested(tensor, axis + 1, next));
    return list;
}

} // namespace

void Play::playOn() {
    while (const Json* step = m_stage.next()) {
        const std::string what = step->at("do");
        if (what == "call")
            call(step->at("fn"));
        else if (what == "get_concrete_function")
            get(step->at("fn"));
        else if (what == "concrete_call")
            callConcrete(step->at("fn"));
        else
            return;
    }
}

trace::CallArguments Play::recordedArguments(const Json& step) {
    m_arguments.takeExactNumbersFrom(m_stage.expectedTypes(step));
    return m_arguments.argumentsOf(step);
}

const ConcreteFunction* Play::lookUp(const std::string& what, const std::string& label,
                                     CallArguments arguments, bool given) {
    const Json* step = m_stage.take(what, label);
    if (step == nullptr)
        return nullptr;
    if (!given)
        arguments = recordedArguments(*step);
    trace::FunctionCore& function = core(label);
    m_stage.beginStep();
    Attempt got;
    if (functionsRunEagerly()) {
        attempt(got, [&] { got.output = function.runEagerly(arguments); });
        got.hasOutput = true;
        m_stage.judgeEager(*step, function, got);
        return nullptr;
    }
    attempt(got, [&] {
        got.request = parametersText(function.requestType(arguments));
        if (what != "call") {
            got.concrete = &function.concrete(arguments);
            return;
        }
        auto [concrete, results] = function.call(arguments, {});
        std::size_t next = 0;
        got.output = trace::packed(concrete->type().output, results, next);
        got.hasOutput = true;
        got.concrete = concrete;
        m_output = got.output;
    });
    m_stage.judgeLookup(*step, function, got);
    return got.concrete;
}

void Play::callConcrete(const std::string& label, CallArguments arguments, bool given) {
    const Json* step = m_stage.take("concrete_call", label);
    if (step == nullptr)
        return;
    if (!given)
        arguments = recordedArguments(*step);
    const ConcreteFunction& concrete = m_stage.served(label, step->at("cf"));
    m_stage.beginStep();
    Attempt got;
    attempt(got, [&] {
        got.output = concrete.call(arguments);
        got.hasOutput = true;
        got.concrete = &concrete;
    });
    m_stage.judgeConcreteCall(*step, core(label), got);
}

void Play::other(const std::function<Value()>& work) {
    const Json* step = m_stage.take("other");
    if (step == nullptr)
        return;
    m_stage.beginStep();
    Attempt got;
    attempt(got, [&] {
        got.output = work();
        got.hasOutput = true;
    });
    m_stage.judgeOther(*step, got);
}

void Play::check(const Json& seen) {
    if (const Json* step = m_stage.take("check"))
        m_stage.judgeValue(*step, seen);
}

void Play::checkThat(const std::function<Json()>& look) {
    Attempt got;
    Json seen;
    attempt(got, [&] { seen = look(); });
    if (got.error.empty())
        check(seen);
    else if (m_stage.take("check") != nullptr)
        m_stage.note(fmt::format("error ({})", got.message));
}

void Play::graph(const std::string& label, const ConcreteFunction& concrete) {
    if (const Json* step = m_stage.take("graph"))
        m_stage.judgeGraph(*step, label, concrete);
}

Value Play::argument(std::size_t index) {
    const Json* step = m_stage.next();
    return step == nullptr ? Value()
                           : recordedArguments({{"args", {step->at("args").at(index)}}}).positional[0];
}

Outcome Play::outcome() {
    if (m_stage.problem().empty())
        m_stage.finish();
    return {m_stage.problem().empty() ? Outcome::Kind::Passed : Outcome::Kind::Failed, m_stage.problem(),
            m_stage.compared(), m_stage.notCompared()};
}

Tensor tensorOf(const Value& value) {
    if (const auto* tensor = value.as<Tensor>())
        return *tensor;
    if (const auto* variable = value.as<Variable>())
        return variable->read();
    if (const auto* literal = value.as<Literal>())
        return trace::embedded(trace::tensorOf(*literal, "[tensor] "), trace::Where::current());
    throw UsageError("[tensor] expected a tensor, a variable or a host value");
}

Json seen(const Tensor& tensor) {
    if (tensor.isSymbolic())
        throw UsageError("[seen] a symbolic tensor has no elements");
    if (tensor.isEmpty())
        return nullptr;
    std::int64_t next = 0;
    return nested(tensor, 0, next);
}

Json seen(const Value& value) {
    const auto* sequence = value.as<Value::Sequence>();
    if (sequence == nullptr)
        return seen(tensorOf(value));
    Json list = Json::array();
    for (const Value& item : sequence->items)
        list.push_back(seen(item));
    return list;
}

} // namespace retracescope::oracle
