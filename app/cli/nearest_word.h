#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace retracescope::cli {

/// The word with the fewest single-letter changes and swaps from `typed`; empty if none is close (more than a
/// third of the letters, at least two). Case does not count.
std::string nearestWord(std::string_view typed, const std::vector<std::string>& words);

/// "; did you mean explain?" or nothing.
std::string didYouMean(std::string_view typed, const std::vector<std::string>& words);

} // namespace retracescope::cli
