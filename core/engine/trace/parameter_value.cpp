#include <retracescope/engine/trace/parameter_value.h>

#include <fmt/format.h>

#include <retracescope/engine/trace/host_values.h>

namespace retracescope::trace {

std::string detail::numberMisfit(std::size_t bytes, bool isUnsigned, const std::string& given) {
    return fmt::format("expected a whole number of {} bits{}, got {}", 8 * bytes,
                       isUnsigned ? " without a sign" : "", given);
}

std::string detail::numberMisfit(std::size_t bytes, double given) {
    return fmt::format("expected a floating number of {} bits, got {}", 8 * bytes, given);
}

HostArray detail::hostArrayOf(const Value::Sequence& numbers, const std::string& what) {
    std::vector<types::Literal> literals;
    for (const Value& item : numbers.items)
        literals.push_back(*item.as<types::Literal>());
    return {
        tensorOf(literals, numbers.elements, types::Shape{static_cast<std::int64_t>(literals.size())}, what)};
}

} // namespace retracescope::trace
