#include <retracescope/types/component.h>

#include <algorithm>
#include <array>

#include <retracescope/base/check.h>

namespace retracescope::types {

namespace {

constexpr std::array<std::string_view, 14> kComponentNames{
    "type",     "dtype", "rank",      "dimension", "value",     "length",  "keys",
    "identity", "alias", "placement", "name",      "trainable", "context", "callable",
};
static_assert(static_cast<std::size_t>(ComponentKind::Callable) + 1 == kComponentNames.size());

constexpr std::array<std::string_view, kMissKindCount> kNames{
    "first_call", "new_callable", "shape",    "rank",  "dtype",         "value",
    "type",       "structure",    "identity", "alias", "placement",     "context",
    "phase",      "cleared",      "evicted",  "dead",  "failed_before", "not_explained",
};

/// The path of the value a component describes: "x.shape[0]" and "x.dtype" describe "x".
std::string_view owner(const Component& component) {
    const std::string_view path = component.path;
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? path : path.substr(0, dot);
}

/// A difference here makes everything below the same owner incomparable.
bool blocksBelow(ComponentKind kind) {
    return kind == ComponentKind::Type || kind == ComponentKind::Length || kind == ComponentKind::Keys;
}

const Component* find(const std::vector<Component>& components, std::string_view path) {
    const auto it = std::ranges::find(components, path, &Component::path);
    return it == components.end() ? nullptr : &*it;
}

/// The first component of the same value that makes the comparison of this one meaningless, if any:
/// a different type, length or key set of an owner, or (for an axis) another or an open rank.
bool isCovered(const Component& component, const std::vector<std::string_view>& blocked,
               const std::vector<std::string_view>& rankFree) {
    const std::string_view own = owner(component);
    if (std::ranges::any_of(blocked, [&](std::string_view prefix) { return isInside(own, prefix); }))
        return true;
    return component.kind == ComponentKind::Dimension && std::ranges::find(rankFree, own) != rankFree.end();
}

} // namespace

std::string_view componentKindName(ComponentKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    RETRACESCOPE_CHECK(index < kComponentNames.size());
    return kComponentNames[index];
}

std::optional<ComponentKind> componentKindFromName(std::string_view name) {
    const auto it = std::ranges::find(kComponentNames, name);
    return it == kComponentNames.end()
               ? std::nullopt
               : std::optional(static_cast<ComponentKind>(it - kComponentNames.begin()));
}

std::string_view missKindName(MissKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    RETRACESCOPE_CHECK(index < kNames.size());
    return kNames[index];
}

std::optional<MissKind> missKindFromName(std::string_view name) {
    const auto it = std::ranges::find(kNames, name);
    if (it == kNames.end())
        return std::nullopt;
    return static_cast<MissKind>(it - kNames.begin());
}

bool isInside(std::string_view path, std::string_view owner) {
    return path.starts_with(owner) &&
           (path.size() == owner.size() || path[owner.size()] == '.' || path[owner.size()] == '[');
}

MissKind missKindOf(ComponentKind kind) {
    switch (kind) {
    case ComponentKind::Type:
    case ComponentKind::Name:
    case ComponentKind::Trainable:
        return MissKind::Type;
    case ComponentKind::Dtype:
        return MissKind::Dtype;
    case ComponentKind::Rank:
        return MissKind::Rank;
    case ComponentKind::Dimension:
        return MissKind::Shape;
    case ComponentKind::Value:
        return MissKind::Value;
    case ComponentKind::Length:
    case ComponentKind::Keys:
        return MissKind::Structure;
    case ComponentKind::Identity:
        return MissKind::Identity;
    case ComponentKind::Alias:
        return MissKind::Alias;
    case ComponentKind::Placement:
        return MissKind::Placement;
    case ComponentKind::Context:
        return MissKind::Context;
    case ComponentKind::Callable:
        return MissKind::NewCallable;
    }
    return MissKind::NotExplained;
}

std::vector<Difference> blockingDifferences(const std::vector<Component>& request,
                                            const std::vector<Component>& stored) {
    std::vector<Difference> result;
    std::vector<std::string_view> blocked;  // owners whose insides cannot be compared
    std::vector<std::string_view> rankFree; // values whose axes are decided by their rank
    for (const Component& wanted : request) {
        const Component* have = find(stored, wanted.path);
        if (have != nullptr && have->kind == ComponentKind::Rank &&
            (have->open || have->value != wanted.value))
            rankFree.push_back(owner(wanted));
        if (have != nullptr && (have->open || (have->value == wanted.value && !wanted.open)))
            continue;
        if (isCovered(wanted, blocked, rankFree))
            continue;
        if (have != nullptr && have->value == wanted.value && wanted.open == have->open)
            continue;
        if (blocksBelow(wanted.kind))
            blocked.push_back(owner(wanted));
        result.push_back(
            {missKindOf(wanted.kind), wanted.path, have != nullptr ? have->value : "none", wanted.value});
    }
    for (const Component& have : stored) {
        if (have.kind == ComponentKind::Name) // an unnamed request matches a named key
            continue;
        if (find(request, have.path) != nullptr || isCovered(have, blocked, rankFree))
            continue;
        if (blocksBelow(have.kind))
            blocked.push_back(owner(have));
        result.push_back({missKindOf(have.kind), have.path, have.value, "none"});
    }
    return result;
}

} // namespace retracescope::types
