#include <retracescope/diagnose/edit_code.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace retracescope::diagnose {

namespace {

/// Lines above the place of a call at which its bracket may stand.
constexpr std::uint32_t kLinesOfCall = 10;

/// Arguments of a Function: name, parameters, callable, options.
constexpr std::size_t kCallableArgument = 2;
constexpr std::size_t kOptionsArgument = 3;

constexpr auto kKeywords = std::to_array<std::string_view>({
    "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
    "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
    "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
    "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
    "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
    "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
    "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
    "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
    "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
    "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
    "xor_eq",
});

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

bool isIdentifier(std::string_view name) {
    const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return !name.empty() && std::ranges::all_of(name, isWord) &&
           std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
           std::ranges::find(kKeywords, name) == kKeywords.end();
}

/// "x, use_extra: bool = f(1, 2), *rest, /, k" -> x, use_extra, *rest, k.
std::vector<std::string> parameterNames(std::string_view list) {
    std::vector<std::string> names;
    const auto add = [&](std::string_view one) {
        one = trimmed(one.substr(0, one.find_first_of(":=")));
        if (!one.empty() && one != "*" && one != "/")
            names.emplace_back(one);
    };
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        depth += list[i] == '(' || list[i] == '[' || list[i] == '{';
        depth -= list[i] == ')' || list[i] == ']' || list[i] == '}';
        if (list[i] == ',' && depth == 0) {
            add(list.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    add(list.substr(begin));
    return names;
}

std::string dtypeText(Dialect dialect, std::string_view dtype) {
    switch (dialect) {
    case Dialect::TensorFlow:
        return fmt::format("tf.{}", dtype);
    case Dialect::Jax:
        return fmt::format("jnp.{}", dtype);
    case Dialect::Torch:
        return fmt::format("torch.{}", dtype);
    case Dialect::Retracescope:
        break;
    }
    if (dtype.starts_with("uint"))
        return fmt::format("rs::DType::UInt{}", dtype.substr(4));
    return "rs::DType::" + capitalized(std::string(dtype));
}

std::string shapeText(const std::vector<std::int64_t>& shape, std::string_view open) {
    std::string text;
    for (const std::int64_t axis : shape)
        text += (text.empty() ? "" : ", ") + (axis < 0 ? std::string(open) : std::to_string(axis));
    return text;
}

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string quotedNames(const FunctionText& function) {
    std::vector<std::string> names;
    for (const std::string& name : function.parameters)
        names.push_back(quoted(name));
    return joined(names);
}

/// A change of one line of the program, behind a line of context if that is another one.
std::vector<EditLine> changedLine(const SourceCode& code, std::size_t context, SourceCall::Piece piece,
                                  const std::string& replacement) {
    const std::uint32_t number = code.lineOf(piece.begin);
    const std::size_t begin = code.beginOf(number);
    const std::string before(code.line(number));
    std::string after = before;
    after.replace(piece.begin - begin, piece.end - piece.begin, replacement);
    std::vector<EditLine> lines;
    if (const std::uint32_t first = code.lineOf(context); first != number)
        lines.push_back({' ', std::string(code.line(first))});
    lines.push_back({'-', before});
    lines.push_back({'+', after});
    return lines;
}

bool isOneLine(const SourceCode& code, SourceCall::Piece piece) {
    return code.lineOf(piece.begin) == code.lineOf(piece.end);
}

/// The blanks that all lines begin with left out.
std::vector<EditLine> dedented(std::vector<EditLine> lines) {
    std::size_t blanks = std::string::npos;
    for (const EditLine& line : lines)
        blanks = std::min(blanks, std::min(line.text.find_first_not_of(" \t"), line.text.size()));
    for (EditLine& line : lines)
        line.text.erase(0, blanks);
    return lines;
}

/// The variable that a definition declares: `Function step("step", ...)`, `auto step = Function("step",
/// ...)`.
std::string_view declaredName(const CodePlace& definition) {
    const SourceCode& code = *definition.code;
    std::string_view name = code.nameBefore(definition.call.open);
    if (name.empty())
        return {};
    auto before = static_cast<std::size_t>(name.data() - code.text().data());
    if (name == "Function") {
        while (before > 0 && code.text().substr(0, before).ends_with("::")) {
            name = code.nameBefore(before - 2);
            before = static_cast<std::size_t>(name.data() - code.text().data());
        }
        const std::size_t equals = code.text().substr(0, before).find_last_not_of(" \t\n");
        return equals != std::string_view::npos && code.text()[equals] == '=' ? code.nameBefore(equals)
                                                                              : std::string_view();
    }
    const std::size_t end = code.text().substr(0, before).find_last_not_of(" \t\n");
    const bool isType =
        end != std::string_view::npos && (code.text()[end] == '>' || code.nameBefore(end + 1) == "Function");
    return isType ? name : std::string_view();
}

/// First line of a definition whose lines were not recorded.
std::string definitionStart(const FunctionText& function, std::string_view parameters) {
    return fmt::format("rs::Function {}({}, {{{}}}, []({}) {{", function.variable, quoted(function.name),
                       quotedNames(function), parameters);
}

/// `option` of our engine's FunctionOptions, as a member of braces.
std::vector<EditLine> ownOptionLines(const FunctionText& function, const std::string& option) {
    if (!function.definition || function.definition->call.arguments.size() <= kCallableArgument) {
        const bool relaxes = function.options.find("reduce_retracing=True") != std::string::npos;
        return {{' ', definitionStart(function, "…")},
                {'-', relaxes ? "}, {.reduceRetracing = true});" : "});"},
                {'+', fmt::format("}}, {{{}{}}});", relaxes ? ".reduceRetracing = true, " : "", option)}};
    }
    const SourceCode& code = *function.definition->code;
    const SourceCall& call = function.definition->call;
    if (call.arguments.size() == kCallableArgument + 1) {
        // Who passes arguments on, as emplace does, has to be told their types.
        const std::string_view type = declaredName(*function.definition).empty() ? "rs::FunctionOptions" : "";
        return dedented(
            changedLine(code, call.open, {call.close, call.close}, fmt::format(", {}{{{}}}", type, option)));
    }
    const SourceCall::Piece given = call.arguments[kOptionsArgument];
    const std::string_view text = code.text(given);
    if (isIdentifier(text)) // a variable
        return dedented({{'+', fmt::format("{}{};", text, option)},
                         {' ', std::string(code.line(code.lineOf(call.open)))}});
    if (!text.ends_with("}"))
        return {};
    const bool isEmpty = trimmed(text.substr(1, text.size() - 2)).empty();
    return dedented(
        changedLine(code, call.open, {given.end - 1, given.end - 1}, (isEmpty ? "" : ", ") + option));
}

std::vector<EditLine> decoratorLines(const FunctionText& function, const std::string& option) {
    const std::string before =
        function.options.empty() ? "@tf.function" : "@tf.function(" + function.options + ")";
    const std::string separator = function.options.empty() ? "" : ", ";
    return {{'-', before},
            {'+', fmt::format("@tf.function({}{}{})", function.options, separator, option)},
            {' ', fmt::format("def {}({}):", function.variable, function.parameterList)}};
}

/// A parameter as an expression of whoever calls.
std::string argumentText(const FunctionText& function, const std::string& parameter) {
    return function.dialect == Dialect::Retracescope ? identifierOf(parameter, "argument") : parameter;
}

std::string callText(const FunctionText& function, std::string_view name, const std::string& replacement) {
    std::vector<std::string> arguments;
    for (const std::string& parameter : function.parameters)
        arguments.push_back(parameter == name ? replacement : argumentText(function, parameter));
    return fmt::format("{}({}){}", function.variable, joined(arguments),
                       function.dialect == Dialect::Retracescope ? ";" : "");
}

/// Number of the parameter that `owner` is or lies in, or the count of parameters.
std::size_t parameterOf(const FunctionText& function, std::string_view owner) {
    const auto it = std::ranges::find_if(
        function.parameters, [&](const std::string& parameter) { return types::isInside(owner, parameter); });
    return static_cast<std::size_t>(it - function.parameters.begin());
}

/// What the program passes for a parameter, as text; empty if its call is not known.
std::string_view passedText(const FunctionText& function, std::size_t parameter) {
    if (!function.call || function.call->call.arguments.size() <= parameter)
        return {};
    const std::string_view text = function.call->code->text(function.call->call.arguments[parameter]);
    return text.starts_with("rs::arg(") ? std::string_view() : text;
}

/// An inner value of `whole` in C++ or Python: "d['k'][0]" in "d" is whole["k"][0].
std::string innerText(const FunctionText& function, std::string_view whole, std::string_view inside) {
    std::string text(whole);
    for (const char c : inside)
        text += function.dialect == Dialect::Retracescope && c == '\'' ? '"' : c;
    return text;
}

/// True if no part of the value can be assigned to.
bool liesInTuple(const FunctionText& function, std::string_view owner) {
    return std::ranges::any_of(function.tuples, [&](const std::string& tuple) {
        return owner != tuple && types::isInside(owner, tuple);
    });
}

/// The call before and after the value at `owner` became what `convert` makes of its text. An inner value is
/// replaced by a statement of its own, if `keepsType`: in C++ a variable cannot take another type.
template <class Convert>
std::vector<EditLine> argumentLines(const FunctionText& function, std::string_view owner, bool keepsType,
                                    const Convert& convert) {
    const std::size_t parameter = parameterOf(function, owner);
    if (parameter == function.parameters.size())
        return {}; // one of any number of arguments: it has no name
    const std::string& name = function.parameters[parameter];
    const std::string_view passed = passedText(function, parameter);
    if (owner == name && !passed.empty() &&
        isOneLine(*function.call->code, function.call->call.arguments[parameter]))
        return dedented(changedLine(*function.call->code, function.call->call.arguments[parameter].begin,
                                    function.call->call.arguments[parameter], convert(std::string(passed))));
    if (owner == name)
        return {{'-', callText(function, {}, {})},
                {'+', callText(function, name, convert(argumentText(function, name)))}};
    const bool isOurs = function.dialect == Dialect::Retracescope;
    if ((isOurs && !keepsType) || liesInTuple(function, owner) || (!passed.empty() && !isIdentifier(passed)))
        return {};
    const std::string whole = passed.empty() ? argumentText(function, name) : std::string(passed);
    const std::string inner = innerText(function, whole, owner.substr(name.size()));
    const std::string statement = fmt::format("{} = {}{}", inner, convert(inner), isOurs ? ";" : "");
    if (passed.empty())
        return {{'+', statement}, {' ', callText(function, {}, {})}};
    const std::string line(function.call->code->line(function.call->code->lineOf(function.call->call.open)));
    const std::size_t blanks = std::min(line.find_first_not_of(" \t"), line.size());
    return dedented({{'+', line.substr(0, blanks) + statement}, {' ', line}});
}

/// The only place in all sources where a function of this name is made.
std::optional<CodePlace> onlyDefinition(std::string_view name, RecordedSources& sources) {
    std::optional<CodePlace> found;
    for (const std::string_view path : sources.paths()) {
        const SourceCode& code = *sources.find(path);
        const std::string start = "(" + quoted(name);
        for (std::size_t at = code.text().find(start); at != std::string_view::npos;
             at = code.text().find(start, at + 1)) {
            const auto call = code.callAt(at);
            if (!call || call->arguments.size() <= kCallableArgument)
                continue;
            if (found)
                return std::nullopt;
            found = CodePlace{path, &code, *call};
        }
    }
    return found;
}

std::optional<CodePlace> definitionOf(const session::Session& session, session::FunctionId function,
                                      RecordedSources& sources) {
    const std::string_view name = session.text(session[function].name);
    const Place place = definitionPlace(session, function);
    if (place.file.empty())
        return onlyDefinition(name, sources);
    const std::string_view file = session.text(session[function].file);
    const SourceCode* code = sources.find(file);
    if (code == nullptr)
        return std::nullopt;
    const auto call = findNamed(*code, name, place.line);
    return call ? std::optional(CodePlace{file, code, *call}) : std::nullopt;
}

/// The call of `variable` that stands at a line; none if there are several or none.
std::optional<CodePlace> callOf(std::string_view variable, const Place& place, RecordedSources& sources) {
    const SourceCode* code = sources.find(place.file);
    if (code == nullptr || variable.empty())
        return std::nullopt;
    std::optional<CodePlace> found;
    const std::size_t end = code->beginOf(place.line + 1);
    const std::uint32_t first = place.line > kLinesOfCall ? place.line - kLinesOfCall : 1;
    for (std::size_t open = code->text().find('(', code->beginOf(first)); open < end;
         open = code->text().find('(', open + 1)) {
        if (code->nameBefore(open) != variable)
            continue;
        const auto call = code->callAt(open);
        const bool isThere =
            call && code->lineOf(open) <= place.line && place.line <= code->lineOf(call->close);
        if (isThere && found)
            return std::nullopt;
        if (isThere)
            found = CodePlace{{}, code, *call};
    }
    return found;
}

} // namespace

RecordedSources::RecordedSources(const session::Session& session) {
    for (const session::Source& source : session.sources) {
        if (m_texts.emplace(session.text(source.path), session.text(source.text)).second)
            m_paths.push_back(session.text(source.path));
    }
}

const SourceCode* RecordedSources::find(std::string_view path) {
    const auto text = m_texts.find(path);
    if (path.empty() || text == m_texts.end())
        return nullptr;
    auto& code = m_codes[text->first];
    if (code == nullptr)
        code = std::make_unique<SourceCode>(text->second);
    return code.get();
}

Dialect dialectOf(const session::Session& session, session::FunctionId function) {
    const std::string_view engine = session.text(session[function].engine);
    if (engine == "jax")
        return Dialect::Jax;
    if (engine == "torch" || engine == "pytorch")
        return Dialect::Torch;
    return engine == "retracescope" ? Dialect::Retracescope : Dialect::TensorFlow;
}

FunctionText functionText(const session::Session& session, session::FunctionId function,
                          const History& history, RecordedSources& sources, const Place& call) {
    const session::Function& row = session[function];
    FunctionText text;
    text.dialect = dialectOf(session, function);
    text.name = nameOf(session, function);
    text.variable = identifierOf(text.name, "function");
    text.parameterList = session.text(row.parameters);
    text.parameters = parameterNames(text.parameterList);
    text.options = session.text(row.options);
    for (const Column& column : history.columns()) {
        const bool isTuple =
            std::ranges::find(column.values, "tuple", &ColumnValue::text) != column.values.end();
        if (column.kind == types::ComponentKind::Type && isTuple)
            text.tuples.emplace_back(splitPath(column.path).owner);
    }
    if (text.dialect != Dialect::Retracescope)
        return text;
    text.definition = definitionOf(session, function, sources);
    if (!text.definition)
        return text;
    const std::string_view declared = declaredName(*text.definition);
    text.call = callOf(declared, call, sources);
    if (!declared.empty())
        text.variable = declared;
    return text;
}

std::string identifierOf(std::string_view name, std::string_view ifNothingIsLeft) {
    std::string result;
    for (const char c : name) {
        const bool isWord = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        if (isWord)
            result += c;
        else if (!result.empty() && result.back() != '_')
            result += '_';
    }
    while (result.ends_with('_') && !name.ends_with('_'))
        result.pop_back();
    if (result.empty())
        return std::string(ifNothingIsLeft);
    if (std::isdigit(static_cast<unsigned char>(result.front())) != 0)
        result.insert(0, "_");
    return isIdentifier(result) ? result : result + "_";
}

std::vector<EditLine> relaxLines(const FunctionText& function) {
    if (function.dialect == Dialect::Jax || function.dialect == Dialect::Torch)
        return {};
    return function.dialect == Dialect::Retracescope ? ownOptionLines(function, ".reduceRetracing = true")
                                                     : decoratorLines(function, "reduce_retracing=True");
}

std::vector<EditLine> inputSignatureLines(const FunctionText& function, const std::vector<SpecText>& specs) {
    std::vector<std::string> python;
    std::vector<std::string> own;
    for (const SpecText& spec : specs) {
        const std::string dtype = dtypeText(function.dialect, spec.dtype);
        own.push_back(fmt::format("rs::TensorSpec{{{}, {{{}}}, {}}}", dtype,
                                  shapeText(spec.shape, "rs::Shape::kUnknown"), quoted(spec.name)));
        python.push_back(fmt::format("tf.TensorSpec([{}], {})", shapeText(spec.shape, "None"), dtype));
    }
    return function.dialect == Dialect::Retracescope
               ? ownOptionLines(function, fmt::format(".inputSignature = {{{{{}}}}}", joined(own)))
               : decoratorLines(function, fmt::format("input_signature=[{}]", joined(python)));
}

std::vector<EditLine> passArrayLines(const FunctionText& function, std::string_view owner) {
    return argumentLines(function, owner, false, [&](const std::string& value) {
        switch (function.dialect) {
        case Dialect::TensorFlow:
            return fmt::format("tf.constant({})", value);
        case Dialect::Jax:
            return fmt::format("jnp.asarray({})", value);
        case Dialect::Torch:
            return fmt::format("torch.tensor({})", value);
        case Dialect::Retracescope:
            break;
        }
        return fmt::format("rs::constant({})", value);
    });
}

std::vector<EditLine> tensorParameterLines(const FunctionText& function, std::string_view owner,
                                           std::string_view type) {
    const auto it = std::ranges::find(function.parameters, owner);
    if (function.dialect != Dialect::Retracescope || it == function.parameters.end())
        return {};
    const auto index = static_cast<std::size_t>(it - function.parameters.begin());
    if (function.definition && function.definition->call.arguments.size() > kCallableArgument) {
        const SourceCode& code = *function.definition->code;
        const SourceCall::Piece callable = function.definition->call.arguments[kCallableArgument];
        const auto captures =
            code.text(callable).starts_with("[") ? code.callAt(callable.begin) : std::nullopt;
        const std::size_t open =
            captures ? code.text().find_first_not_of(" \t\n", captures->close + 1) : std::string_view::npos;
        const auto list = open < callable.end && code.text()[open] == '(' ? code.callAt(open) : std::nullopt;
        if (!list || list->arguments.size() <= index || !isOneLine(code, list->arguments[index]))
            return {};
        const SourceCall::Piece declared = list->arguments[index];
        return dedented(changedLine(code, declared.begin, declared,
                                    fmt::format("rs::Tensor {}", code.nameBefore(declared.end))));
    }
    const std::string name = identifierOf(owner, "argument");
    const std::string_view declared = type == "float" ? "double" : type; // a session holds doubles as "float"
    const std::string before = index == 0 ? "" : "…, ";
    const std::string after = index + 1 == function.parameters.size() ? "" : ", …";
    return {{'-', definitionStart(function, fmt::format("{}{} {}{}", before, declared, name, after))},
            {'+', definitionStart(function, fmt::format("{}rs::Tensor {}{}", before, name, after))}};
}

std::vector<EditLine> castLines(const FunctionText& function, std::string_view owner,
                                std::string_view dtype) {
    const std::string name = dtypeText(function.dialect, dtype);
    return argumentLines(function, owner, true, [&](const std::string& value) {
        switch (function.dialect) {
        case Dialect::TensorFlow:
            return fmt::format("tf.cast({}, {})", value, name);
        case Dialect::Jax:
            return fmt::format("{}.astype({})", value, name);
        case Dialect::Torch:
            return fmt::format("{}.to({})", value, name);
        case Dialect::Retracescope:
            break;
        }
        return fmt::format("rs::cast({}, {})", value, name);
    });
}

std::vector<EditLine> openAxisLines(const FunctionText& function, std::string_view owner, int axis) {
    if (function.dialect != Dialect::Torch)
        return {};
    return {{'+', fmt::format("torch._dynamo.mark_dynamic({}, {})", owner, axis)},
            {' ', callText(function, {}, {})}};
}

namespace {

/// Whether the definition stays what it is with `static` in front of its line: a statement of its own, of a
/// callable that captures nothing, by which it could differ from one time to the next.
bool mayBeStatic(const CodePlace& definition) {
    const SourceCode& code = *definition.code;
    const std::size_t begin = code.beginOf(code.lineOf(definition.call.open));
    const std::string_view before = code.text().substr(begin, definition.call.open - begin);
    if (declaredName(definition).empty() || trimmed(before).starts_with("static ") ||
        before.find_first_of("({;") != std::string_view::npos)
        return false;
    return std::ranges::none_of(definition.call.arguments, [&](const SourceCall::Piece& piece) {
        const std::string_view argument = code.text(piece);
        return argument.starts_with("[") && !trimmed(argument.substr(1, argument.find(']') - 1)).empty();
    });
}

} // namespace

std::vector<EditLine> hoistLines(const FunctionText& function) {
    switch (function.dialect) {
    case Dialect::Retracescope:
        break;
    case Dialect::TensorFlow:
        return {{'-', "    @tf.function"},
                {'-', fmt::format("    def {}({}):", function.variable, function.parameterList)},
                {'+', "@tf.function  # at module level"},
                {'+', fmt::format("def {}({}):", function.variable, function.parameterList)}};
    case Dialect::Jax:
        return {{'-', fmt::format("    {0} = jax.jit({0})", function.variable)},
                {'+', fmt::format("{0} = jax.jit({0})  # once, at module level", function.variable)}};
    case Dialect::Torch:
        return {{'-', fmt::format("    {0} = torch.compile({0})", function.variable)},
                {'+', fmt::format("{0} = torch.compile({0})  # once, at module level", function.variable)}};
    }
    std::string line = definitionStart(function, "…");
    if (function.definition) {
        const SourceCode& code = *function.definition->code;
        line = code.line(code.lineOf(function.definition->call.open));
        if (!mayBeStatic(*function.definition))
            return {};
    }
    std::string once = line;
    once.insert(std::min(line.find_first_not_of(" \t"), line.size()), "static ");
    return dedented({{'-', line}, {'+', once}});
}

std::vector<EditLine> stackLines(const FunctionText& function, std::string_view owner) {
    const auto lines = [&](std::string_view stack) {
        return argumentLines(function, owner, false,
                             [&](const std::string& value) { return fmt::format("{}({})", stack, value); });
    };
    switch (function.dialect) {
    case Dialect::Retracescope:
        break; // it has no op that stacks a list
    case Dialect::TensorFlow:
        return lines("tf.stack");
    case Dialect::Jax:
        return lines("jnp.stack");
    case Dialect::Torch:
        return lines("torch.stack");
    }
    return {};
}

std::vector<EditLine> valueEqualityLines(Dialect dialect, std::string_view type) {
    if (dialect == Dialect::Retracescope)
        return {{' ', fmt::format("struct {} {{", type)},
                {'+', fmt::format("    bool operator==(const {}&) const = default;", type)}};
    return {{'+', "@dataclasses.dataclass(frozen=True)"}, {' ', fmt::format("class {}:", type)}};
}

} // namespace retracescope::diagnose
