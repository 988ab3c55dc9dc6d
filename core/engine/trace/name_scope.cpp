#include <retracescope/engine/trace/name_scope.h>

#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

NameScope::NameScope(std::string_view name, Where where) : m_tracer(Tracer::current()) {
    if (name.empty())
        refuse("NameScope", "expected a name, got an empty one", where);
    if (m_tracer != nullptr)
        m_tracer->graph().pushScope(name);
}

NameScope::~NameScope() {
    if (m_tracer != nullptr)
        m_tracer->graph().popScope();
}

Tensor named(std::string_view name, const Tensor& x) {
    Tracer* const tracer = Tracer::current();
    if (tracer != nullptr && tracer->owns(x))
        tracer->graph().nameNode(x.node(), name);
    return x;
}

} // namespace retracescope::trace
