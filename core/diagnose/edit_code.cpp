#include <retracescope/diagnose/edit_code.h>

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

/// "x, use_extra: bool = False, *rest" -> x, use_extra, *rest.
std::vector<std::string> parameterNames(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view one = list.substr(0, comma);
        one = trimmed(one.substr(0, one.find_first_of(":=")));
        if (!one.empty())
            names.emplace_back(one);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
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
    std::string name(dtype);
    return "rs::DType::" + capitalized(name);
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

std::string quotedNames(const FunctionText& function) {
    std::string text;
    for (const std::string& name : function.parameters)
        text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
    return text;
}

/// The wrapper with `option` beside the options it has; `setting` is the same for the C++ engine.
std::vector<EditLine> wrapperLines(const FunctionText& function, const std::string& option,
                                   const std::string& setting) {
    if (function.dialect == Dialect::Retracescope) {
        const std::string start = fmt::format("rs::Function {}(\"{}\", {{{}}}, body", function.name,
                                              function.name, quotedNames(function));
        std::vector<EditLine> lines;
        if (function.options.empty())
            lines = {{'+', "rs::FunctionOptions options;"}, {'+', setting}, {'-', start + ");"}};
        else
            lines = {{'+', setting}};
        lines.push_back({function.options.empty() ? '+' : ' ', start + ", options);"});
        return lines;
    }
    const std::string before =
        function.options.empty() ? "@tf.function" : "@tf.function(" + function.options + ")";
    const std::string separator = function.options.empty() ? "" : ", ";
    return {{'-', before},
            {'+', fmt::format("@tf.function({}{}{})", function.options, separator, option)},
            {' ', fmt::format("def {}({}):", function.name, function.parameterList)}};
}

std::string callText(const FunctionText& function, std::string_view name, const std::string& replacement) {
    std::vector<std::string> arguments;
    for (const std::string& parameter : function.parameters)
        arguments.push_back(parameter == name ? replacement : parameter);
    return fmt::format("{}({}){}", function.name, joined(arguments),
                       function.dialect == Dialect::Retracescope ? ";" : "");
}

/// The call before and after `owner` became `replacement`; an inner value is replaced by a statement of its
/// own.
std::vector<EditLine> argumentLines(const FunctionText& function, std::string_view owner,
                                    const std::string& replacement) {
    const std::string plain = callText(function, {}, {});
    if (std::ranges::find(function.parameters, owner) != function.parameters.end())
        return {{'-', plain}, {'+', callText(function, owner, replacement)}};
    const std::string end = function.dialect == Dialect::Retracescope ? ";" : "";
    return {{'+', fmt::format("{} = {}{}", owner, replacement, end)}, {' ', plain}};
}

} // namespace

Dialect dialectOf(const session::Session& session, session::FunctionId function) {
    const std::string_view engine = session.text(session[function].engine);
    if (engine == "jax")
        return Dialect::Jax;
    if (engine == "torch" || engine == "pytorch")
        return Dialect::Torch;
    return engine == "retracescope" ? Dialect::Retracescope : Dialect::TensorFlow;
}

FunctionText functionText(const session::Session& session, session::FunctionId function) {
    const session::Function& row = session[function];
    FunctionText text;
    text.dialect = dialectOf(session, function);
    text.name = nameOf(session, function);
    text.parameterList = session.text(row.parameters);
    text.parameters = parameterNames(text.parameterList);
    text.options = session.text(row.options);
    return text;
}

std::vector<EditLine> relaxLines(const FunctionText& function) {
    if (function.dialect == Dialect::Jax || function.dialect == Dialect::Torch)
        return {};
    return wrapperLines(function, "reduce_retracing=True", "options.reduceRetracing = true;");
}

std::vector<EditLine> inputSignatureLines(const FunctionText& function, const std::vector<SpecText>& specs) {
    std::vector<std::string> python;
    std::vector<std::string> own;
    for (const SpecText& spec : specs) {
        const std::string dtype = dtypeText(function.dialect, spec.dtype);
        own.push_back(fmt::format("rs::TensorSpec{{{}, {{{}}}, \"{}\"}}", dtype,
                                  shapeText(spec.shape, "rs::Shape::kUnknown"), spec.name));
        python.push_back(fmt::format("tf.TensorSpec([{}], {})", shapeText(spec.shape, "None"), dtype));
    }
    return wrapperLines(function, fmt::format("input_signature=[{}]", joined(python)),
                        fmt::format("options.inputSignature = {{{}}};", joined(own)));
}

std::vector<EditLine> passArrayLines(const FunctionText& function, std::string_view owner) {
    switch (function.dialect) {
    case Dialect::Retracescope:
        return argumentLines(function, owner, fmt::format("rs::constant({})", owner));
    case Dialect::TensorFlow:
        return argumentLines(function, owner, fmt::format("tf.constant({})", owner));
    case Dialect::Jax:
        return argumentLines(function, owner, fmt::format("jnp.asarray({})", owner));
    case Dialect::Torch:
        return argumentLines(function, owner, fmt::format("torch.tensor({})", owner));
    }
    return {};
}

std::vector<EditLine> tensorParameterLines(const FunctionText& function, std::string_view owner,
                                           std::string_view type) {
    if (function.dialect != Dialect::Retracescope || function.parameters.empty())
        return {};
    const std::string_view declared = type == "float" ? "double" : type; // a session holds doubles as "float"
    const std::string before = function.parameters.front() == owner ? "" : "…, ";
    const std::string after = function.parameters.back() == owner ? "" : ", …";
    return {{'-', fmt::format("[]({}{} {}{}) {{", before, declared, owner, after)},
            {'+', fmt::format("[]({}rs::Tensor {}{}) {{", before, owner, after)}};
}

std::vector<EditLine> castLines(const FunctionText& function, std::string_view owner,
                                std::string_view dtype) {
    const std::string name = dtypeText(function.dialect, dtype);
    switch (function.dialect) {
    case Dialect::Retracescope:
        return argumentLines(function, owner, fmt::format("rs::cast({}, {})", owner, name));
    case Dialect::TensorFlow:
        return argumentLines(function, owner, fmt::format("tf.cast({}, {})", owner, name));
    case Dialect::Jax:
        return argumentLines(function, owner, fmt::format("{}.astype({})", owner, name));
    case Dialect::Torch:
        return argumentLines(function, owner, fmt::format("{}.to({})", owner, name));
    }
    return {};
}

std::vector<EditLine> openAxisLines(const FunctionText& function, std::string_view owner, int axis) {
    if (function.dialect != Dialect::Torch)
        return {};
    return {{'+', fmt::format("torch._dynamo.mark_dynamic({}, {})", owner, axis)},
            {' ', callText(function, {}, {})}};
}

std::vector<EditLine> hoistLines(const FunctionText& function) {
    switch (function.dialect) {
    case Dialect::Retracescope:
        return {{'+', fmt::format("static rs::Function {}(\"{}\", {{{}}}, body);", function.name,
                                  function.name, quotedNames(function))}};
    case Dialect::TensorFlow:
        return {{'+', "@tf.function  # at module level, not inside the loop"},
                {'+', fmt::format("def {}({}):", function.name, function.parameterList)}};
    case Dialect::Jax:
        return {{'+', fmt::format("{0} = jax.jit({0})  # once, at module level", function.name)}};
    case Dialect::Torch:
        return {{'+', fmt::format("{0} = torch.compile({0})  # once, at module level", function.name)}};
    }
    return {};
}

std::vector<EditLine> stackLines(const FunctionText& function, std::string_view owner) {
    switch (function.dialect) {
    case Dialect::Retracescope:
        break; // it has no op that stacks a list
    case Dialect::TensorFlow:
        return argumentLines(function, owner, fmt::format("tf.stack({})", owner));
    case Dialect::Jax:
        return argumentLines(function, owner, fmt::format("jnp.stack({})", owner));
    case Dialect::Torch:
        return argumentLines(function, owner, fmt::format("torch.stack({})", owner));
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
