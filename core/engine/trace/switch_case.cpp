#include <retracescope/engine/trace/switch_case.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

/// The branches from number `first` on, of which one is taken.
Value choose(const Tensor& index, std::size_t first, std::span<const Branch> branches, Where where) {
    if (branches.size() == 1)
        return branches[0]();
    const std::size_t half = branches.size() / 2;
    CondWords words;
    words.op = "switch_case";
    words.then = fmt::format("branch {}", first); // of several that agree, the first one
    words.otherwise = fmt::format("branch {}", first + half);
    const Operand middle(static_cast<std::int64_t>(first + half), where);
    return condValue(
        less(Operand(index, where), middle),
        [&] { return choose(index, first, branches.first(half), where); },
        [&] { return choose(index, first + half, branches.subspan(half), where); }, where, words);
}

} // namespace

Value switchValue(const Tensor& index, std::span<const Branch> branches, Where where) {
    if (branches.empty())
        refuse("switch_case", "expected at least one branch, got none", where);
    const bool isInteger = !index.isEmpty() && types::isInteger(index.dtype());
    if (!isInteger || (index.shape().hasRank() && index.shape().rank() > 0))
        refuse("switch_case",
               fmt::format("expected an integer scalar as index, got {}",
                           index.isEmpty() ? "an empty tensor" : types::toText(index.type())),
               where);
    const auto last = static_cast<std::int64_t>(branches.size()) - 1;
    const Tensor wide = cast(Operand(index, where), types::DType::Int64);
    const Tensor isBelow = less(Operand(wide, where), Operand(std::int64_t{0}, where));
    const Tensor number = select(Operand(isBelow, where), Operand(last, where),
                                 Operand(wide, where)); // above, the search ends there anyway
    return choose(number, 0, branches, where);
}

} // namespace retracescope::trace
