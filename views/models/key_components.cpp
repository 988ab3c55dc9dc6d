#include "views/models/key_components.h"

#include <algorithm>
#include <map>
#include <set>

#include <QCoreApplication>

#include "views/models/comparison.h"

namespace retracescope::views {

namespace {

void sortValues(KeyComponent& component) {
    component.isNumeric =
        !component.values.empty() && std::ranges::all_of(component.values, [](const auto& value) {
            bool ok = false;
            value.first.toDouble(&ok);
            return ok;
        });
    if (component.isNumeric)
        std::ranges::sort(component.values, {}, [](const auto& value) { return value.first.toDouble(); });
}

QString valueText(const session::Session& session, session::SignatureId signature, const std::string& path) {
    const types::Component* component = findComponent(session[signature], path);
    return component != nullptr ? componentText(*component)
                                : QCoreApplication::translate("SignaturesModel", "none");
}

/// Calls by the key that served or traced them, so that a million calls cost their entries and misses alone.
std::map<session::SignatureId, std::int64_t> callsOfKeys(const diagnose::Diagnosis& diagnosis,
                                                         session::FunctionId function) {
    const session::Session& session = *diagnosis.session;
    std::map<session::SignatureId, std::int64_t> calls;
    for (const session::EntryId entry : diagnosis.index.entriesOfFunction[function.value])
        calls[session[entry].signature] +=
            static_cast<std::int64_t>(diagnosis.index.callsOfEntry[entry.value].size());
    for (const session::MissId id : diagnosis.index.missesOfFunction[function.value]) {
        const session::Miss& miss = session[id];
        if (!miss.call.isValid() || diagnosis.index.missOfCall[miss.call.value] != id)
            continue;
        ++calls[miss.request];
        if (const session::EntryId entry = session.calls.entry[miss.call.value]; entry.isValid())
            --calls[session[entry].signature];
    }
    std::erase_if(calls, [](const auto& item) { return !item.first.isValid() || item.second <= 0; });
    return calls;
}

} // namespace

std::vector<KeyComponent> keyComponents(const diagnose::Diagnosis& diagnosis, session::FunctionId function,
                                        const Job& job) {
    const session::Session& session = *diagnosis.session;
    std::vector<KeyComponent> result;
    std::map<std::string, std::size_t> known;
    const auto add = [&](session::SignatureId signature) {
        if (!signature.isValid())
            return;
        for (const types::Component& component : session[signature].components) {
            if (known.emplace(component.path, result.size()).second)
                result.push_back({component.path, argumentLabel(component.path), {}, 0, false});
        }
    };
    for (const session::EntryId entry : diagnosis.index.entriesOfFunction[function.value])
        add(session[entry].signature);
    for (const session::MissId miss : diagnosis.index.missesOfFunction[function.value]) {
        add(session[miss].request);
        for (const types::Difference& difference : diagnosis.explanations[miss.value].differences) {
            if (const auto it = known.find(difference.path); it != known.end())
                ++result[it->second].differsIn;
        }
    }
    const auto calls = callsOfKeys(diagnosis, function);
    for (KeyComponent& component : result) {
        if (job.cancel.requested())
            break;
        std::map<QString, std::size_t> places;
        for (const auto& [signature, count] : calls) {
            const QString text = valueText(session, signature, component.path);
            const auto [place, isNew] = places.emplace(text, component.values.size());
            if (isNew)
                component.values.emplace_back(text, 0);
            component.values[place->second].second += count;
        }
        sortValues(component);
    }
    return result;
}

std::int64_t retracesOf(const diagnose::Diagnosis& diagnosis, session::FunctionId function) {
    return std::ranges::count_if(diagnosis.index.missesOfFunction[function.value], [&](session::MissId miss) {
        return diagnosis.explanations[miss.value].nearest.isValid();
    });
}

std::optional<ArgumentFacts> argumentFacts(const diagnose::Diagnosis& diagnosis, session::FunctionId function,
                                           const std::string& path, const Job& job) {
    std::vector<KeyComponent> all = keyComponents(diagnosis, function, job);
    const auto component = std::ranges::find(all, path, &KeyComponent::path);
    if (component == all.end())
        return std::nullopt;
    ArgumentFacts facts{std::move(*component), retracesOf(diagnosis, function), 0};
    const session::Session& session = *diagnosis.session;
    std::set<QString> seen;
    for (const session::MissId id : diagnosis.index.missesOfFunction[function.value]) {
        const session::Miss& miss = session[id];
        if (miss.request.isValid() && seen.insert(valueText(session, miss.request, path)).second)
            facts.lastNewValue = std::max(facts.lastNewValue, miss.callNumber);
    }
    return facts;
}

} // namespace retracescope::views
