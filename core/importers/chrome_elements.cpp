#include <retracescope/importers/chrome_elements.h>

#include <algorithm>
#include <fmt/format.h>
#include <simdjson.h>

namespace retracescope::importers {

namespace json = simdjson::ondemand;

namespace {

constexpr std::size_t kBatchBytes = 256 * 1024;
constexpr std::size_t kLargestElement = 64 * 1024 * 1024;

/// What simdjson_result<field>::value() would be, did it not name the field's own value.
json::field unwrap(simdjson::simdjson_result<json::field> result) {
    if (result.error() != simdjson::SUCCESS)
        throw simdjson::simdjson_error(result.error());
    return std::move(result).value_unsafe();
}

std::string_view trimmedToken(std::string_view token) {
    while (!token.empty() &&
           (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
        token.remove_suffix(1);
    return token;
}

/// The value as ChromeArgument writes it.
ChromeArgument readArgument(json::value value) {
    using Kind = ChromeArgument::Kind;
    switch (value.type().value()) {
    case json::json_type::string:
        return {{}, value.get_string().value(), Kind::Text};
    case json::json_type::number:
        return {{}, trimmedToken(value.raw_json_token()), Kind::Number};
    case json::json_type::boolean:
        return {{}, trimmedToken(value.raw_json_token()), Kind::Bool};
    case json::json_type::object:
        return {{}, trimmedToken(value.get_object().value().raw_json().value()), Kind::Nested};
    case json::json_type::array:
        return {{}, trimmedToken(value.get_array().value().raw_json().value()), Kind::Nested};
    case json::json_type::null:
        break;
    }
    return {};
}

ChromeTime readTime(json::value value) {
    const ChromeArgument read = readArgument(value);
    if (read.kind == ChromeArgument::Kind::Null)
        return {};
    if (read.kind != ChromeArgument::Kind::Number && read.kind != ChromeArgument::Kind::Text)
        return {.state = ChromeTime::State::Unusable, .value = {}, .negative = false};
    const Microseconds parsed = parseMicroseconds(read.value);
    if (!parsed.problem)
        return {.state = ChromeTime::State::Given, .value = parsed.time, .negative = parsed.negative};
    const bool tooLarge = *parsed.problem == DecimalProblem::TooLarge;
    return {.state = tooLarge ? ChromeTime::State::TooLarge : ChromeTime::State::Unusable,
            .value = {},
            .negative = parsed.negative};
}

std::string_view readKey(json::field& field) {
    const char* const start = field.key().raw();
    const char* end = start;
    while (*end != '"') {
        if (*end == '\\')
            return field.unescaped_key().value();
        ++end;
    }
    return {start, static_cast<std::size_t>(end - start)};
}

/// The text of an identifier: null and missing read as `missing`.
std::string_view readId(json::value value, std::string_view missing) {
    const ChromeArgument read = readArgument(value);
    return read.kind == ChromeArgument::Kind::Null ? missing : read.value;
}

std::string_view readObjectText(json::value value) {
    return value.type().value() == json::json_type::object ? readArgument(value).value : std::string_view();
}

void readField(json::field& field, ChromeEvent& event) {
    const std::string_view key = readKey(field);
    json::value value = field.value();
    if (key == "ph") {
        const ChromeArgument read = readArgument(value);
        event.phase = read.kind == ChromeArgument::Kind::Text ? read.value : std::string_view();
    } else if (key == "ts") {
        event.start = readTime(value);
    } else if (key == "dur") {
        event.duration = readTime(value);
    } else if (key == "name") {
        event.name = readId(value, {});
    } else if (key == "pid") {
        event.processId = readId(value, "0");
    } else if (key == "tid") {
        event.threadId = readId(value, "0");
    } else if (key == "args") {
        event.args = readObjectText(value);
    } else if (key == "cat") {
        const ChromeArgument read = readArgument(value);
        event.category = read.kind == ChromeArgument::Kind::Text ? read.value : std::string_view();
    } else if (key == "id") {
        event.id = readId(value, {});
    } else if (key == "tdur") {
        event.threadDuration = readTime(value);
    }
}

bool needsArguments(const ChromeEvent& event) {
    return event.phase == "M" || event.phase == "C" ||
           event.args.find("\"tf_function_call\"") != std::string_view::npos;
}

void keepLastOfEachKey(std::vector<ChromeArgument>& arguments) {
    if (arguments.size() < 2)
        return;
    std::ranges::stable_sort(arguments, {}, &ChromeArgument::key);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i + 1 < arguments.size() && arguments[i + 1].key == arguments[i].key)
            continue;
        arguments[kept++] = arguments[i];
    }
    arguments.resize(kept);
}

} // namespace

struct ChromeElements::State {
    Take take;
    std::string batch; ///< "[element,element" with room for a ']' and simdjson's padding
    std::size_t queued = 0;
    json::parser parser;
    json::parser argumentParser;
    ChromeEvent event;
    std::int64_t invalidBytes = 0;
    std::int64_t tooLarge = 0;
    std::int64_t undecoded = 0;
    std::string problem;

    void decode(json::value element) {
        std::vector<ChromeArgument> arguments = std::move(event.arguments);
        arguments.clear();
        event = ChromeEvent();
        event.arguments = std::move(arguments);
        if (element.type().value() != json::json_type::object) {
            event.kind = ChromeEvent::Kind::NotAnObject;
            return;
        }
        bool any = false;
        json::object fields = element.get_object().value();
        for (auto field : fields) {
            any = true;
            json::field known = unwrap(std::move(field));
            readField(known, event);
        }
        if (!any)
            event.kind = ChromeEvent::Kind::EmptyObject;
        else if (event.phase.empty())
            event.kind = ChromeEvent::Kind::NoPhase;
        else if (!event.args.empty() && needsArguments(event))
            readArguments();
    }

    void readArguments() {
        // The text lies inside the batch, whose padding is therefore also behind it.
        const simdjson::padded_string_view text(event.args, event.args.size() + simdjson::SIMDJSON_PADDING);
        json::document document = argumentParser.iterate(text).value();
        json::object fields = document.get_object().value();
        for (auto field : fields) {
            json::field known = unwrap(std::move(field));
            const std::string_view key = readKey(known);
            ChromeArgument argument = readArgument(known.value());
            argument.key = key;
            event.arguments.push_back(argument);
        }
        keepLastOfEachKey(event.arguments);
    }
};

ChromeElements::ChromeElements(Take take) : m_state(std::make_unique<State>()) {
    m_state->take = std::move(take);
    m_state->batch.reserve(2 * kBatchBytes);
}

ChromeElements::~ChromeElements() = default;

std::vector<std::string> ChromeElements::warnings() const {
    std::vector<std::string> warnings;
    if (m_state->invalidBytes > 0)
        warnings.push_back(fmt::format("{} bytes are not UTF-8 and are shown as replacement characters",
                                       m_state->invalidBytes));
    if (m_state->tooLarge > 0)
        warnings.push_back(fmt::format("{} events are larger than {} MB each and are left out",
                                       m_state->tooLarge, kLargestElement >> 20));
    if (m_state->undecoded > 0)
        warnings.push_back(
            fmt::format("{} events could not be decoded ({})", m_state->undecoded, m_state->problem));
    return warnings;
}

void ChromeElements::add(std::string_view element, const JsonValueScan& scan) {
    if (element.size() > kLargestElement) {
        ++m_state->tooLarge;
        return;
    }
    std::string& batch = m_state->batch;
    batch += m_state->queued == 0 ? '[' : ',';
    if (scan.needsRepair || (scan.nonAscii && !simdjson::validate_utf8(element.data(), element.size())))
        batch += repairJson(element, m_state->invalidBytes);
    else
        batch += element;
    ++m_state->queued;
    if (batch.size() >= kBatchBytes)
        flush();
}

void ChromeElements::flush() {
    State& state = *m_state;
    if (state.queued == 0)
        return;
    state.batch += ']';
    const std::size_t size = state.batch.size();
    state.batch.resize(size + simdjson::SIMDJSON_PADDING);
    std::size_t done = 0;
    try {
        json::document document =
            state.parser.iterate(simdjson::padded_string_view(state.batch.data(), size, state.batch.size()))
                .value();
        json::array elements =
            document.get_array().value(); // value() of a temporary would dangle in the loop's head
        for (auto element : elements) {
            state.decode(std::move(element).value());
            state.take(state.event);
            ++done;
        }
    } catch (const simdjson::simdjson_error& error) {
        // The scanner has checked the grammar, so this is not expected; what was lost is told, never hidden.
        state.undecoded += static_cast<std::int64_t>(state.queued - done);
        state.problem = error.what();
    }
    state.batch.clear();
    state.queued = 0;
}

} // namespace retracescope::importers
