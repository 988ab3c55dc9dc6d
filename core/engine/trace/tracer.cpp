#include <retracescope/engine/trace/tracer.h>

#include <algorithm>
#include <array>
#include <mutex>

#include <fmt/format.h>

#include <retracescope/engine/ir/embedded.h>

namespace retracescope::trace {

namespace {

struct TraceName {
    std::string name;
    Tracer::Role role = Tracer::Role::Function;
    std::uint32_t outer = 0; ///< the trace inside which it was made; 0 if there was none
};

/// Names of all traces there ever were, for messages about tensors that outlived theirs.
struct TraceNames {
    std::mutex mutex;
    std::vector<TraceName> names;
};

TraceNames& traceNames() {
    static auto* names = new TraceNames; // symbolic tensors of static life may ask late
    return *names;
}

std::uint32_t newTrace(const std::string& name, Tracer::Role role, const Tracer* outer) {
    TraceNames& all = traceNames();
    const std::lock_guard lock(all.mutex);
    all.names.push_back({name, role, outer == nullptr ? 0 : outer->id()});
    return static_cast<std::uint32_t>(all.names.size());
}

TraceName nameOf(std::uint32_t trace) {
    TraceNames& all = traceNames();
    const std::lock_guard lock(all.mutex);
    return trace == 0 || trace > all.names.size() ? TraceName{"?"} : all.names[trace - 1];
}

/// The stack holds about a thousand on most systems.
std::string requireShallow(std::string name, int depth) {
    constexpr int kMostDepth = 400;
    if (depth > kMostDepth)
        throw UsageError(fmt::format("[{}] more than {} functions, branches and loops are traced inside each "
                                     "other; write deep choices as switchCase() or a loop",
                                     name.substr(0, name.find('/')), kMostDepth));
    return name;
}

} // namespace

thread_local constinit Tracer* Tracer::s_current = nullptr;

Tracer::Tracer(std::string name, Role role, Creation creation)
    : m_outer(s_current), m_depth(m_outer == nullptr ? 1 : m_outer->m_depth + 1),
      m_name(requireShallow(std::move(name), m_depth)), m_role(role), m_creation(creation),
      m_id(newTrace(m_name, role, m_outer)), m_graph(m_name) {
    s_current = this;
}

Tracer::~Tracer() {
    s_current = m_outer;
}

Tensor Tracer::addInput(types::TensorTypeId type, std::string_view name) {
    std::string unique(name);
    const int uses = m_inputNames[unique]++;
    if (uses > 0)
        unique += fmt::format("_{}", uses);
    return tensorOf(m_graph.addInput(type, unique));
}

Tensor Tracer::embed(const Tensor& value, std::source_location where) {
    m_graph.setSource(where);
    return tensorOf(m_graph.addConstant(value));
}

Tensor Tracer::append(ir::Op op, std::span<const Tensor> inputs, const ir::Attributes& attributes,
                      std::source_location where) {
    std::array<ir::NodeId, 4> few;
    std::vector<ir::NodeId> many(inputs.size() > few.size() ? inputs.size() : 0);
    const std::span nodes = many.empty() ? std::span(few).first(inputs.size()) : std::span(many);
    placed(where, [&] {
        std::ranges::transform(inputs, nodes.begin(),
                               [&](const Tensor& input) { return nodeOf(input, ir::calledName(op)); });
    });
    m_graph.setSource(where);
    const ir::NodeId node = m_graph.append(op, nodes, attributes);
    return m_graph.typeOf(node) == types::TensorTypeId::None ? Tensor() : tensorOf(node);
}

ir::NodeId Tracer::nodeOf(const Tensor& tensor, std::string_view user, std::string_view captureName) {
    if (tensor.isEmpty())
        throw UsageError(fmt::format("[{}] expected a tensor, got an empty one", user));
    if (tensor.isSymbolic() && tensor.trace() == m_id)
        return tensor.node();
    if (const auto known = m_nodeOfTensor.find(tensor.identity()); known != m_nodeOfTensor.end())
        return known->second;
    if (tensor.isEager())
        return capture(tensor, captureName);
    for (const Tracer* tracer = this; tracer->m_role == Role::Branch; tracer = tracer->m_outer)
        if (tracer->m_outer->m_id == tensor.trace())
            return lift(tensor);
    return captureFromTrace(tensor, user);
}

ir::NodeId Tracer::captureFromTrace(const Tensor& tensor, std::string_view user) {
    if (m_role == Role::Branch && !isOrMadeInside(tensor.trace())) {
        const ir::NodeId node = lift(m_outer->tensorOf(m_outer->nodeOf(tensor, user)));
        return m_nodeOfTensor.emplace(tensor.identity(), node).first->second;
    }
    const UsageError error = outOfScope(tensor, user);
    const Tracer* owner = m_outer;
    while (owner != nullptr && !owner->owns(tensor))
        owner = owner->m_outer;
    if (isOrMadeInside(tensor.trace()) || (owner == nullptr && !m_keepsLeaks))
        throw error;
    const DeferredCapture capture{tensor.type(), fmt::format("captured_{}", m_captures.size()),
                                  [error]() -> Tensor { throw error; }, tensor};
    m_deferred.push_back(capture);
    m_captures.push_back({capture.name, types::tensorSpec(capture.type)});
    const Tensor stand = addInput(capture.type, capture.name);
    if (const auto variable = owner == nullptr ? nullptr : owner->variableOf(tensor))
        noteVariable(stand, variable);
    return m_nodeOfTensor.emplace(tensor.identity(), stand.node()).first->second;
}

bool Tracer::isOrMadeInside(std::uint32_t trace) const {
    while (trace != 0 && trace != m_id)
        trace = nameOf(trace).outer;
    return trace == m_id;
}

UsageError Tracer::outOfScope(const Tensor& tensor, std::string_view user) {
    const TraceName made = nameOf(tensor.trace());
    const std::string here =
        s_current == nullptr ? std::string() : fmt::format(", in '{}'", s_current->name());
    const std::string instead =
        made.role == Role::Branch
            ? "it was made in a branch or loop: assign it to a Local that is declared outside, or return it"
            : fmt::format("return it from '{}' or pass it as an argument", made.name);
    return UsageError(
        fmt::format("[{}] a symbolic {} of the trace of '{}' is out of scope and cannot be used here{}; {}",
                    user, types::toText(tensor.type()), made.name, here, instead));
}

Tracer& Tracer::ownerOf(const Tensor& tensor) {
    for (Tracer* tracer = s_current; tracer != nullptr; tracer = tracer->m_outer)
        if (tracer->owns(tensor))
            return *tracer;
    throw UsageError(
        fmt::format("[GradientTape] the trace of '{}' is over: expected to be asked for a gradient "
                    "while it lasts",
                    nameOf(tensor.trace()).name));
}

Tensor Tracer::addDeferred(const DeferredCapture& capture) {
    if (!capture.ofTrace.isEmpty())
        return tensorOf(nodeOf(capture.ofTrace, "call"));
    if (m_role == Role::Branch)
        return m_outer->addDeferred(capture);
    m_deferred.push_back(capture);
    m_captures.push_back({capture.name, types::tensorSpec(capture.type)});
    return addInput(capture.type, capture.name);
}

void Tracer::liftAlso(std::span<const Tensor> lifted) {
    for (const Tensor& tensor : lifted.subspan(m_lifted.size()))
        lift(tensor);
}

void Tracer::addCreated(CreatedVariable created, std::source_location where) {
    requireCreation(created.variable->name(), where);
    m_created.push_back(std::move(created));
}

void Tracer::requireCreation(const std::string& variable, std::source_location where) const {
    if (m_role == Role::Branch)
        throw UsageError(
            fmt::format("[{}] variable '{}' is created in a branch or loop; create it before that{}", m_name,
                        variable, placeText(where)));
    switch (m_creation) {
    case Creation::Allowed:
        return;
    case Creation::NotFirstCall:
        throw UsageError(
            fmt::format("[{}] creating variable '{}' on a non-first call: a function may create variables "
                        "only in its first trace; create it outside and use it{}",
                        m_name, variable, placeText(where)));
    case Creation::SecondPhase:
        throw UsageError(
            fmt::format("[{}] variable '{}' is created on every call, expected only on the first: keep it "
                        "outside of the function and create it once{}",
                        m_name, variable, placeText(where)));
    case Creation::AfterCreatingCall:
        throw UsageError(
            fmt::format("[{}] variable '{}' is created in a later call, expected only in the first: keep it "
                        "outside of the function and create it once{}",
                        m_name, variable, placeText(where)));
    }
}

ir::NodeId Tracer::capture(const Tensor& tensor, std::string_view name) {
    if (m_role == Role::Branch) { // the function's graph binds it, the branch takes it as an argument
        Tracer& outer = *m_outer;
        const ir::NodeId outside = outer.nodeOf(tensor, "capture", name);
        const ir::NodeId node = lift(outer.tensorOf(outside));
        m_kept.push_back(tensor);
        return m_nodeOfTensor.emplace(tensor.identity(), node).first->second;
    }
    // A node that passes may look into; what may have a gradient stays an input, so that a tape finds it.
    const bool isEmbedded = !tensor::holdsResources(tensor.dtype()) && !types::isFloating(tensor.dtype()) &&
                            tensor.elements() <= ir::kEmbeddedElements;
    const auto* variable = runtime::Variable::find(tensor);
    std::string label(name);
    if (label.empty())
        label = variable != nullptr ? variable->name() : fmt::format("captured_{}", m_captures.size());
    m_captures.push_back({label, variable != nullptr
                                     ? types::variableType(variable->type(), variable->isTrainable(),
                                                           static_cast<int>(m_captures.size()))
                                     : types::tensorSpec(tensor.type())});
    const ir::NodeId node =
        isEmbedded ? m_graph.addConstant(tensor, label) : m_graph.addCapture(tensor, label);
    m_kept.push_back(tensor);
    m_nodeOfTensor.emplace(tensor.identity(), node);
    return node;
}

ir::NodeId Tracer::lift(const Tensor& tensor) {
    const bool isOfOuter = tensor.isSymbolic() && tensor.trace() == m_outer->m_id;
    const Tensor outside = isOfOuter ? tensor : m_outer->tensorOf(m_outer->nodeOf(tensor, "capture"));
    auto known = m_nodeOfTensor.find(outside.identity());
    if (known == m_nodeOfTensor.end()) {
        m_lifted.push_back(outside);
        known = m_nodeOfTensor.emplace(outside.identity(), addInput(tensor.type(), "captured").node()).first;
    }
    const ir::NodeId node = known->second; // one input, by whichever of the two it is asked for
    m_nodeOfTensor.emplace(tensor.identity(), node);
    return node;
}

EagerScope::EagerScope() : m_left(Tracer::s_current) {
    Tracer::s_current = nullptr;
}

EagerScope::~EagerScope() {
    Tracer::s_current = m_left;
}

} // namespace retracescope::trace
