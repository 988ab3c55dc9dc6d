#include <retracescope/diagnose/advise.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include <retracescope/base/units.h>
#include <retracescope/diagnose/edit_code.h>
#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

using namespace session;
using types::ComponentKind;
using types::MissKind;

namespace {

/// Up to this many values a host value counts as a flag or a mode, beyond it as a quantity.
constexpr std::size_t kFewValues = 4;

Edit makeEdit(std::string kind, std::string sentence, std::vector<EditLine> lines = {}) {
    Edit edit;
    edit.kind = std::move(kind);
    edit.sentence = std::move(sentence);
    edit.lines = std::move(lines);
    return edit;
}

FunctionText functionText(const Case& where) {
    return functionText(where.session, where.function, where.history, where.sources, where.call);
}

/// Its first line where the source tells it: compilers name any of its lines.
Place definitionPlaceOf(const Case& where) {
    const FunctionText function = functionText(where);
    if (function.definition)
        return {std::string(function.definition->file),
                function.definition->code->lineOf(function.definition->call.open)};
    return definitionPlace(where.session, where.function);
}

bool isTensorType(std::string_view type) {
    return type == "tensor";
}

std::optional<std::int64_t> toNumber(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

std::string siblingPath(std::string_view path, std::string_view part) {
    return std::string(splitPath(path).owner) + "." + std::string(part);
}

/// The type of the value at `path` in the function's requests; empty if it has several or none.
std::string_view onlyType(const History& history, std::string_view path) {
    const Column* type = history.column(siblingPath(path, "type"));
    return type != nullptr && type->values.size() == 1 ? std::string_view(type->values[0].text)
                                                       : std::string_view();
}

/// The requests joined into one list of specs, or nothing if one signature cannot cover them: a host value, a
/// container, another dtype, rank or presence, or anything else that an open axis does not cover.
std::optional<std::vector<SpecText>> joinedSpecs(const History& history) {
    std::vector<SpecText> specs;
    for (const Column& column : history.columns()) {
        const PathParts parts = splitPath(column.path);
        const bool fixed = column.values.size() == 1 && column.requests == history.distinctRequests();
        if (column.kind == ComponentKind::Type && fixed && isTensorType(column.values[0].text)) {
            specs.push_back({std::string(parts.owner), {}, {}});
        } else if (specs.empty() || specs.back().name != parts.owner) {
            return std::nullopt;
        } else if (column.kind == ComponentKind::Dtype && fixed) {
            specs.back().dtype = column.values[0].text;
        } else if (column.kind == ComponentKind::Dimension) {
            specs.back().shape.push_back(fixed ? toNumber(column.values[0].text).value_or(-1) : -1);
        } else if (column.kind != ComponentKind::Rank || !fixed) {
            return std::nullopt;
        }
    }
    return specs;
}

Edit partialBatchEdit(const Column& column) {
    const auto a = toNumber(column.values[0].text).value_or(0);
    const auto b = toNumber(column.values[1].text).value_or(0);
    return makeEdit(
        "drop_remainder",
        fmt::format("One more trace for {} rows is normal; drop or pad the remainder if it matters.",
                    std::min(a, b)));
}

Edit shapeEdit(const Case& where, const types::Difference& primary) {
    const PathParts parts = splitPath(primary.path);
    const FunctionText function = functionText(where);
    const Column* column = where.history.column(primary.path);
    if (column != nullptr && isPartialBatch(*column))
        return partialBatchEdit(*column);
    const std::string axis = pathInWords(primary.path);
    if (function.dialect == Dialect::Jax)
        return makeEdit("pad_or_bucket",
                        fmt::format("Pad {} to a few lengths; every new length is a new trace.", axis));
    if (function.dialect == Dialect::Torch)
        return makeEdit("input_signature", fmt::format("Mark {} as dynamic.", axis),
                        openAxisLines(function, parts.owner, parts.axis));
    if (const auto specs = joinedSpecs(where.history))
        return makeEdit("input_signature", fmt::format("Open {} in the input signature.", axis),
                        inputSignatureLines(function, *specs));
    if (relaxes(where.session, where.function))
        return makeEdit(
            "pad_or_bucket",
            fmt::format("Pad {} to a few lengths: relaxing is on, but the body needs a known one.", axis));
    return makeEdit(
        "relax",
        fmt::format("Turn on reduce_retracing: {} opens at its second length, a third one hits.", axis),
        relaxLines(function));
}

/// Where to cast to: a float if any is among them, for the other way loses digits; then what most calls use.
std::string commonDtype(const Column& column) {
    const ColumnValue* best = nullptr;
    for (const ColumnValue& value : column.values) {
        if (!isNumericDtype(value.text))
            continue;
        const bool better =
            best == nullptr || (isFloatDtype(value.text) && !isFloatDtype(best->text)) ||
            (isFloatDtype(value.text) == isFloatDtype(best->text) && value.calls > best->calls);
        if (better)
            best = &value;
    }
    return best != nullptr ? best->text : std::string();
}

/// Where a call stands that asked with `value` at `path`; empty if none did or its place was not recorded.
Place callThatAsked(const Case& where, std::string_view path, std::string_view value) {
    for (const MissId row : where.index.missesOfFunction[where.function.value]) {
        const Miss& miss = where.session[row];
        if (!miss.request.isValid())
            continue;
        for (const types::Component& component : where.session[miss.request].components) {
            if (component.path == path && component.value == value)
                return callPlace(where.session, miss);
        }
    }
    return {};
}

Edit dtypeEdit(const Case& where, const types::Difference& primary) {
    const std::string owner(splitPath(primary.path).owner);
    const Column* column = where.history.column(primary.path);
    if (!castable(primary) || column == nullptr)
        return makeEdit("accept",
                        fmt::format("{} and {} cannot be cast into each other; one trace each is needed.",
                                    primary.before, primary.after));
    const std::string target = commonDtype(*column);
    Case cast = where;
    if (primary.after == target) // this call has the dtype that stays: the other one changes
        cast.call = callThatAsked(where, primary.path, primary.before);
    Edit edit = makeEdit("cast_dtype", fmt::format("Cast {} to {} before the call.", owner, target),
                         castLines(functionText(cast), owner, target));
    edit.file = cast.call.file;
    edit.line = cast.call.line;
    return edit;
}

bool isParameter(const FunctionText& function, std::string_view owner) {
    return std::ranges::find(function.parameters, owner) != function.parameters.end();
}

/// A host value as a tensor. A C++ body declares the host type, so that changing the call alone would not
/// compile.
Edit passArrayEdit(const Case& where, const types::Difference& primary, std::string_view reason) {
    const FunctionText function = functionText(where);
    const std::string_view owner = splitPath(primary.path).owner;
    const std::string_view type = onlyType(where.history, primary.path);
    const bool isOurs = function.dialect == Dialect::Retracescope;
    std::string sentence = fmt::format(
        "{}ass {} as a tensor", reason.empty() ? "P" : std::string(reason) + "p", pathInWords(primary.path));
    if (!isOurs)
        return makeEdit("pass_array", sentence + ".", passArrayLines(function, owner));
    std::vector<EditLine> lines = tensorParameterLines(function, owner, type);
    std::ranges::copy(passArrayLines(function, owner), std::back_inserter(lines));
    sentence += isParameter(function, owner)
                    ? ": make the parameter rs::Tensor and wrap the argument; cast it in the body where "
                      "dtypes differ."
                    : ": make it rs::Tensor in the parameter's type, and wrap the value where it is put in.";
    return makeEdit("pass_array", std::move(sentence), std::move(lines));
}

/// A host value with few values: needed if the graphs differ, otherwise not a part of the key.
Edit flagEdit(const Case& where, const types::Difference& primary, std::string_view count) {
    const std::string owner = pathInWords(primary.path);
    switch (where.likeness.acrossComponent(where.function, primary.path)) {
    case Likeness::Differ:
        return makeEdit("accept", std::string(kNothingToFix));
    case Likeness::Same:
        return makeEdit("move_out",
                        fmt::format("The graphs are equal: {} does not belong among the arguments.", owner));
    case Likeness::Constants:
        return passArrayEdit(where, primary, "Only constants differ between the graphs: ");
    case Likeness::Unknown:
        break;
    }
    return makeEdit("accept",
                    fmt::format("{} values, one trace each; no two graphs differ in it alone.", count));
}

Edit valueEdit(const Case& where, const types::Difference& primary) {
    const Column* column = where.history.column(primary.path);
    const std::size_t values = column != nullptr ? column->values.size() : 2;
    const std::string owner = pathInWords(primary.path);
    const std::string_view type = onlyType(where.history, primary.path);
    if (isNumberType(type)) {
        const Likeness likeness = where.likeness.acrossComponent(where.function, primary.path);
        if (likeness == Likeness::Differ && values <= kFewValues)
            return makeEdit("accept", std::string(kNothingToFix));
        const bool isOurs = dialectOf(where.session, where.function) == Dialect::Retracescope;
        if (likeness == Likeness::Differ)
            return makeEdit("structured_loop",
                            fmt::format("{} changes the graph itself: pass it as a tensor and loop in the "
                                        "graph{}.",
                                        owner, isOurs ? " (rs::forRange, rs::whileLoop)" : ""));
        return passArrayEdit(where, primary, {});
    }
    if (values <= kFewValues)
        return flagEdit(where, primary, capitalized(countInWords(static_cast<std::int64_t>(values))));
    return makeEdit("move_out", fmt::format("Keep {} out of the traced function.", owner));
}

Edit typeEdit(const Case& where, const types::Difference& primary) {
    const std::string owner(splitPath(primary.path).owner);
    if (const std::string part(splitPath(primary.path).part); part != "type") // a name, or trainable
        return makeEdit("normalise_structure",
                        fmt::format("Give {} the same {} in every call: {}.", owner, part, primary.before));
    const FunctionText function = functionText(where);
    const bool hasTensor = isTensorType(primary.before) || isTensorType(primary.after);
    const std::string& other = isTensorType(primary.before) ? primary.after : primary.before;
    const bool numbers = isNumberType(primary.before) && isNumberType(primary.after);
    if (hasTensor && other == "None")
        return makeEdit("normalise_structure",
                        fmt::format("Pass a tensor for {} in every call, not None.", owner));
    if (numbers || (hasTensor && (isNumberType(other) || other == "bool" || other == "variable")))
        return makeEdit("pass_array", fmt::format("Pass {} as a tensor in every call.", owner),
                        passArrayLines(function, owner));
    return makeEdit("normalise_structure",
                    fmt::format("Pass {} as {} in every call.", owner, primary.before));
}

Edit structureEdit(const Case& where, const types::Difference& primary) {
    const PathParts parts = splitPath(primary.path);
    const std::string owner(parts.owner);
    if (parts.part == "len" && owner != "args")
        return makeEdit("stack_list",
                        fmt::format("Stack {} into one tensor whose length is an open axis.", owner),
                        stackLines(functionText(where), owner));
    if (parts.part == "len")
        return makeEdit("normalise_structure",
                        "Call with the same number of arguments, or pass them as one tensor.");
    return makeEdit("normalise_structure", fmt::format("Give {} the same keys in every call.", owner));
}

Edit identityEdit(const Case& where, const types::Difference& primary) {
    const std::string owner(splitPath(primary.path).owner);
    const Column* column = where.history.column(primary.path);
    const std::string_view type = onlyType(where.history, primary.path);
    const bool alwaysNew =
        column == nullptr ||
        std::ranges::all_of(column->values, [](const ColumnValue& value) { return value.calls <= 1; });
    if (type == "function" || type == "lambda")
        return makeEdit("hoist", fmt::format("Make the function in {} once and pass the same one.", owner));
    if (!alwaysNew)
        return makeEdit("reuse_object", fmt::format("Pass the same object as {} in every call.", owner));
    return makeEdit("value_equality",
                    fmt::format("Give the class of {} == and hash, or pass its numbers as tensors.", owner),
                    type.empty() ? std::vector<EditLine>{}
                                 : valueEqualityLines(dialectOf(where.session, where.function), type));
}

Edit newCallableEdit(const Case& where) {
    const std::string name = nameOf(where.session, where.function);
    if (where.family.functions.size() == 1) // where the others were made was not recorded
        return makeEdit("accept",
                        fmt::format("{} is made more than once; each object is traced once.", name));
    if (!isRemade(where.family))
        return makeEdit(
            "accept",
            fmt::format("{} objects of {} were made; each is traced once.",
                        capitalized(countInWords(static_cast<std::int64_t>(where.family.functions.size()))),
                        name));
    if (where.family.perInstance)
        return makeEdit("share", fmt::format("Share one {} among all instances and pass their state.", name));
    const std::string place = placeInWords(where.session, where.function);
    const bool isOurs = dialectOf(where.session, where.function) == Dialect::Retracescope;
    return makeEdit("hoist",
                    fmt::format("Make {} once{}, not each time {} runs.", name,
                                isOurs ? ": before what repeats, with what changes as an argument, or "
                                         "static if it captures nothing"
                                       : "",
                                place.empty() ? "its line" : place),
                    hoistLines(functionText(where)));
}

Edit editFor(const Case& where, MissKind cause, const types::Difference& primary) {
    const std::string name = nameOf(where.session, where.function);
    const std::string owner(splitPath(primary.path).owner);
    switch (cause) {
    case MissKind::Shape:
        return shapeEdit(where, primary);
    case MissKind::Dtype:
        return dtypeEdit(where, primary);
    case MissKind::Value:
        return valueEdit(where, primary);
    case MissKind::Type:
        return typeEdit(where, primary);
    case MissKind::Structure:
        return structureEdit(where, primary);
    case MissKind::Identity:
        return identityEdit(where, primary);
    case MissKind::Rank:
        return makeEdit("reshape_input",
                        fmt::format("Give {} the same number of axes in every call.", owner));
    case MissKind::Alias:
        return makeEdit("reuse_object",
                        fmt::format("Pass the same variables as {} in every call, or copy one.", owner));
    case MissKind::Placement:
    case MissKind::Context:
        return makeEdit("same_context",
                        fmt::format("Call {} with {} the same.", name, pathInWords(primary.path)));
    case MissKind::Dead:
        return makeEdit("reuse_object",
                        dialectOf(where.session, where.function) == Dialect::Retracescope
                            ? "Keep the object alive that the entry was traced with, or give its class a "
                              "traceKey()."
                            : "Keep the object alive that the entry was traced with.");
    case MissKind::Cleared:
        return makeEdit("remove_clear", fmt::format("Remove the call that clears the cache of {}.", name));
    case MissKind::Evicted:
        return makeEdit("accept", "Raise the cache limit or call with fewer signatures.");
    case MissKind::NewCallable:
        return newCallableEdit(where);
    case MissKind::FirstCall:
    case MissKind::Phase:
    case MissKind::FailedBefore:
    case MissKind::NotExplained:
        break;
    }
    return {};
}

} // namespace

Edit relaxedTraceEdit(const types::Difference& primary) {
    return makeEdit("accept", fmt::format("This trace is relaxed: from here on {} may differ.",
                                          pathInWords(primary.path)));
}

bool coversToo(const Edit& edit, MissKind kind) {
    return (kind == MissKind::Shape && (edit.kind == "relax" || edit.kind == "input_signature")) ||
           (kind == MissKind::Rank && edit.kind == "relax");
}

bool changesCall(const Edit& edit) {
    constexpr std::array<std::string_view, 9> kKinds{"pass_array",    "cast_dtype",     "stack_list",
                                                     "reuse_object",  "reshape_input",  "normalise_structure",
                                                     "pad_or_bucket", "drop_remainder", "same_context"};
    return std::ranges::find(kKinds, edit.kind) != kKinds.end();
}

bool castable(const types::Difference& difference) {
    return isNumericDtype(difference.before) && isNumericDtype(difference.after);
}

bool isPartialBatch(const Column& column) {
    if (column.values.size() != 2 || splitPath(column.path).axis != 0)
        return false;
    const ColumnValue& first = column.values[0];
    const ColumnValue& second = column.values[1];
    const auto full = toNumber(first.text);
    const auto rest = toNumber(second.text);
    return full && rest && *rest < *full && second.calls * 2 <= first.calls;
}

Edit suggestEdit(const Case& where, MissKind cause, const types::Difference& primary) {
    Edit edit = editFor(where, cause, primary);
    edit.against = {primary};
    if (!edit.exists() || !edit.file.empty() || edit.kind == "remove_clear") // cleared where: not recorded
        return edit;
    Place place = changesCall(edit) ? where.call : Place();
    if (place.file.empty())
        place = definitionPlaceOf(where);
    edit.file = std::move(place.file);
    edit.line = place.line;
    return edit;
}

} // namespace retracescope::diagnose
