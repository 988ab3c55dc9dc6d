#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include <retracescope/diagnose/explain.h>

namespace retracescope::diagnose {

/// What calls would ask once edits of the program are made, component by component.
class EditedRequest {
public:
    using Components = std::vector<types::Component>;

    /// Adds an edit of a call or a signature for a difference that it removes. Other edits, such as hoist or
    /// remove_clear, change no request.
    void add(const Edit& edit, const types::Difference& against);

    /// Before the first of(), for each request: an edit that makes structures alike takes what a call lacks
    /// from one that has it.
    void learn(const Components& request);

    /// A value whose axes are all open or padded keeps them as such; what no longer counts is left out.
    Components of(const Components& request) const;

private:
    enum class PathRule : std::uint8_t { Ignore, Pad, Cast };
    enum class OwnerRule : std::uint8_t { ToTensor, DropUnitAxes, Stack, SameItems, SameType };

    struct OwnerEdit {
        std::string owner;
        OwnerRule rule = OwnerRule::ToTensor;
        std::string type;              ///< what the value is in every call; of ToTensor and SameType
        std::vector<Components> items; ///< examples: of SameItems one of each item, else one whole value
    };

    void addOwner(OwnerRule rule, std::string_view owner, std::string type = {});
    static Components applied(const OwnerEdit& edit, const Components& request);

    std::unordered_map<std::string, PathRule> m_pathRules;
    std::vector<OwnerEdit> m_ownerEdits;
};

} // namespace retracescope::diagnose
