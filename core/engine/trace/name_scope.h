#pragma once

#include <string_view>

#include <retracescope/engine/trace/ops.h>

namespace retracescope::trace {

class Tracer;

/// While alive, nodes that this thread adds to the graph under way lie in that scope, inside those around it:
/// "block/dense". Scopes name nodes and let views fold them; they are no part of a signature and change
/// nothing else. Outside of traces it does nothing. Branches and bodies of loops start without scopes.
class NameScope {
public:
    /// Throws UsageError for an empty name.
    explicit NameScope(std::string_view name, Where where = Where::current());
    ~NameScope();
    NameScope(const NameScope&) = delete;
    NameScope& operator=(const NameScope&) = delete;

private:
    Tracer* const m_tracer;
};

/// `x`, whose node is called `name` in its graph; an eager tensor as it is. Equal nodes are one: the last
/// name counts.
///
///     const Tensor total = named("total", x + y);
Tensor named(std::string_view name, const Tensor& x);

} // namespace retracescope::trace
