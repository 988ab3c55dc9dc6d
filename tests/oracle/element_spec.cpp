#include "tests/oracle/element_spec.h"

#include <charconv>
#include <string>

#include <retracescope/types/dtype.h>

namespace retracescope::oracle {

namespace {

using trace::Value;

/// Reads from the front of a text; false or none where it goes another way.
class SpecReader {
public:
    explicit SpecReader(std::string_view text) : m_text(text) {}

    std::optional<Value> whole() {
        std::optional<Value> value = spec();
        return m_text.empty() ? value : std::nullopt;
    }

private:
    std::optional<Value> spec() {
        if (accept("TensorSpec("))
            return tensor();
        if (accept("("))
            return tuple();
        if (accept("{"))
            return dict();
        return std::nullopt;
    }

    std::optional<Value> tensor() {
        trace::TensorSpec result;
        if (!accept("shape="))
            return std::nullopt;
        if (accept("<unknown>"))
            result.shape = types::Shape::unknownRank();
        else if (const auto sizes = shape())
            result.shape = types::Shape(*sizes);
        else
            return std::nullopt;
        if (!accept(", dtype=tf."))
            return std::nullopt;
        const auto dtype = types::dtypeFromName(upTo(','));
        if (!dtype || !accept(", name="))
            return std::nullopt;
        result.dtype = *dtype;
        if (!accept("None")) {
            if (!accept("'"))
                return std::nullopt;
            result.name = upTo('\'');
            accept("'");
        }
        return accept(")") ? std::optional(Value(result)) : std::nullopt;
    }

    std::optional<std::vector<std::int64_t>> shape() {
        if (!accept("("))
            return std::nullopt;
        std::vector<std::int64_t> sizes;
        while (!accept(")")) {
            std::int64_t size = types::Shape::kUnknown;
            if (!accept("None")) {
                const auto [end, error] = std::from_chars(m_text.data(), m_text.data() + m_text.size(), size);
                if (error != std::errc())
                    return std::nullopt;
                m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
            }
            sizes.push_back(size);
            if (!accept(", "))
                accept(",");
        }
        return sizes;
    }

    std::optional<Value> tuple() {
        Value::Sequence result{true, {}};
        while (!accept(")")) {
            const auto item = spec();
            if (!item)
                return std::nullopt;
            result.items.push_back(*item);
            if (!accept(", "))
                accept(",");
        }
        return Value(result);
    }

    std::optional<Value> dict() {
        Value::Dict result;
        while (!accept("}")) {
            if (!accept("'"))
                return std::nullopt;
            const std::string key(upTo('\''));
            if (!accept("': "))
                return std::nullopt;
            const auto item = spec();
            if (!item)
                return std::nullopt;
            result.items.emplace_back(key, *item);
            accept(", ");
        }
        return Value(result);
    }

    bool accept(std::string_view start) {
        if (!m_text.starts_with(start))
            return false;
        m_text.remove_prefix(start.size());
        return true;
    }
    std::string_view upTo(char end) {
        const std::string_view part = m_text.substr(0, m_text.find(end));
        m_text.remove_prefix(part.size());
        return part;
    }

    std::string_view m_text;
};

} // namespace

std::optional<Value> elementSpecFrom(std::string_view text) {
    return SpecReader(text).whole();
}

} // namespace retracescope::oracle
