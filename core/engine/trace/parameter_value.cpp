#include <retracescope/engine/trace/parameter_value.h>

#include <retracescope/engine/trace/host_values.h>

namespace retracescope::trace {

HostArray detail::hostArrayOf(const Value::Sequence& numbers, const std::string& what) {
    std::vector<types::Literal> literals;
    for (const Value& item : numbers.items)
        literals.push_back(*item.as<types::Literal>());
    return {
        tensorOf(literals, numbers.elements, types::Shape{static_cast<std::int64_t>(literals.size())}, what)};
}

} // namespace retracescope::trace
