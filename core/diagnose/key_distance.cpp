#include <retracescope/diagnose/key_distance.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <retracescope/diagnose/words.h>

namespace retracescope::diagnose {

using namespace session;
using types::ComponentKind;

namespace {

constexpr double kLacking = 0.6931471805599453; // -log(1/2)
constexpr double kNotAsked = -std::numeric_limits<double>::infinity();

} // namespace

double KeyDistance::between(SignatureId request, SignatureId stored, const History& history) {
    const Key& wanted = keyOf(request);
    const Key& have = keyOf(stored);
    const auto isOpenThere = [&](const Cell& cell) {
        return cell.rank != 0 && std::ranges::find(have.openRanks, cell.rank) != have.openRanks.end();
    };
    double distance = 0;
    auto mine = wanted.cells.begin();
    auto theirs = have.cells.begin();
    const auto isNeeded = [](const Cell& cell) { return !cell.open && !cell.isName; };
    while (mine != wanted.cells.end() && theirs != have.cells.end()) {
        if (mine->path == theirs->path) [[likely]] { // most keys of a function hold the same paths
            const bool accepts = theirs->open || (theirs->value == mine->value && !mine->open);
            distance += accepts ? 0 : weightOf(mine->path, history);
            ++mine;
            ++theirs;
        } else if (mine->path < theirs->path) {
            distance += isOpenThere(*mine) ? 0 : kLacking;
            ++mine;
        } else {
            distance += isNeeded(*theirs) ? kLacking : 0;
            ++theirs;
        }
    }
    for (; mine != wanted.cells.end(); ++mine)
        distance += isOpenThere(*mine) ? 0 : kLacking;
    for (; theirs != have.cells.end(); ++theirs)
        distance += isNeeded(*theirs) ? kLacking : 0;
    return distance;
}

const KeyDistance::Key& KeyDistance::keyOf(SignatureId signature) {
    Key& key = m_keys[signature.value];
    if (std::exchange(key.isTakenApart, true))
        return key;
    for (const types::Component& component : m_session[signature].components) {
        Cell cell{numberOf(component.path), numberOf(component.value), 0, component.open,
                  component.kind == ComponentKind::Name};
        if (component.kind == ComponentKind::Dimension)
            cell.rank = numberOf(std::string(splitPath(component.path).owner) + ".rank");
        if (component.kind == ComponentKind::Rank && component.open)
            key.openRanks.push_back(cell.path);
        key.cells.push_back(cell);
    }
    std::ranges::sort(key.cells, {}, &Cell::path);
    return key;
}

/// From 1 on.
std::uint32_t KeyDistance::numberOf(std::string_view text) {
    const auto [it, isNew] =
        m_numbers.try_emplace(std::string(text), static_cast<std::uint32_t>(m_numbers.size() + 1));
    if (isNew)
        m_texts.push_back(it->first);
    return it->second;
}

double KeyDistance::weightOf(std::uint32_t path, const History& history) {
    if (m_weights.size() < m_texts.size() + 1)
        m_weights.resize(m_texts.size() + 1, kNotAsked);
    if (m_weights[path] == kNotAsked)
        m_weights[path] = history.weight(m_texts[path - 1]);
    return m_weights[path];
}

} // namespace retracescope::diagnose
