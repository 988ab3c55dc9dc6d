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

/// The cells of all rows of tables, but not of their heads.
std::vector<std::vector<std::string>> rowsOf(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        throw std::runtime_error("cannot read the list of deviations " + path);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(file, line);) {
        std::vector<std::string> cells = split(line, '|');
        if (cells.size() < 2 || !cells[0].empty())
            continue;
        cells.erase(cells.begin());
        if (cells[0].starts_with("---")) // what stood above was the head
            rows.pop_back();
        else
            rows.push_back(std::move(cells));
    }
    return rows;
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
        {"mixed keys", &trace::Policy::refusesMixedKeys},
        {"unchecked concretes", &trace::Policy::runsConcreteUnchecked},
        {"leaks", &trace::Policy::keepsLeakyTraces},
        {"first phases", &trace::Policy::keepsFirstPhase},
    };
    return all;
}

std::map<std::string, Deviation> readDeviations(const std::string& path, std::string_view policy) {
    std::map<std::string, Deviation> result;
    for (const auto& cells : rowsOf(path)) {
        if (cells.size() != 4 || (cells[1] != policy && cells[1] != "both"))
            continue;
        Deviation& deviation = result[cells[0]];
        deviation.reason = cells[3];
        for (const std::string& rule : split(cells[2], ','))
            if (rule != "-")
                deviation.rules.insert(rule);
    }
    return result;
}

std::map<std::string, std::string> readSkipped(const std::string& path) {
    std::map<std::string, std::string> result;
    for (const auto& cells : rowsOf(path))
        if (cells.size() == 2)
            result[cells[0]] = cells[1];
    return result;
}

} // namespace retracescope::oracle
