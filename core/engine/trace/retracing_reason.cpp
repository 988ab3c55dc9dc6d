#include <retracescope/engine/trace/retracing_reason.h>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace retracescope::trace {

std::string retracingReason(const types::FunctionContext& context, const types::FunctionType& request,
                            std::span<const types::DispatchTable::Target> cache) {
    constexpr std::size_t kMostNamed = 3;
    const std::vector<types::Component> asked = components(request, context);
    std::vector<types::Difference> nearest;
    for (const types::DispatchTable::Target& target : cache) {
        auto differences = blockingDifferences(asked, components(target.type, target.context));
        if (!differences.empty() && (nearest.empty() || differences.size() <= nearest.size()))
            nearest = std::move(differences);
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(nearest.size(), kMostNamed); ++i)
        text += fmt::format("{}{}: {} -> {}", i == 0 ? "" : ", ", nearest[i].path, nearest[i].before,
                            nearest[i].after);
    if (nearest.size() > kMostNamed)
        text += fmt::format(" and {} more", nearest.size() - kMostNamed);
    return text;
}

} // namespace retracescope::trace
