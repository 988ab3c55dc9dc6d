#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <retracescope/types/function_type.h>

namespace retracescope::types {

/// The targets of one function in the order they were added, and which of them serves a request
/// (features.md, rows 16 and 17): an equal one; else the most specific one that can serve it, the earliest on
/// ties. Not safe for threads: whoever holds it holds a lock.
class DispatchTable {
public:
    struct Target {
        FunctionContext context;
        FunctionType type;
        std::uint32_t value = 0; ///< the caller's own number
    };

    /// Earlier answers that were not exact are remembered, the least recently used going first; not those
    /// that rest on the equality of objects.
    static constexpr std::size_t kMemoCapacity = 1024;

    /// The value of the target that serves `request`, if any.
    std::optional<std::uint32_t> dispatch(const FunctionContext& context, const FunctionType& request);

    /// Replaces an equal target; its place in the order stays.
    void add(const FunctionContext& context, const FunctionType& type, std::uint32_t value);

    void remove(std::uint32_t value);
    void clear();

    std::span<const Target> targets() const { return m_targets; }
    std::size_t size() const { return m_targets.size(); }
    std::size_t memoSize() const { return m_memo.size(); }

private:
    struct Remembered {
        std::uint64_t hash = 0;
        FunctionContext context;
        FunctionType request;
        std::uint32_t value = 0;
    };
    using Memo = std::list<Remembered>; ///< least recently used first

    const Target* findExact(const FunctionContext& context, const FunctionType& request,
                            std::uint64_t hash) const;
    const Target* scan(const FunctionContext& context, const FunctionType& request) const;
    Memo::iterator findRemembered(const FunctionContext& context, const FunctionType& request,
                                  std::uint64_t hash);
    void remember(Remembered entry);
    void forget(Memo::iterator entry);
    void rebuildIndex();

    void index(std::size_t target);

    std::vector<Target> m_targets;
    std::vector<std::size_t> m_general; ///< those that may serve more than what equals them, in order
    std::unordered_multimap<std::uint64_t, std::size_t> m_targetOfHash;
    Memo m_memo;
    std::unordered_multimap<std::uint64_t, Memo::iterator> m_memoOfHash;
};

} // namespace retracescope::types
