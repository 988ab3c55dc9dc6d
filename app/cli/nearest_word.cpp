#include "app/cli/nearest_word.h"

#include <algorithm>
#include <cctype>

namespace retracescope::cli {

namespace {

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            cost[i][j] =
                std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

} // namespace

std::string nearestWord(std::string_view typed, const std::vector<std::string>& words) {
    std::string best;
    std::size_t bestDistance = std::max<std::size_t>(2, typed.size() / 3) + 1;
    for (const std::string& word : words) {
        const std::size_t d = distance(typed, word);
        if (d < bestDistance) {
            best = word;
            bestDistance = d;
        }
    }
    return best;
}

std::string didYouMean(std::string_view typed, const std::vector<std::string>& words) {
    const std::string nearest = nearestWord(typed, words);
    return nearest.empty() ? std::string() : "; did you mean " + nearest + "?";
}

} // namespace retracescope::cli
