#include <retracescope/diagnose/replay.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include <retracescope/diagnose/words.h>
#include <retracescope/session/query.h>

namespace retracescope::diagnose {

using namespace session;
using types::MissKind;

namespace {

/// Padding goes to the next power of two.
std::string bucketOf(const std::string& length) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), number);
    const bool isNumber =
        error == std::errc() && end == length.data() + length.size() && number < (1ULL << 62);
    return isNumber ? std::to_string(std::bit_ceil(std::max<std::uint64_t>(number, 1))) : length;
}

bool isInside(std::string_view path, std::string_view owner) {
    return path.starts_with(owner) &&
           (path.size() == owner.size() || path[owner.size()] == '.' || path[owner.size()] == '[');
}

/// A difference of this kind makes everything below its value another thing, so the edit has to make it one.
bool coversValue(MissKind cause) {
    return cause == MissKind::Type || cause == MissKind::Structure || cause == MissKind::Rank;
}

} // namespace

void Replay::addEdit(const std::string& edit, MissKind cause, const std::string& path) {
    if (edit.empty() || edit == "accept")
        return;
    m_edited = true;
    if (edit == "hoist" && cause == MissKind::NewCallable)
        m_oneObject = true;
    else if (edit == "share")
        m_oneObject = true;
    else if (edit == "relax")
        m_rules[path] = Rule::Relax;
    else if (edit == "pad_or_bucket")
        m_rules[path] = Rule::Bucket;
    else if (coversValue(cause))
        m_ignoredOwners.emplace_back(splitPath(path).owner);
    else if (!path.empty())
        m_rules[path] = Rule::Ignore;
}

bool Replay::isServed(const Miss& miss) {
    if (!miss.request.isValid())
        return false;
    const std::string exact = keyOf(miss, false);
    const std::string open = keyOf(miss, true);
    if (m_exact.contains(exact) || m_open.contains(open))
        return true;
    if (leftNothing(m_session, miss))
        return false;
    if (m_begun.contains(open)) {
        m_open.insert(open);
    } else {
        m_begun.insert(open);
        m_exact.insert(exact);
    }
    return false;
}

std::string Replay::keyOf(const Miss& miss, bool open) const {
    std::string key = m_oneObject ? std::string() : std::to_string(miss.function.value) + "\n";
    for (const types::Component& component : m_session[miss.request].components) {
        const auto rule = m_rules.find(component.path);
        const bool known = rule != m_rules.end();
        const bool relaxes = (m_relaxesAxes && component.kind == types::ComponentKind::Dimension) ||
                             (known && rule->second == Rule::Relax);
        if ((known && rule->second == Rule::Ignore) || (open && relaxes) || isBelowIgnored(component.path))
            continue;
        const bool padded = known && rule->second == Rule::Bucket;
        key.append(component.path)
            .append("=")
            .append(padded ? bucketOf(component.value) : component.value)
            .append("\n");
    }
    return key;
}

bool Replay::isBelowIgnored(const std::string& path) const {
    return std::ranges::any_of(m_ignoredOwners,
                               [&](const std::string& owner) { return isInside(path, owner); });
}

} // namespace retracescope::diagnose
