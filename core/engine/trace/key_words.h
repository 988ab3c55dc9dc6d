#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <retracescope/engine/tensor/borrowed_tensors.h>
#include <retracescope/engine/trace/value.h>

namespace retracescope::trace::detail {

/// True if an argument of this type is one word in the keys of calls: type and kind of a tensor, the bits of
/// a number.
template <class T>
inline constexpr bool kIsWord = std::is_same_v<T, Tensor> || std::is_arithmetic_v<T>;

template <class T>
    requires kIsWord<T>
std::uint64_t wordOf(const T& value) {
    if constexpr (std::is_same_v<T, Tensor>)
        return value.typeWord();
    else if constexpr (std::is_integral_v<T>)
        return static_cast<std::uint64_t>(value);
    else
        return std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
                                                              : static_cast<double>(value));
}

/// True if an argument of this type is told by words alone, and so is the kind of each tensor in it: numbers,
/// text, tensors, variables, and structures of them.
template <class T>
constexpr bool isInWords() {
    if constexpr (kIsWord<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Variable> ||
                  std::is_enum_v<T>)
        return true;
    else if constexpr (kIsVector<T>)
        return isInWords<typename T::value_type>();
    else if constexpr (kIsMap<T>)
        return isInWords<typename T::mapped_type>();
    else if constexpr (kIsTuple<T>)
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (isInWords<std::tuple_element_t<I, T>>() && ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>());
    else if constexpr (Reflected<T>)
        return []<class... One>(std::type_identity<std::tuple<One...>>) {
            return (isInWords<typename One::Type>() && ...);
        }(std::type_identity<std::remove_cvref_t<decltype(T::traceFields())>>());
    else
        return false;
}

/// Arguments of so many words and tensors cost a hit no allocation.
inline constexpr std::size_t kFewLeaves = 128;

/// The words of one call's arguments. What is no structure of C++ (objects, Values) is the number of its
/// type. Two calls of one function have equal words only if they have one signature.
class KeyWords {
public:
    KeyWords() = default;
    KeyWords(const KeyWords&) = delete;
    KeyWords& operator=(const KeyWords&) = delete;

    std::span<const std::uint64_t> all() const {
        return m_many.empty() ? std::span(m_few).first(m_count) : std::span(m_many);
    }

    template <class T>
    void add(const T& value) {
        if constexpr (!isInWords<T>())
            put(static_cast<std::uint64_t>(typeOfValue(Value(value), m_aliases)));
        else if constexpr (kIsWord<T>)
            put(wordOf(value));
        else if constexpr (std::is_enum_v<T>)
            put(static_cast<std::uint64_t>(value));
        else if constexpr (std::is_same_v<T, std::string>)
            addText(value);
        else if constexpr (std::is_same_v<T, Variable>)
            addVariable(value);
        else if constexpr (kIsVector<T>)
            addItems(value, [this](const auto& item) { add<typename T::value_type>(item); });
        else if constexpr (kIsMap<T>)
            addItems(value, [this](const auto& entry) {
                addText(entry.first);
                add(entry.second);
            });
        else if constexpr (kIsTuple<T>)
            std::apply([this](const auto&... item) { (add(item), ...); }, value);
        else
            std::apply([&](const auto&... one) { (add(value.*(one.member)), ...); }, T::traceFields());
    }

private:
    template <class Items, class Add>
    void addItems(const Items& items, const Add& addItem) {
        put(items.size());
        std::ranges::for_each(items, addItem);
    }
    void addText(const std::string& text) {
        put(text.size());
        for (std::size_t from = 0; from < text.size(); from += sizeof(std::uint64_t)) {
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + from, std::min(sizeof word, text.size() - from));
            put(word);
        }
    }
    void addVariable(const Variable& variable) {
        put(variable.handle().typeWord());
        if (variable.isEmpty())
            return;
        put(static_cast<std::uint64_t>(variable.type()) << 1 | variable.isTrainable());
        put(static_cast<std::uint64_t>(m_aliases.numberOf(variable)));
    }

    void put(std::uint64_t word) {
        if (m_count < m_few.size() && m_many.empty()) [[likely]] {
            m_few[m_count++] = word;
            return;
        }
        if (m_many.empty())
            m_many.assign(m_few.begin(), m_few.end());
        m_many.push_back(word);
    }

    std::array<std::uint64_t, kFewLeaves> m_few; ///< not initialised: most calls need few of them
    std::size_t m_count = 0;
    std::vector<std::uint64_t> m_many; ///< all of them, if they are more
    AliasNumbers m_aliases;
};

/// Calls `take` with every tensor of an argument that is told by words, in flattening order; a variable met
/// before is passed over.
template <class T, class Take>
void forEachLeaf(const T& value, AliasNumbers& aliases, const Take& take) {
    if constexpr (std::is_same_v<T, Tensor>) {
        if (!value.isEmpty())
            take(value);
    } else if constexpr (std::is_same_v<T, Variable>) {
        if (aliases.isNew(value))
            take(value.handle());
    } else if constexpr (kIsVector<T>) {
        for (const typename T::value_type& item : value)
            forEachLeaf(item, aliases, take);
    } else if constexpr (kIsMap<T>) { // in the order of keys, as dicts are flattened
        for (const auto& [key, item] : value)
            forEachLeaf(item, aliases, take);
    } else if constexpr (kIsTuple<T>) {
        std::apply([&](const auto&... item) { (forEachLeaf(item, aliases, take), ...); }, value);
    } else if constexpr (Reflected<T>) {
        std::apply([&](const auto&... one) { (forEachLeaf(value.*(one.member), aliases, take), ...); },
                   T::traceFields());
    }
}

} // namespace retracescope::trace::detail
