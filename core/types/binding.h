#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/types/function_type.h>

/// From the arguments as written to the arguments as typed: equal calls must become equal.
namespace retracescope::types {

/// A call that does not fit the parameters of its function.
class BindingError : public UsageError {
public:
    using UsageError::UsageError;
};

/// An argument that cannot become what its parameter demands.
class CastError : public UsageError {
public:
    using UsageError::UsageError;
};

/// One bound argument: the parameter it fills, still without a type, and where its value comes from.
struct BoundArgument {
    Parameter parameter;
    int source = kDefault; ///< index into positional arguments followed by named ones
    int declared = 0;      ///< which parameter of the function took it

    static constexpr int kDefault = -1; ///< the parameter's default value
};

/// Binds as Python does: defaults are filled in, variadic arguments become parameters of their own
/// ("args_0"), further named ones are sorted by name. Throws BindingError that starts with "[function]" if
/// the call does not fit.
std::vector<BoundArgument> bindArguments(std::string_view function, std::span<const Parameter> declared,
                                         int positionalCount, std::span<const std::string_view> named);

/// A name that can stand in a signature text: what is no letter, digit or '_' becomes '_', and "arg_" goes in
/// front of one that does not start with a letter.
std::string sanitizedName(std::string_view name);

/// A parameter that an input signature constrains, and which parameter of the function it belongs to.
struct ConstrainedParameter {
    Parameter parameter;
    int declared = 0;
};

/// Checks an input signature against the parameters: `specs` go to them in order, those that are left over to
/// the variadic one ("args_0", ...); parameters without a spec are held to the type of their default value
/// (`defaults`, None where there is none); further named arguments are not taken. Throws UsageError.
std::vector<ConstrainedParameter> constrainedParameters(std::string_view function,
                                                        std::span<const Parameter> declared,
                                                        std::span<const TypeId> specs,
                                                        std::span<const TypeId> defaults);

/// Checks the order of parameters (positional-only, positional, variadic, named-only, further named; no
/// required positional one behind an optional one; no name twice). Throws UsageError.
void checkParameters(std::string_view function, std::span<const Parameter> declared);

/// Why a value of type `given` cannot be passed where `expected` is demanded, or none if it can; both are
/// cache keys, `given` after host values have been converted. "expected TensorSpec(...), got
/// TensorSpec(...)", with the place inside.
std::optional<std::string> castProblem(TypeId given, TypeId expected);

} // namespace retracescope::types
