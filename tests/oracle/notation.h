#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <retracescope/engine/trace/call_arguments.h>

namespace retracescope::oracle {

using Json = nlohmann::ordered_json;

/// The kinds of arguments that can be made from their notation alone.
bool isReplayable(const Json& notation);
/// The first kind inside that cannot; empty if all can.
std::string unknownKind(const Json& notation);

/// Makes arguments from the notation of the scenario files; variables with one id are one variable. Elements
/// that the notation leaves out are ones.
class Arguments {
public:
    /// Throws std::runtime_error for a notation that is not replayable.
    trace::Value valueOf(const Json& notation);
    /// The arguments of a step.
    trace::CallArguments argumentsOf(const Json& step);

    /// The variable of that id.
    void set(int id, const trace::Variable& variable) { m_variables[id] = variable; }

    /// The notation has floating numbers rounded to six digits. What a type says is exact: from now on a
    /// number that one of `types`' literals rounds to is that literal.
    void takeExactNumbersFrom(const std::string& types);

private:
    trace::Value variable(const Json& notation);
    types::Literal literal(const Json& notation) const;

    std::vector<double> m_exactNumbers;

    std::map<int, trace::Variable> m_variables;
};

/// Where a result differs from its notation, or none: kinds, dtypes, shapes, texts exactly, numbers with a
/// relative tolerance of 1e-5 (they were rounded to six digits). `path` begins the answer.
std::optional<std::string> difference(const trace::Value& actual, const Json& expected,
                                      const std::string& path);

} // namespace retracescope::oracle
