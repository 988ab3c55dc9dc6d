#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <retracescope/engine/runtime/observer.h>
#include <retracescope/engine/trace/function_core.h>

#include "tests/oracle/notation.h"

namespace retracescope::oracle {

/// What one lookup or direct call of the engine came to.
struct Attempt {
    const trace::ConcreteFunction* concrete = nullptr; ///< who served; null after an error
    std::string error;                                 ///< "binding", "cast", "relax", "other"; empty if none
    std::string message;
    std::string request; ///< the type looked up
    trace::Value output;
    bool hasOutput = false;
};

/// Runs `work`, which fills in the rest, and notes what it throws.
void attempt(Attempt& result, const std::function<void()>& work);

/// Parameters as "(a: ..., b: ...)", without what marks their kinds.
std::string parametersText(const types::FunctionType& type);
/// A signature up to the parenthesis that closes its arguments.
std::string argumentsPart(const std::string& signature);

/// Compares what happens in the engine, step by step, with one recorded scenario. Only one lives at a time:
/// it hears all warnings and lookups of the process. The first difference is kept, later ones are not looked
/// for.
class Stage {
public:
    /// Whether the bodies are those of the scenario: then what they said and returned is compared, too.
    enum class Bodies { Recorded, Other };

    Stage(const Json& scenario, Bodies bodies);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    /// A function of the scenario. `core` must outlive the stage.
    void add(const std::string& label, trace::FunctionCore& core);
    std::string labelOf(const trace::FunctionCore& core) const;

    /// The step that comes now, if it is of kind `what` (of function `label`); else notes a difference and
    /// returns null.
    const Json* take(const std::string& what, const std::string& label = {});
    /// Whether the next step is an observation.
    bool isObservationNext() const;
    /// Passes over an observation.
    void skipObservation();
    /// The step that comes now, or null.
    const Json* next() const;
    const Json& scenario() const { return m_scenario; }

    /// To be called before the engine does what a step stands for.
    void beginStep();
    void judgeLookup(const Json& step, trace::FunctionCore& core, const Attempt& got);
    void judgeConcreteCall(const Json& step, trace::FunctionCore& core, const Attempt& got);
    void judgeOther(const Json& step, const Attempt& got);
    /// A call while functions run eagerly.
    void judgeEager(const Json& step, trace::FunctionCore& core, const Attempt& got);
    /// Compares an observation with its recorded value.
    void judgeValue(const Json& step, const Json& got);
    /// Compares how many inputs, outputs and captures a graph has.
    void judgeGraph(const Json& step, const std::string& label, const trace::ConcreteFunction& concrete);
    /// From now on types are not compared: they are named by what only Python has.
    void ignoreTypes() { m_comparesTypes = false; }
    /// Compares what remains: all signatures, and that all steps were taken.
    void finish();

    /// Who served as the `row`-th concrete function of a function.
    const trace::ConcreteFunction& served(const std::string& label, std::size_t row) const;

    /// A side effect of a body.
    void say(const std::string& text) { m_said.push_back(text); }

    const std::string& problem() const { return m_problem; }
    void note(const std::string& problem);
    int compared() const { return m_compared; }
    int notCompared() const { return m_notCompared; }

    /// The type looked up as it was recorded; empty for an error.
    std::string expectedTypes(const Json& step) const;

private:
    class Listener;
    struct Actor {
        trace::FunctionCore* core = nullptr;
        std::vector<const trace::ConcreteFunction*> served; ///< in the order in which they first served
    };
    struct Event {
        std::string label;
        std::string outcome;
        runtime::EntryKey entry = 0;
        bool isInGraph = false;
    };

    std::size_t rowOf(const std::string& label, const trace::ConcreteFunction& concrete);
    void compare(const std::string& what, const std::string& expected, const std::string& got);
    void compareOutput(const Json& step, const Attempt& got);
    void compareEvents(const Json& step);
    void compareSaid(const Json& step);
    void compareCounts(const Json& step);
    void compareBodies(const Json& step, const trace::FunctionCore& core);
    std::string eventsText();
    void warned(const trace::RetracingWarning& warning);

    const Json& m_scenario;
    const Bodies m_bodies;
    bool m_comparesTypes = true;
    std::size_t m_next = 0;
    std::string m_step; ///< "step 3: call g"
    std::map<std::string, Actor> m_actors;
    std::vector<Event> m_events;
    std::vector<std::string> m_said;
    std::string m_warnings;
    std::string m_problem;
    int m_compared = 0;
    int m_notCompared = 0;
    std::unique_ptr<Listener> m_listener;
    runtime::Observer* m_observerBefore = nullptr;
    trace::RetracingHandler m_handlerBefore;
};

} // namespace retracescope::oracle
