#include <retracescope/diagnose/overview.h>

#include <array>

namespace retracescope::diagnose {

std::vector<std::pair<types::MissKind, std::int64_t>> causesOf(const Diagnosis& diagnosis,
                                                               session::FunctionId function) {
    std::array<std::int64_t, types::kMissKindCount> counts{};
    for (const session::MissId miss : diagnosis.index.missesOfFunction[function.value])
        ++counts[static_cast<std::size_t>(diagnosis.explanations[miss.value].cause)];
    std::vector<std::pair<types::MissKind, std::int64_t>> result;
    for (std::size_t kind = 0; kind < counts.size(); ++kind) {
        if (counts[kind] > 0)
            result.emplace_back(static_cast<types::MissKind>(kind), counts[kind]);
    }
    return result;
}

} // namespace retracescope::diagnose
