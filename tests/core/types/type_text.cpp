#include "tests/core/types/type_text.h"

#include <charconv>
#include <map>
#include <stdexcept>
#include <string>

namespace retracescope::test {

namespace {

using namespace types;

class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    TypeId whole() {
        const TypeId result = any();
        if (!m_text.empty())
            throw std::runtime_error("left over: " + std::string(m_text));
        return result;
    }

    TensorTypeId tensor() {
        static const std::map<std::string_view, DType> kNames{
            {"f32", DType::Float32},   {"f64", DType::Float64}, {"i32", DType::Int32}, {"i64", DType::Int64},
            {"c64", DType::Complex64}, {"str", DType::String},  {"bool", DType::Bool}};
        for (const auto& [name, dtype] : kNames)
            if (take(name))
                return types::tensorType(dtype, shape());
        throw std::runtime_error("no dtype: " + std::string(m_text));
    }

private:
    TypeId any() {
        if (take("true"))
            return literalType(true);
        if (take("false"))
            return literalType(false);
        if (take("none"))
            return literalType({});
        if (take("b'"))
            return literalType(Literal::Bytes{until('\'')});
        if (take("'"))
            return literalType(until('\''));
        if (take("var "))
            return variable(true);
        if (take("fixed "))
            return variable(false);
        if (take("ds("))
            return datasetType(items(')').at(0));
        if (take("it("))
            return iteratorType(items(')').at(0));
        if (take("["))
            return listType(items(']'));
        if (take("("))
            return tupleType(items(')'));
        if (take("{"))
            return dict();
        if (m_text[0] == '-' || (m_text[0] >= '0' && m_text[0] <= '9'))
            return number();
        const TensorTypeId spec = tensor();
        return tensorSpec(spec, take(":") ? word() : "");
    }

    Shape shape() {
        if (take("*"))
            return Shape::unknownRank();
        std::vector<std::int64_t> sizes;
        take("[");
        while (!take("]")) {
            sizes.push_back(take("?") ? Shape::kUnknown : integer());
            take(",");
        }
        return Shape(sizes);
    }

    std::vector<TypeId> items(char end) {
        std::vector<TypeId> result;
        while (!take(std::string_view(&end, 1))) {
            result.push_back(any());
            take(",");
        }
        return result;
    }

    TypeId dict() {
        std::vector<std::pair<Literal, TypeId>> entries;
        while (!take("}")) {
            const std::string key = word();
            take(":");
            entries.emplace_back(Literal(key), any());
            take(",");
        }
        return dictType(entries);
    }

    TypeId variable(bool trainable) {
        const TensorTypeId content = tensor();
        take("@");
        return variableType(content, trainable, static_cast<int>(integer()));
    }

    TypeId number() {
        double value = 0;
        const auto end = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value).ptr;
        const std::string_view digits(m_text.data(), static_cast<std::size_t>(end - m_text.data()));
        m_text.remove_prefix(digits.size());
        return digits.find('.') == std::string_view::npos ? literalType(static_cast<std::int64_t>(value))
                                                          : literalType(value);
    }

    std::int64_t integer() {
        std::int64_t value = 0;
        const auto end = std::from_chars(m_text.data(), m_text.data() + m_text.size(), value).ptr;
        m_text.remove_prefix(static_cast<std::size_t>(end - m_text.data()));
        return value;
    }

    std::string word() {
        std::size_t length = 0;
        while (length < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[length])) != 0))
            ++length;
        const std::string result(m_text.substr(0, length));
        m_text.remove_prefix(length);
        return result;
    }

    std::string until(char end) {
        const std::size_t at = m_text.find(end);
        const std::string result(m_text.substr(0, at));
        m_text.remove_prefix(at + 1);
        return result;
    }

    bool take(std::string_view token) {
        if (!m_text.starts_with(token))
            return false;
        m_text.remove_prefix(token.size());
        return true;
    }

    std::string_view m_text;
};

} // namespace

types::TypeId type(std::string_view text) {
    return cacheKey(writtenType(text));
}

types::TypeId writtenType(std::string_view text) {
    return Parser(text).whole();
}

types::TensorTypeId tensorType(std::string_view text) {
    return Parser(text).tensor();
}

} // namespace retracescope::test
