#include <retracescope/base/text.h>

#include <algorithm>

namespace retracescope {

namespace {

bool beginsLetter(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// Byte at which the letter with this number begins, or the end.
std::size_t beginOf(std::string_view text, std::size_t letter) {
    std::size_t begun = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (beginsLetter(text[i]) && begun++ == letter)
            return i;
    }
    return text.size();
}

} // namespace

std::size_t letterCount(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, beginsLetter));
}

std::string shortened(std::string_view text, std::size_t letters) {
    if (letters == 0 || letterCount(text) <= letters)
        return std::string(text.substr(0, beginOf(text, letters)));
    return std::string(text.substr(0, beginOf(text, letters - 1))) + "…";
}

std::string shortenedInside(std::string_view text, std::size_t letters) {
    const std::size_t count = letterCount(text);
    if (letters == 0 || count <= letters)
        return std::string(text.substr(0, beginOf(text, letters)));
    const std::size_t before = letters / 2;
    const std::size_t after = letters - 1 - before;
    return std::string(text.substr(0, beginOf(text, before))) + "…" +
           std::string(text.substr(beginOf(text, count - after)));
}

} // namespace retracescope
