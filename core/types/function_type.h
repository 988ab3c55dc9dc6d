#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <retracescope/base/check.h>
#include <retracescope/types/component.h>
#include <retracescope/types/trace_type.h>

namespace retracescope::types {

enum class ParameterKind : std::uint8_t {
    PositionalOnly,
    PositionalOrKeyword,
    VarPositional, ///< takes the remaining positional arguments
    KeywordOnly,
    VarKeyword, ///< takes the remaining named arguments
};

/// "POSITIONAL_OR_KEYWORD", ...
std::string_view parameterKindName(ParameterKind kind);

/// One parameter. In the polymorphic type of a function `type` may be None (anything); in the type of one
/// call all have a type and none is optional or variadic.
struct Parameter {
    std::string name;
    ParameterKind kind = ParameterKind::PositionalOrKeyword;
    bool optional = false; ///< has a default value
    TypeId type = TypeId::None;

    bool operator==(const Parameter&) const = default;
};

/// A value of the surrounding program that a graph reads: its name for people, and its type.
struct Capture {
    std::string name;
    TypeId type = TypeId::None;

    bool operator==(const Capture&) const = default;
};

/// Parameters, captures and result of a function, of one call or of one trace. The result is not part of
/// equality.
struct FunctionType {
    std::vector<Parameter> parameters;
    std::vector<Capture> captures;
    TypeId output = TypeId::None;

    bool operator==(const FunctionType& other) const {
        return parameters == other.parameters && captures == other.captures;
    }
};

std::uint64_t hashOf(const FunctionType& type);

/// The same parameters and captures with every type replaced by its cache key; no output.
FunctionType cacheKey(const FunctionType& written, KeyRules rules = {});

/// True if a call of type `request` may be served by a trace of type `stored`; both are cache keys, as in all
/// that follows. This is the one place that knows the direction: a function may stand in for another if it
/// accepts at least the same arguments, so each argument of the request must be a subtype of the stored
/// parameter. Captures that only the trace has do not matter.
bool canServe(const FunctionType& stored, const FunctionType& request);

/// The same if objects that `stored` was traced for and that are gone were still there and equal.
bool couldServe(const FunctionType& stored, const FunctionType& request);

/// True if an argument has an object in it: who serves the request then changes when objects die.
bool hasObjects(const FunctionType& type);
/// True only if it can serve no request without captures but an equal one.
bool servesOnlyItself(const FunctionType& type);

/// True if an object in an argument is gone.
bool hasDeadObjects(const FunctionType& type);

/// The parameters of a trace that could serve both, each parameter the most specific common supertype; none
/// if one has none or the numbers, names or kinds of parameters differ. Captures are united.
std::optional<FunctionType> commonFunctionType(const FunctionType& a, const FunctionType& b);

/// A call whose arguments cannot be compared with those of an earlier trace, see relaxed().
class RelaxError : public UsageError {
public:
    using UsageError::UsageError;
};

/// Which earlier traces take part when a signature is relaxed.
enum class RelaxRule : std::uint8_t {
    EqualArity, ///< those with as many parameters
    /// All: parameters are compared position by position as far as the request's go. An earlier trace that
    /// fits at all its positions but has fewer of them is a RelaxError
    /// (tensorflow/core/function/polymorphism/function_type.py, most_specific_common_subtype).
    AsTensorFlow,
};

/// What a function is asked to trace on a miss when it relaxes: folds `request` over all earlier traces of
/// the same context in the order they were made, leaving out those without a common type. So open axes come
/// with the second differing shape, and only where shapes differ.
FunctionType relaxed(const FunctionType& request, std::span<const FunctionType> earlier,
                     RelaxRule rule = RelaxRule::EqualArity);

/// "(img: TensorSpec(...), depth: Literal[3]) -> TensorSpec(...)", with "/" behind positional-only parameters
/// and "*" before named-only ones; the arrow only if there is an output type.
std::string toText(const FunctionType& type);

/// The block that TensorFlow prints for one concrete function, from "Input Parameters:" on, with their kinds.
std::string toListing(const FunctionType& type);

/// The part of a key that is no argument.
struct FunctionContext {
    enum class Scope : std::uint8_t {
        MayCreateVariables, ///< the first trace of a function
        NoCreation,         ///< after a first call that created variables
    };
    Scope scope = Scope::MayCreateVariables;

    bool operator==(const FunctionContext&) const = default;
};

/// The key as a flat list in argument order, with the argument paths of the contract: "x.shape[0]",
/// "args[1]['k'].dtype", "ambient.scope". Arguments of a variadic function are args[0], args[1], ... and
/// "args.len".
std::vector<Component> components(const FunctionType& type, const FunctionContext& context);

} // namespace retracescope::types
