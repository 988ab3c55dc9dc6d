#include <retracescope/diagnose/families.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace retracescope::diagnose {

using namespace session;

namespace {

/// From this many functions of one line on, each called at most this often, the line makes them again and
/// again.
constexpr std::size_t kManyWrappers = 3;
constexpr std::int64_t kFewCalls = 8;

std::int64_t medianCalls(const Family& family, const Index& index) {
    std::vector<std::int64_t> counts;
    for (const FunctionId function : family.functions)
        counts.push_back(static_cast<std::int64_t>(index.callsOfFunction[function.value].size()));
    const auto middle = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2);
    std::ranges::nth_element(counts, middle);
    return *middle;
}

} // namespace

Families groupFamilies(const Session& session, const Index& index) {
    Families result;
    std::map<std::tuple<StringId, StringId, std::uint32_t>, std::uint32_t> rows;
    for (std::size_t row = 0; row < session.functions.size(); ++row) {
        const Function& function = session.functions[row];
        auto family = static_cast<std::uint32_t>(result.families.size());
        if (!session.text(function.file).empty() && function.line > 0)
            family = rows.emplace(std::tuple(function.qualifiedName, function.file, function.line), family)
                         .first->second;
        if (family == result.families.size())
            result.families.emplace_back();
        result.families[family].functions.push_back(FunctionId(row));
        result.families[family].perInstance |= function.parent.isValid();
        result.familyOf.push_back(family);
    }
    for (Family& family : result.families)
        family.medianCalls = medianCalls(family, index);
    return result;
}

bool isRemade(const Family& family) {
    return family.functions.size() >= kManyWrappers && family.medianCalls <= kFewCalls;
}

} // namespace retracescope::diagnose
