#include <retracescope/engine/trace/misfit.h>

#include <fmt/format.h>

namespace retracescope::trace {

using types::TypeId;

namespace {

std::string textOf(TypeId id) {
    const types::TraceType& type = types::typeOf(id);
    return type.kind == types::TypeKind::Tensor                             ? types::toText(type.tensor)
           : type.kind == types::TypeKind::Literal && type.literal.isNone() ? std::string("nothing")
                                                                            : types::toText(id);
}

} // namespace

std::optional<Misfit> findMisfit(TypeId first, TypeId second, bool (*fits)(TypeId, TypeId),
                                 const std::string& path) {
    if (fits(first, second))
        return std::nullopt;
    const types::TraceType& a = types::typeOf(first);
    const types::TraceType& b = types::typeOf(second);
    if (a.kind == b.kind && !types::isLeaf(a.kind) && a.items.size() == b.items.size() && a.keys == b.keys) {
        for (std::size_t i = 0; i < a.items.size(); ++i) {
            const std::string key = a.keys.empty() ? std::to_string(i) : types::toText(a.keys[i]);
            if (auto inner = findMisfit(a.items[i], b.items[i], fits, fmt::format("{}[{}]", path, key)))
                return inner;
        }
    }
    const bool areTensors = a.kind == types::TypeKind::Tensor && b.kind == types::TypeKind::Tensor;
    return Misfit{path, textOf(first), textOf(second),
                  areTensors && types::dtypeOf(a.tensor) == types::dtypeOf(b.tensor)};
}

} // namespace retracescope::trace
