#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/types/function_type.h>

/// From the arguments as written to the arguments as typed: equal calls must become equal
/// (tracing_semantics.md 3).
namespace retracescope::types {

/// One bound argument: the parameter it fills, still without a type, and where its value comes from.
struct BoundArgument {
    Parameter parameter;
    int source = kDefault; ///< index into positional arguments followed by named ones
    int declared = 0;      ///< which parameter of the function took it

    static constexpr int kDefault = -1; ///< the parameter's default value
};

/// Binds as Python does: defaults are filled in, variadic arguments become parameters of their own
/// ("args_0"), further named ones are sorted by name. Throws UsageError that starts with "[function]" if the
/// call does not fit.
std::vector<BoundArgument> bindArguments(std::string_view function, std::span<const Parameter> declared,
                                         int positionalCount, std::span<const std::string_view> named);

/// A name that can stand in a signature text: what is no letter, digit or '_' becomes '_', and "arg_" goes in
/// front of one that does not start with a letter.
std::string sanitizedName(std::string_view name);

/// Checks an input signature against the parameters and gives each parameter its constraint
/// (tracing_semantics.md 9.1): `specs` in parameter order, then the types of default values (None where there
/// is no default). Throws UsageError.
std::vector<Parameter> constrainedParameters(std::string_view function, std::span<const Parameter> declared,
                                             std::span<const TypeId> specs, std::span<const TypeId> defaults);

/// Why a value of type `given` cannot be passed where `expected` is demanded, or none if it can; `given` is
/// the type after host numbers have been converted. "expected TensorSpec(...), got TensorSpec(...)", with the
/// place inside.
std::optional<std::string> castProblem(TypeId given, TypeId expected);

} // namespace retracescope::types
