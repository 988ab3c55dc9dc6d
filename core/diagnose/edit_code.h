#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <retracescope/base/source_code.h>
#include <retracescope/diagnose/explain.h>
#include <retracescope/diagnose/history.h>
#include <retracescope/diagnose/words.h>

/// Edits as lines of code, in the language and with the names of the engine that was recorded: lines of the
/// program where its source was recorded and the place is found in it, else lines as the program may have
/// them, in which "…" stands for what is not known. No lines where none would be right.
namespace retracescope::diagnose {

/// The engines whose code we can write. Everything that is not ours is Python.
enum class Dialect { Retracescope, TensorFlow, Jax, Torch };

Dialect dialectOf(const session::Session& session, session::FunctionId function);

/// The recorded source files, taken apart once each.
class RecordedSources {
public:
    explicit RecordedSources(const session::Session& session);

    /// Null if the file's text was not recorded.
    const SourceCode* find(std::string_view path);

    /// Paths of all files.
    const std::vector<std::string_view>& paths() const { return m_paths; }

private:
    std::vector<std::string_view> m_paths;
    std::unordered_map<std::string_view, std::string_view> m_texts; ///< by path
    std::unordered_map<std::string_view, std::unique_ptr<SourceCode>> m_codes;
};

/// A piece of the program.
struct CodePlace {
    std::string_view file;
    const SourceCode* code = nullptr;
    SourceCall call;
};

/// One argument of an input signature; an axis below zero is open.
struct SpecText {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
};

/// What the lines need to know of the function.
struct FunctionText {
    Dialect dialect = Dialect::Retracescope;
    std::string name;     ///< as given, any text
    std::string variable; ///< what the program calls it by, as far as that is known; always an identifier
    std::vector<std::string> parameters; ///< names only, as given
    std::string parameterList;           ///< as declared
    std::string options;                 ///< as given, "" if none
    std::vector<std::string> tuples;     ///< paths of the arguments that are tuples
    std::optional<CodePlace> definition;
    std::optional<CodePlace> call;
};

/// `call` is where the call to be edited stands; it may be empty.
FunctionText functionText(const session::Session& session, session::FunctionId function,
                          const History& history, RecordedSources& sources, const Place& call);

/// `name` if it is an identifier of C++, else one made of its letters.
std::string identifierOf(std::string_view name, std::string_view ifNothingIsLeft);

/// The wrapper with one more option.
std::vector<EditLine> relaxLines(const FunctionText& function);
std::vector<EditLine> inputSignatureLines(const FunctionText& function, const std::vector<SpecText>& specs);

/// The call with the value at `owner` ("step", "xs[1]") turned into a tensor or cast.
std::vector<EditLine> passArrayLines(const FunctionText& function, std::string_view owner);
std::vector<EditLine> castLines(const FunctionText& function, std::string_view owner, std::string_view dtype);

/// The body's parameter of a host type, `type`, as a tensor; only our engine's bodies declare types.
std::vector<EditLine> tensorParameterLines(const FunctionText& function, std::string_view owner,
                                           std::string_view type);

/// The call with `axis` of the value marked as open.
std::vector<EditLine> openAxisLines(const FunctionText& function, std::string_view owner, int axis);

/// The wrapper made once, outside what repeats.
std::vector<EditLine> hoistLines(const FunctionText& function);

/// A list of tensors of one shape as one tensor with a leading axis.
std::vector<EditLine> stackLines(const FunctionText& function, std::string_view owner);

/// == and hash for the class of an argument.
std::vector<EditLine> valueEqualityLines(Dialect dialect, std::string_view type);

} // namespace retracescope::diagnose
