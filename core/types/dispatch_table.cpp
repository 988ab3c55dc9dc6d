#include <retracescope/types/dispatch_table.h>

#include <algorithm>

namespace retracescope::types {

namespace {

std::uint64_t hashOf(const FunctionContext& context, const FunctionType& request) {
    return types::hashOf(request) * 31 + static_cast<std::uint64_t>(context.scope);
}

/// Captures that only the trace has are no part of the question.
bool isExact(const DispatchTable::Target& target, const FunctionContext& context,
             const FunctionType& request) {
    return target.context == context && target.type == request;
}

} // namespace

std::optional<std::uint32_t> DispatchTable::dispatch(const FunctionContext& context,
                                                     const FunctionType& request) {
    const std::uint64_t hash = hashOf(context, request);
    if (const Target* exact = findExact(context, request, hash))
        return exact->value;
    if (const auto known = findRemembered(context, request, hash); known != m_memo.end()) {
        m_memo.splice(m_memo.end(), m_memo, known);
        return known->value;
    }
    const Target* found = scan(context, request);
    if (found == nullptr)
        return std::nullopt;
    if (!hasObjects(request)) // else the answer holds only as long as the objects live
        remember({hash, context, request, found->value});
    return found->value;
}

void DispatchTable::add(const FunctionContext& context, const FunctionType& type, std::uint32_t value) {
    const std::uint64_t hash = hashOf(context, type);
    const auto [first, last] = m_targetOfHash.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (isExact(m_targets[it->second], context, type)) {
            m_targets[it->second] = {context, type, value};
            return;
        }
    m_targets.push_back({context, type, value});
    index(m_targets.size() - 1);
    // A remembered answer may now have a more specific one: asked again, it finds out.
    for (auto it = m_memo.begin(); it != m_memo.end();) {
        const auto next = std::next(it);
        if (it->context == context && canServe(type, it->request))
            forget(it);
        it = next;
    }
}

void DispatchTable::remove(std::uint32_t value) {
    std::erase_if(m_targets, [value](const Target& target) { return target.value == value; });
    for (auto it = m_memo.begin(); it != m_memo.end();) {
        const auto next = std::next(it);
        if (it->value == value)
            forget(it);
        it = next;
    }
    rebuildIndex();
}

void DispatchTable::clear() {
    m_targets.clear();
    m_general.clear();
    m_targetOfHash.clear();
    m_memo.clear();
    m_memoOfHash.clear();
}

const DispatchTable::Target* DispatchTable::findExact(const FunctionContext& context,
                                                      const FunctionType& request, std::uint64_t hash) const {
    const auto [first, last] = m_targetOfHash.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (isExact(m_targets[it->second], context, request))
            return &m_targets[it->second];
    return nullptr;
}

const DispatchTable::Target* DispatchTable::scan(const FunctionContext& context,
                                                 const FunctionType& request) const {
    const Target* best = nullptr;
    const auto consider = [&](const Target& target) {
        if (target.context != context || !canServe(target.type, request))
            return;
        const FunctionType arguments{target.type.parameters, {}, TypeId::None};
        if (best == nullptr || canServe(best->type, arguments))
            best = &target;
    };
    if (request.captures.empty()) // no target is equal: that was asked before
        for (const std::size_t target : m_general)
            consider(m_targets[target]);
    else
        std::ranges::for_each(m_targets, consider);
    return best;
}

DispatchTable::Memo::iterator DispatchTable::findRemembered(const FunctionContext& context,
                                                            const FunctionType& request, std::uint64_t hash) {
    const auto [first, last] = m_memoOfHash.equal_range(hash);
    for (auto it = first; it != last; ++it)
        if (it->second->context == context && it->second->request == request)
            return it->second;
    return m_memo.end();
}

void DispatchTable::remember(Remembered entry) {
    if (m_memo.size() == kMemoCapacity)
        forget(m_memo.begin());
    const std::uint64_t hash = entry.hash;
    m_memo.push_back(std::move(entry));
    m_memoOfHash.emplace(hash, std::prev(m_memo.end()));
}

void DispatchTable::forget(Memo::iterator entry) {
    const auto [first, last] = m_memoOfHash.equal_range(entry->hash);
    const auto known = std::find_if(first, last, [&](const auto& item) { return item.second == entry; });
    m_memoOfHash.erase(known);
    m_memo.erase(entry);
}

void DispatchTable::index(std::size_t target) {
    const auto& [context, type, value] = m_targets[target];
    m_targetOfHash.emplace(hashOf(context, type), target);
    if (!servesOnlyItself(type))
        m_general.push_back(target);
}

void DispatchTable::rebuildIndex() {
    m_targetOfHash.clear();
    m_general.clear();
    for (std::size_t i = 0; i < m_targets.size(); ++i)
        index(i);
}

} // namespace retracescope::types
