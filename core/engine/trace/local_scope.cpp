#include <retracescope/engine/trace/local_scope.h>

#include <algorithm>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/misfit.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

std::uint32_t traceUnderWay() {
    const Tracer* const tracer = Tracer::current();
    return tracer == nullptr ? 0 : tracer->id();
}

} // namespace

LocalCell::LocalCell(std::optional<Value> initial, Where declaredAt)
    : m_value(std::move(initial)), m_home(traceUnderWay()), m_declaredAt(declaredAt) {}

std::string LocalCell::name() const {
    const std::string place = placeText(m_declaredAt);
    return place.empty() ? "a local" : "the local declared at" + place;
}

types::DType LocalCell::dtype() const {
    const auto* tensor = m_value ? m_value->as<Tensor>() : nullptr;
    return tensor == nullptr ? types::DType::None : tensor->dtype();
}

Value LocalCell::read(Where where) {
    LocalScope::reach(Tracer::current(), *this);
    if (!m_value)
        throw UsageError(fmt::format("[Local] {} is read before it has a value{}", name(), placeText(where)));
    return *m_value;
}

void LocalCell::assign(Value value, Where where) {
    Tracer* const tracer = Tracer::current();
    if (!LocalScope::reach(tracer, *this))
        throw UsageError(fmt::format(
            "[Local] {} is assigned {}, where it was not declared, so that nobody would see it; return the "
            "value instead{}",
            name(),
            tracer == nullptr ? std::string("outside of the trace")
                              : fmt::format("in the trace of '{}'", tracer->name()),
            placeText(where)));
    if (traceUnderWay() != m_home) {
        if (tracer->locals()->m_kind == LocalScope::Kind::Condition)
            throw UsageError(
                fmt::format("[Local] {} is assigned in the condition of a loop; only the body may "
                            "assign{}",
                            name(), placeText(where)));
        tracer->locals()->find(*this)->after = value;
    }
    m_value = std::move(value);
}

LocalScope::LocalScope(Tracer& tracer, Kind kind) : m_tracer(tracer), m_kind(kind) {
    m_tracer.setLocals(this);
}

LocalScope::~LocalScope() {
    for (Touched& touched : m_touched)
        touched.cell->m_value = std::move(touched.before);
    m_tracer.setLocals(nullptr);
}

bool LocalScope::reach(Tracer* tracer, LocalCell& cell) {
    if (tracer == nullptr || tracer->id() == cell.m_home)
        return tracer != nullptr || cell.m_home == 0;
    if (tracer->role() == Tracer::Role::Function || !reach(tracer->outer(), cell))
        return false;
    RETRACESCOPE_CHECK(tracer->locals() != nullptr);
    tracer->locals()->touch(cell);
    return true;
}

void LocalScope::touch(LocalCell& cell) {
    if (find(cell) != nullptr)
        return;
    Touched touched{cell.shared_from_this(), {}, types::TypeId::None, {}, {}};
    if (cell.m_value) {
        touched.before = resultOf(*cell.m_value, *m_tracer.outer(), "Local");
        touched.type = typeOfValue(*touched.before);
        if (cell.m_invariants) {
            const types::TypeId wanted = typeOfValue(*cell.m_invariants);
            if (const auto misfit = findMisfit(
                    touched.type, wanted,
                    [](types::TypeId a, types::TypeId b) { return types::isSubtype(a, b); }, cell.name()))
                throw UsageError(fmt::format("[Local] {} is {}, its shape invariants say {}", misfit->path,
                                             misfit->first, misfit->second));
            touched.type = wanted;
        }
        std::map<std::uint32_t, Tensor> handles;
        const Value inside = m_kind == Kind::Branch
                                 ? *touched.before
                                 : placeholderFor(*touched.before, touched.type, "local", m_tracer, handles);
        if (m_kind != Kind::Branch)
            touched.inputs = leavesOf(inside);
        cell.m_value = inside;
    }
    m_touched.push_back(std::move(touched));
}

std::vector<LocalScope::Touched> LocalScope::finish() {
    for (Touched& touched : m_touched)
        if (touched.after)
            touched.after = resultOf(*touched.after, m_tracer, "Local");
    return m_touched;
}

LocalScope::Touched* LocalScope::find(const LocalCell& cell) {
    const auto found =
        std::ranges::find_if(m_touched, [&](const Touched& one) { return one.cell.get() == &cell; });
    return found == m_touched.end() ? nullptr : &*found;
}

} // namespace retracescope::trace
