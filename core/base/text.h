#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace retracescope {

/// Characters of UTF-8 text, which is its width where every character is as wide as another.
std::size_t letterCount(std::string_view text);

/// At most `letters` characters: the rest becomes one "…" at the end.
std::string shortened(std::string_view text, std::size_t letters);

/// At most `letters` characters: what is too much becomes one "…" in the middle, so that names that begin
/// alike stay apart.
std::string shortenedInside(std::string_view text, std::size_t letters);

} // namespace retracescope
