#include <retracescope/diagnose/edited_request.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <optional>

#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

using types::Component;
using types::ComponentKind;
using types::MissKind;
using Components = EditedRequest::Components;

namespace {

/// Padding goes to the next power of two.
std::string padded(const std::string& length) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), number);
    const bool isNumber =
        error == std::errc() && end == length.data() + length.size() && number < (1ULL << 62);
    return isNumber ? std::to_string(std::bit_ceil(std::max<std::uint64_t>(number, 1))) : length;
}

/// The item of `owner` that a path lies in: "d['k']" of "d['k'].dtype" in "d"; empty if it lies in none.
std::string_view itemOf(std::string_view path, std::string_view owner) {
    if (!path.starts_with(owner) || path.size() < owner.size() + 3 || path[owner.size()] != '[')
        return {};
    const bool isQuoted = path[owner.size() + 1] == '\'';
    const std::size_t end = path.find(isQuoted ? "']" : "]", owner.size() + 1);
    return end == std::string_view::npos ? std::string_view() : path.substr(0, end + (isQuoted ? 2 : 1));
}

bool isBelow(const Component& component, std::string_view owner) {
    return types::isInside(splitPath(component.path).owner, owner);
}

Components partOf(const Components& request, std::string_view owner) {
    Components part;
    std::ranges::copy_if(request, std::back_inserter(part),
                         [&](const Component& component) { return isBelow(component, owner); });
    return part;
}

std::string_view typeAt(const Components& request, std::string_view owner) {
    const auto it = std::ranges::find_if(request, [&](const Component& component) {
        return component.kind == ComponentKind::Type && splitPath(component.path).owner == owner &&
               splitPath(component.path).part == "type";
    });
    return it == request.end() ? std::string_view() : std::string_view(it->value);
}

/// `request` with all that lies below `owner` replaced.
Components replaced(const Components& request, std::string_view owner, const Components& part) {
    Components result;
    bool isDone = false;
    for (const Component& component : request) {
        if (!isBelow(component, owner)) {
            result.push_back(component);
        } else if (!isDone) {
            isDone = true;
            result.insert(result.end(), part.begin(), part.end());
        }
    }
    return result;
}

/// A host number as the tensor that it would be; of the dtype that tensors have there, if any were seen.
Components scalarTensor(const std::string& owner, const std::vector<Components>& examples) {
    std::string dtype = "number";
    for (const Components& example : examples) {
        for (const Component& component : example) {
            if (component.path == owner + ".dtype")
                dtype = component.value;
        }
    }
    return {{owner + ".type", ComponentKind::Type, "tensor"},
            {owner + ".dtype", ComponentKind::Dtype, dtype},
            {owner + ".rank", ComponentKind::Rank, "0"}};
}

/// A tensor reshaped to the axes that are not one.
Components withoutUnitAxes(const Components& value, const std::string& owner) {
    Components result;
    int axis = 0;
    for (const Component& component : value) {
        if (component.kind != ComponentKind::Rank && component.kind != ComponentKind::Dimension)
            result.push_back(component);
        else if (component.kind == ComponentKind::Dimension && component.value != "1")
            result.push_back({owner + ".shape[" + std::to_string(axis++) + "]", component.kind,
                              component.value, component.open});
    }
    result.push_back({owner + ".rank", ComponentKind::Rank, std::to_string(axis)});
    return result;
}

/// A list of equal items as one tensor with a leading open axis; as it is if they differ.
Components stacked(const Components& value, const std::string& owner) {
    std::optional<Components> first;
    for (std::size_t row = 0; row < value.size();) {
        const std::string_view item = itemOf(value[row].path, owner);
        if (item.empty()) {
            ++row;
            continue;
        }
        Components one;
        for (; row < value.size() && itemOf(value[row].path, owner) == item; ++row) {
            one.push_back(value[row]);
            one.back().path = owner + "[]" + value[row].path.substr(item.size());
        }
        if (first && *first != one)
            return value;
        first = std::move(one);
    }
    return first ? *first : value;
}

} // namespace

void EditedRequest::add(const Edit& edit, const types::Difference& against) {
    const PathParts parts = splitPath(against.path);
    if (against.path.empty() || edit.kind == "accept" || edit.kind == "remove_clear" || edit.kind == "relax")
        return;
    if (edit.kind == "pad_or_bucket")
        m_pathRules[against.path] = PathRule::Pad;
    else if (edit.kind == "cast_dtype")
        m_pathRules[against.path] = PathRule::Cast;
    else if (edit.kind == "reshape_input")
        addOwner(OwnerRule::DropUnitAxes, parts.owner);
    else if (edit.kind == "stack_list")
        addOwner(OwnerRule::Stack, parts.owner);
    else if (edit.kind == "pass_array" && against.kind == MissKind::Type)
        addOwner(OwnerRule::ToTensor, parts.owner, "tensor");
    else if (edit.kind == "normalise_structure" && against.kind == MissKind::Type)
        addOwner(OwnerRule::SameType, parts.owner, against.before);
    else if (edit.kind == "normalise_structure")
        addOwner(OwnerRule::SameItems, parts.owner);
    else
        m_pathRules[against.path] = PathRule::Ignore;
}

void EditedRequest::addOwner(OwnerRule rule, std::string_view owner, std::string type) {
    const bool isKnown = std::ranges::any_of(
        m_ownerEdits, [&](const OwnerEdit& edit) { return edit.owner == owner && edit.rule == rule; });
    if (!isKnown)
        m_ownerEdits.push_back({std::string(owner), rule, std::move(type), {}});
}

void EditedRequest::learn(const Components& request) {
    for (OwnerEdit& edit : m_ownerEdits) {
        if (edit.rule == OwnerRule::SameItems) {
            for (const Component& component : request) {
                const std::string_view item = itemOf(component.path, edit.owner);
                const auto isOfIt = [&](const Components& known) {
                    return itemOf(known.front().path, edit.owner) == item;
                };
                if (!item.empty() && std::ranges::none_of(edit.items, isOfIt))
                    edit.items.push_back(partOf(request, item));
            }
        } else if (!edit.type.empty() && edit.items.empty() && typeAt(request, edit.owner) == edit.type) {
            edit.items.push_back(partOf(request, edit.owner));
        }
    }
}

Components EditedRequest::of(const Components& request) const {
    Components result = request;
    for (const OwnerEdit& edit : m_ownerEdits)
        result = applied(edit, result);
    for (Component& component : result) {
        const auto rule = m_pathRules.find(component.path);
        if (rule == m_pathRules.end())
            continue;
        if (rule->second == PathRule::Pad)
            component.value = padded(component.value);
        else if (rule->second == PathRule::Cast)
            component.value = isNumericDtype(component.value) ? "number" : component.value;
        else
            component.path.clear();
    }
    std::erase_if(result, [](const Component& component) { return component.path.empty(); });
    return result;
}

Components EditedRequest::applied(const OwnerEdit& edit, const Components& request) {
    const std::string_view type = typeAt(request, edit.owner);
    const Components value = partOf(request, edit.owner);
    switch (edit.rule) {
    case OwnerRule::ToTensor:
        return isNumberType(type) || type == "bool"
                   ? replaced(request, edit.owner, scalarTensor(edit.owner, edit.items))
                   : request;
    case OwnerRule::SameType:
        return type != edit.type && !type.empty() && !edit.items.empty()
                   ? replaced(request, edit.owner, edit.items.front())
                   : request;
    case OwnerRule::DropUnitAxes:
        return type == "tensor" ? replaced(request, edit.owner, withoutUnitAxes(value, edit.owner)) : request;
    case OwnerRule::Stack:
        return replaced(request, edit.owner, stacked(value, edit.owner));
    case OwnerRule::SameItems:
        break;
    }
    Components result;
    std::ranges::copy_if(request, std::back_inserter(result), [&](const Component& component) {
        return !isBelow(component, edit.owner) ||
               (splitPath(component.path).owner == edit.owner && component.kind == ComponentKind::Type);
    });
    for (const Components& example : edit.items) {
        const Components own = partOf(request, itemOf(example.front().path, edit.owner));
        std::ranges::copy(own.empty() ? example : own, std::back_inserter(result));
    }
    return result;
}

} // namespace retracescope::diagnose
