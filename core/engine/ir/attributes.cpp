#include <retracescope/engine/ir/attributes.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <retracescope/base/check.h>

namespace retracescope::ir {

namespace {

struct AttributeFacts {
    std::string_view name;
    AttributeKind kind;
};

constexpr std::array<AttributeFacts, kAttributeCount> kFacts{{
    {"axes", AttributeKind::List},
    {"axis", AttributeKind::Number},
    {"keep_dims", AttributeKind::Number},
    {"dtype", AttributeKind::Number},
    {"shape", AttributeKind::List},
    {"permutation", AttributeKind::List},
    {"transpose_a", AttributeKind::Number},
    {"transpose_b", AttributeKind::Number},
    {"type", AttributeKind::Number},
    {"constant", AttributeKind::Number},
    {"callee", AttributeKind::Number},
    {"then", AttributeKind::Number},
    {"else", AttributeKind::Number},
    {"text", AttributeKind::Text},
    {"index", AttributeKind::Number},
    {"cond", AttributeKind::Number},
    {"body", AttributeKind::Number},
    {"dynamic_size", AttributeKind::Number},
    {"exclusive", AttributeKind::Number},
    {"reverse", AttributeKind::Number},
    {"begin", AttributeKind::List},
    {"end", AttributeKind::List},
    {"strides", AttributeKind::List},
    {"begin_mask", AttributeKind::Number},
    {"end_mask", AttributeKind::Number},
    {"shrink_mask", AttributeKind::Number},
    {"batch_dims", AttributeKind::Number},
    {"descending", AttributeKind::Number},
    {"paddings", AttributeKind::List},
    {"multiples", AttributeKind::List},
    {"drop_remainder", AttributeKind::Number},
    {"reshuffle", AttributeKind::Number},
    {"optional", AttributeKind::Number},
    {"backward", AttributeKind::Number},
    {"gradients_of", AttributeKind::List},
    {"host", AttributeKind::Number},
}};

std::size_t payloadBytes(std::uint64_t header) {
    return header >> 32;
}

std::size_t payloadWords(std::uint64_t header) {
    return (payloadBytes(header) + 7) / 8;
}

} // namespace

std::string_view attributeName(Attribute attribute) {
    return kFacts[static_cast<std::size_t>(attribute)].name;
}

AttributeKind attributeKind(Attribute attribute) {
    return kFacts[static_cast<std::size_t>(attribute)].kind;
}

std::span<const std::uint64_t> AttributeView::find(Attribute attribute) const {
    for (std::size_t at = 0; at < m_words.size(); at += 1 + payloadWords(m_words[at])) {
        if (static_cast<Attribute>(m_words[at] & 0xffff) == attribute)
            return m_words.subspan(at, 1 + payloadWords(m_words[at]));
    }
    return {};
}

std::int64_t AttributeView::number(Attribute attribute, std::int64_t otherwise) const {
    const auto words = find(attribute);
    return words.empty() ? otherwise : static_cast<std::int64_t>(words[1]);
}

std::span<const std::int64_t> AttributeView::list(Attribute attribute) const {
    const auto words = find(attribute);
    if (words.empty())
        return {};
    return {reinterpret_cast<const std::int64_t*>(words.data() + 1), payloadBytes(words[0]) / 8};
}

std::string_view AttributeView::text(Attribute attribute) const {
    const auto words = find(attribute);
    if (words.empty())
        return {};
    return {reinterpret_cast<const char*>(words.data() + 1), payloadBytes(words[0])};
}

std::vector<Attribute> AttributeView::all() const {
    std::vector<Attribute> result;
    for (std::size_t at = 0; at < m_words.size(); at += 1 + payloadWords(m_words[at]))
        result.push_back(static_cast<Attribute>(m_words[at] & 0xffff));
    return result;
}

Attributes::Attributes(AttributeView view) {
    if (!view.words().empty())
        std::ranges::copy(view.words(), grow(view.words().size()).begin());
}

Attributes& Attributes::set(Attribute attribute, std::int64_t number) {
    RETRACESCOPE_CHECK(attributeKind(attribute) == AttributeKind::Number);
    append(attribute, &number, sizeof number);
    return *this;
}

Attributes& Attributes::set(Attribute attribute, std::span<const std::int64_t> list) {
    RETRACESCOPE_CHECK(attributeKind(attribute) == AttributeKind::List);
    append(attribute, list.data(), list.size_bytes());
    return *this;
}

Attributes& Attributes::set(Attribute attribute, std::string_view text) {
    RETRACESCOPE_CHECK(attributeKind(attribute) == AttributeKind::Text);
    append(attribute, text.data(), text.size());
    return *this;
}

void Attributes::append(Attribute attribute, const void* bytes, std::size_t size) {
    RETRACESCOPE_CHECK(static_cast<std::int32_t>(attribute) > m_last);
    m_last = static_cast<std::int32_t>(attribute);
    const std::span<std::uint64_t> words = grow(1 + (size + 7) / 8);
    words.front() = static_cast<std::uint64_t>(attribute) | (std::uint64_t{size} << 32);
    if (size > 0) {
        words.back() = 0;
        std::memcpy(words.data() + 1, bytes, size);
    }
}

/// Room for further words.
std::span<std::uint64_t> Attributes::grow(std::size_t count) {
    if (m_many.empty() && m_fewCount + count <= m_few.size()) {
        m_fewCount += count;
        return std::span(m_few).subspan(m_fewCount - count, count);
    }
    if (m_many.empty())
        m_many.assign(m_few.begin(), m_few.begin() + static_cast<std::ptrdiff_t>(m_fewCount));
    m_many.resize(m_many.size() + count);
    return std::span(m_many).last(count);
}

} // namespace retracescope::ir
