#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retracescope::types {

/// What one component of a cache key says. A signature is a list of components, each with an argument path
/// ("x.shape[0]", "step.value", "args[1]['k'].dtype", "ambient.mode"), in the order of the arguments.
enum class ComponentKind : std::uint8_t {
    Type,      ///< container, class, or tensor against literal; path ends in ".type"
    Dtype,     ///< path ends in ".dtype"
    Rank,      ///< number of axes; path ends in ".rank"
    Dimension, ///< one axis; path ends in ".shape[k]"
    Value,     ///< a literal; path ends in ".value"
    Length,    ///< of a list or tuple, or number of arguments; path ends in ".len"
    Keys,      ///< of a dict, or names of arguments; path ends in ".keys"
    Identity,  ///< an object compared by identity or equality; path ends in ".identity"
    Alias,     ///< which arguments are one variable; path ends in ".alias"
    Placement, ///< device or sharding; path ends in ".device"
    Name,      ///< user-given name of a tensor spec; path ends in ".name"
    Trainable, ///< of a variable; path ends in ".trainable"
    Context,   ///< not an argument: "ambient.graph", "ambient.scope"
    Callable,  ///< "callable identity"
};

/// One component of a request's or an entry's key.
struct Component {
    std::string path;
    ComponentKind kind = ComponentKind::Type;
    std::string value; ///< as text: "2", "float32", "False", "Point"; "None" for an open axis
    bool open = false; ///< accepts any value: an unknown axis, an unknown rank

    bool operator==(const Component&) const = default;
};

/// Which component of the key differed, or why there was no entry although none differed.
enum class MissKind : std::uint8_t {
    FirstCall,
    NewCallable,
    Shape,
    Rank,
    Dtype,
    Value,
    Type,
    Structure,
    Identity,
    Alias,
    Placement,
    Context,
    Phase,
    Cleared,
    Evicted,
    Dead,
    FailedBefore,
    NotExplained,
};

inline constexpr int kMissKindCount = static_cast<int>(MissKind::NotExplained) + 1;

/// How a session file spells it: "dtype", "dimension", ...
std::string_view componentKindName(ComponentKind kind);

/// The kind of that spelling, or none.
std::optional<ComponentKind> componentKindFromName(std::string_view name);

/// The contract's spelling: "first_call", "shape", "not_explained", ...
std::string_view missKindName(MissKind kind);

/// The kind of that spelling, or none.
std::optional<MissKind> missKindFromName(std::string_view name);

/// One way in which a request was not served by an entry. `before` is the entry's value, `after` the
/// request's; both as Component::value writes them. A component that one side lacks reads "none".
struct Difference {
    MissKind kind = MissKind::NotExplained;
    std::string path;
    std::string before;
    std::string after;

    bool operator==(const Difference&) const = default;
};

/// True if `path` is `owner` or lies inside it: "x[0].k" lies inside "x[0]".
bool isInside(std::string_view path, std::string_view owner);

/// The blocking set: components of `request` that the entry with key `stored` does not accept
///. An open component of `stored` blocks nothing. Both lists are in argument order; so is
/// the answer. Components below one that differs in type or structure are left out: they cannot be compared.
std::vector<Difference> blockingDifferences(const std::vector<Component>& request,
                                            const std::vector<Component>& stored);

/// The miss kind that a difference in a component of this kind has.
MissKind missKindOf(ComponentKind kind);

} // namespace retracescope::types
