#include <retracescope/session/compared.h>

#include <algorithm>

namespace retracescope::session {

namespace {

bool existedAt(const Entry& entry, const Miss& miss) {
    const bool wasDropped =
        entry.state != EntryState::Alive && entry.droppedNs != kNotRecorded && entry.droppedNs <= miss.timeNs;
    return entry.number <= miss.entriesBefore && !wasDropped;
}

} // namespace

std::vector<EntryId> comparedWith(const Session& session, const Index& index, const Miss& miss) {
    std::vector<EntryId> result;
    for (const Competing& competing : miss.competing)
        result.push_back(competing.entry);
    if (!result.empty() || !miss.function.isValid())
        return result;
    for (const EntryId entry : index.entriesOfFunction[miss.function.value]) {
        if (existedAt(session[entry], miss))
            result.push_back(entry);
    }
    return result;
}

std::vector<types::Difference> differencesTo(const Session& session, const Miss& miss, EntryId entry) {
    const auto listed = std::ranges::find(miss.competing, entry, &Competing::entry);
    if (listed != miss.competing.end())
        return listed->differences;
    const SignatureId stored = session[entry].signature;
    if (!miss.request.isValid() || !stored.isValid())
        return {};
    return types::blockingDifferences(session[miss.request].components, session[stored].components);
}

} // namespace retracescope::session
