#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <retracescope/diagnose/explain.h>

/// Edits as lines of code, in the language and with the names of the engine that was recorded.
namespace retracescope::diagnose {

/// The engines whose code we can write. Everything that is not ours is Python.
enum class Dialect { Retracescope, TensorFlow, Jax, Torch };

Dialect dialectOf(const session::Session& session, session::FunctionId function);

/// One argument of an input signature; an axis below zero is open.
struct SpecText {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
};

/// What the lines need to know of the function.
struct FunctionText {
    Dialect dialect = Dialect::Retracescope;
    std::string name;
    std::vector<std::string> parameters; ///< names only
    std::string parameterList;           ///< as declared
    std::string options;                 ///< as given, "" if none
};

FunctionText functionText(const session::Session& session, session::FunctionId function);

/// The wrapper with one more option.
std::vector<EditLine> relaxLines(const FunctionText& function);
std::vector<EditLine> inputSignatureLines(const FunctionText& function, const std::vector<SpecText>& specs);

/// The call with the value at `owner` ("step", "xs[1]") turned into a tensor, cast, or given a fixed length
/// on `axis`.
std::vector<EditLine> passArrayLines(const FunctionText& function, std::string_view owner);
/// The body's parameter of a host type, `type`, as a tensor; only our engine's bodies declare types.
std::vector<EditLine> tensorParameterLines(const FunctionText& function, std::string_view owner,
                                           std::string_view type);
std::vector<EditLine> castLines(const FunctionText& function, std::string_view owner, std::string_view dtype);
std::vector<EditLine> openAxisLines(const FunctionText& function, std::string_view owner, int axis);

/// The wrapper made once, outside what repeats.
std::vector<EditLine> hoistLines(const FunctionText& function);

/// A list of tensors of one shape as one tensor with a leading axis.
std::vector<EditLine> stackLines(const FunctionText& function, std::string_view owner);

/// == and hash for the class of an argument.
std::vector<EditLine> valueEqualityLines(Dialect dialect, std::string_view type);

} // namespace retracescope::diagnose
