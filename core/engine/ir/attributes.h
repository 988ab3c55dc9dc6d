#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace retracescope::ir {

/// Names of what a node carries besides its inputs. Which op has which: op_table.cpp.
enum class Attribute : std::uint16_t {
    Axes,          ///< list: axes to reduce; all if absent
    Axis,          ///< number
    KeepDims,      ///< 0 or 1
    DType,         ///< number of a types::DType
    Shape,         ///< list; -1 in at most one place of a reshape
    Permutation,   ///< list
    TransposeA,    ///< 0 or 1
    TransposeB,    ///< 0 or 1
    Type,          ///< number of a types::TensorTypeId: what a variable, or each element of a list, holds
    Constant,      ///< row in Graph::constants()
    Callee,        ///< row in Graph::callees()
    Then,          ///< row in Graph::branches()
    Else,          ///< row in Graph::branches()
    Text,          ///< text
    Index,         ///< number
    Condition,     ///< row in Graph::branches()
    Body,          ///< row in Graph::branches()
    DynamicSize,   ///< 0 or 1: a list grows
    Exclusive,     ///< 0 or 1: an element does not count for itself
    Reverse,       ///< 0 or 1: from the end
    Begin,         ///< list, per axis, from the end if negative
    End,           ///< list, per axis
    Strides,       ///< list, per axis; all 1 if absent
    BeginMask,     ///< bits by axis: there the slice starts where the axis does
    EndMask,       ///< bits by axis: there the slice ends where the axis does
    ShrinkMask,    ///< bits by axis: there it takes one element, and the axis goes
    BatchDims,     ///< number: leading axes that both inputs have
    Descending,    ///< 0 or 1
    Paddings,      ///< list: before, after of each axis
    Multiples,     ///< list, per axis
    DropRemainder, ///< 0 or 1: a last batch that is not full is left out
    Reshuffle,     ///< 0 or 1: every pass over the dataset has another order
    Optional,      ///< 0 or 1: the end is no error
    Backward,      ///< row in Graph::branches(): the gradient of a call that has one of its own
    GradientsOf,   ///< list: the inputs of a call whose gradients its own gradient returns
    Host,          ///< row in Graph::hosts()
};

inline constexpr int kAttributeCount = static_cast<int>(Attribute::Host) + 1;

/// "axes", "keep_dims", ...
std::string_view attributeName(Attribute attribute);

enum class AttributeKind : std::uint16_t { Number, List, Text };

/// How that attribute's value is stored.
AttributeKind attributeKind(Attribute attribute);

/// Reads the attributes of one node where they lie in the graph's arena. Valid until the graph grows.
class AttributeView {
public:
    AttributeView() = default;
    explicit AttributeView(std::span<const std::uint64_t> words) : m_words(words) {}

    bool has(Attribute attribute) const { return !find(attribute).empty(); }
    std::int64_t number(Attribute attribute, std::int64_t otherwise = 0) const;
    std::span<const std::int64_t> list(Attribute attribute) const;
    std::string_view text(Attribute attribute) const;

    /// All attributes in ascending order.
    std::vector<Attribute> all() const;
    std::span<const std::uint64_t> words() const { return m_words; }

private:
    std::span<const std::uint64_t> find(Attribute attribute) const;
    std::span<const std::uint64_t>
        m_words; ///< per attribute: key | bytes << 32, then the payload in whole words
};

/// Attributes on their way into a graph: Attributes().set(Attribute::Axis, 1).
class Attributes {
public:
    Attributes() noexcept {} // m_few stays as it is
    explicit Attributes(AttributeView view);
    /// Sets must come in the order of the enumeration (checked).
    Attributes& set(Attribute attribute, std::int64_t number);
    Attributes& set(Attribute attribute, std::span<const std::int64_t> list);
    Attributes& set(Attribute attribute, std::initializer_list<std::int64_t> list) {
        return set(attribute, std::span(list.begin(), list.size()));
    }
    Attributes& set(Attribute attribute, std::string_view text);

    AttributeView view() const { return AttributeView(words()); }
    std::span<const std::uint64_t> words() const {
        return m_many.empty() ? std::span(m_few).first(m_fewCount) : std::span<const std::uint64_t>(m_many);
    }

private:
    void append(Attribute attribute, const void* bytes, std::size_t size);
    std::span<std::uint64_t> grow(std::size_t count);

    std::array<std::uint64_t, 6> m_few; ///< as long as they suffice: most nodes have one number
    std::size_t m_fewCount = 0;
    std::vector<std::uint64_t> m_many;
    std::int32_t m_last = -1;
};

} // namespace retracescope::ir
