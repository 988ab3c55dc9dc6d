#include "tests/oracle/deviations.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace retracescope::oracle {

namespace {

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(trimmed(part));
    return parts;
}

} // namespace

const std::vector<Rule>& rules() {
    static const std::vector<Rule> all{
        {"literals", &trace::Policy::sharesEqualLiterals},
        {"structs", &trace::Policy::namesStructs},
        {"arities", &trace::Policy::relaxesAcrossArities},
        {"failed relaxing", &trace::Policy::failsWithRelaxedTrace},
        {"lossy conversions", &trace::Policy::convertsLossily},
        {"leading hits", &trace::Policy::countsLeadingHitsAsTrace},
        {"instances", &trace::Policy::sharesEqualInstances},
    };
    return all;
}

std::map<std::string, std::set<std::string>> readDeviations(const std::string& path,
                                                            std::string_view policy) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read the list of deviations " + path);
    std::map<std::string, std::set<std::string>> result;
    for (std::string line; std::getline(file, line);) {
        const std::vector<std::string> cells = split(line, '|');
        if (cells.size() < 4 || cells[2] != policy)
            continue;
        std::set<std::string>& named = result[cells[1]];
        for (const std::string& rule : split(cells[3], ','))
            if (rule != "-")
                named.insert(rule);
    }
    return result;
}

} // namespace retracescope::oracle
