#pragma once

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace retracescope::test {

/// A time as the expected files write it: a number, or text with parts of a nanosecond.
inline double timeOf(const nlohmann::json& value) {
    if (value.is_string())
        return std::stod(value.get<std::string>());
    return value.is_number() ? value.get<double>() : std::nan("");
}

/// Adds a line per value of `part` that `whole` lacks or has otherwise. `slackNs` is allowed in every time.
inline void compareAnswers(const nlohmann::json& part, const nlohmann::json& whole, const std::string& path,
                           double slackNs, std::vector<std::string>& problems) {
    if (part.is_object() && whole.is_object()) {
        for (const auto& [key, value] : part.items()) {
            if (key == "warnings")
                continue;
            if (whole.contains(key))
                compareAnswers(value, whole[key], path + "/" + key, slackNs, problems);
            else
                problems.push_back(path + "/" + key + " is on one side only");
        }
        return;
    }
    if (part == whole || (path.ends_with("_ns") && std::abs(timeOf(part) - timeOf(whole)) <= slackNs))
        return;
    problems.push_back(fmt::format("{}: {} against {}", path, part.dump(), whole.dump()));
}

} // namespace retracescope::test
