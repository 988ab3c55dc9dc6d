#include <retracescope/diagnose/replay.h>

#include <algorithm>

#include <retracescope/diagnose/words.h>
#include <retracescope/session/query.h>

namespace retracescope::diagnose {

using namespace session;
using types::Component;
using types::ComponentKind;
using types::MissKind;

namespace {

using Components = EditedRequest::Components;

bool isAxis(const Component& component) {
    return component.kind == ComponentKind::Dimension || component.kind == ComponentKind::Rank ||
           component.kind == ComponentKind::Name;
}

void append(std::string& text, const Component& component) {
    text.append(component.path).append("=").append(component.value).append("\n");
}

bool hasOpen(const Components& axes) {
    return std::ranges::any_of(axes, [](const Component& component) {
        return component.open || component.kind == ComponentKind::Name;
    });
}

/// What accepts both: axes that differ are open; where their number differs, it is.
Components joined(const Components& a, const Components& b) {
    Components result;
    std::vector<std::string_view> openOwners;
    for (const Component& component : a) {
        const std::string_view owner = splitPath(component.path).owner;
        if (component.kind == ComponentKind::Name || std::ranges::find(openOwners, owner) != openOwners.end())
            continue;
        const auto other = std::ranges::find(b, component.path, &Component::path);
        const bool isEqual = other != b.end() && !other->open && other->value == component.value;
        result.push_back(component);
        if (isEqual && !component.open)
            continue;
        result.back().value = "None";
        result.back().open = true;
        if (component.kind == ComponentKind::Rank)
            openOwners.push_back(owner);
    }
    return result;
}

bool isPhase(const Miss& miss) {
    return std::ranges::find(miss.otherKinds, MissKind::Phase) != miss.otherKinds.end();
}

} // namespace

void Replay::addEdit(const Edit& edit, const types::Difference& against) {
    if (!edit.exists() || edit.kind == "accept")
        return;
    m_edited = true;
    m_relaxesAxes |= edit.kind == "relax";
    m_oneObject |= against.kind == MissKind::NewCallable;
    m_keepsCleared |= edit.kind == "remove_clear";
    m_keepsDead |= against.kind == MissKind::Dead;
    if (against.kind != MissKind::NewCallable)
        m_requests.add(edit, against);
}

void Replay::learn(const Miss& miss) {
    if (miss.request.isValid())
        m_requests.learn(m_session[miss.request].components);
}

bool Replay::isServed(const Miss& miss) {
    bool& answer = m_lastServed[miss.function];
    if (isPhase(miss)) // the second trace of a call is made because the first was
        return answer;
    answer = false;
    if (!miss.request.isValid() || leftNothing(m_session, miss)) // what cannot be traced fails with edits too
        return false;
    std::string key = m_oneObject ? std::string() : std::to_string(miss.function.value) + "\n";
    Components axes;
    for (Component& component : m_requests.of(m_session[miss.request].components)) {
        if (isAxis(component))
            axes.push_back(std::move(component));
        else
            append(key, component);
    }
    Bucket& bucket = m_buckets[key];
    answer = isServedBy(bucket, axes, miss.timeNs);
    if (!answer)
        keep(bucket, std::move(axes), miss);
    return answer;
}

bool Replay::isServedBy(const Bucket& bucket, const Components& axes, std::int64_t timeNs) const {
    const auto isThere = [&](std::int64_t droppedNs) {
        return droppedNs == kNotRecorded || timeNs < droppedNs;
    };
    std::string text;
    for (const Component& component : axes)
        append(text, component);
    if (const auto exact = bucket.exact.find(text); exact != bucket.exact.end() && isThere(exact->second))
        return true;
    return std::ranges::any_of(bucket.traces, [&](const Trace& trace) {
        return isThere(trace.droppedNs) && types::blockingDifferences(axes, trace.axes).empty();
    });
}

void Replay::keep(Bucket& bucket, Components axes, const Miss& miss) const {
    const std::int64_t droppedNs = dropTimeOf(miss);
    if (m_relaxesAxes) {
        for (const Trace& trace : bucket.traces) {
            if (trace.droppedNs == kNotRecorded || miss.timeNs < trace.droppedNs)
                axes = joined(axes, trace.axes);
        }
    }
    if (m_relaxesAxes || hasOpen(axes)) {
        bucket.traces.push_back({std::move(axes), droppedNs});
        return;
    }
    std::string text;
    for (const Component& component : axes)
        append(text, component);
    bucket.exact[text] = droppedNs;
}

std::int64_t Replay::dropTimeOf(const Miss& miss) const {
    if (!miss.entry.isValid())
        return kNotRecorded;
    const Entry& entry = m_session[miss.entry];
    const bool stays = entry.state == EntryState::Alive ||
                       (entry.state == EntryState::Cleared && m_keepsCleared) ||
                       (entry.state == EntryState::Dead && m_keepsDead);
    return stays ? kNotRecorded : entry.droppedNs;
}

} // namespace retracescope::diagnose
