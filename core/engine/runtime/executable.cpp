#include <retracescope/engine/runtime/executable.h>

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include <retracescope/base/clock.h>
#include <retracescope/engine/passes/rewrite.h>
#include <retracescope/engine/runtime/plan.h>

namespace retracescope::runtime {

using tensor::Tensor;

namespace {

/// Plans of one graph for distinct input shapes that are kept; the least recently used goes first.
constexpr std::size_t kKeptPlans = 64;

ir::Graph withResultsInPlace(ir::Graph graph) {
    if (!graph.hasLateResults())
        return graph;
    passes::Rewrite copy(graph);
    copy.copyRest();
    return copy.finish();
}

} // namespace

struct Executable::Plans {
    std::vector<std::shared_ptr<const Executable>> branches; ///< by the graph's rows
    std::unique_ptr<const Plan> fixed;                       ///< if the types of all inputs are known

    std::mutex mutex;
    std::vector<std::shared_ptr<const Plan>> open; ///< most recently used first
};

std::shared_ptr<Executable> Executable::compile(ir::Graph graph, Origin origin) {
    const std::uint64_t begin = ticks();
    std::shared_ptr<Executable> executable(new Executable(std::move(graph), origin));
    if (Observer* listener = observer(); listener && origin.function != 0)
        listener->onPhase({"plan", "plan", origin.function, origin.entry, begin, ticks()});
    return executable;
}

Executable::Executable(ir::Graph graph, Origin origin)
    : m_origin(origin), m_graph(std::make_shared<const ir::Graph>(withResultsInPlace(std::move(graph)))),
      m_plans(std::make_unique<Plans>()) {
    for (const auto& callee : m_graph->callees())
        RETRACESCOPE_CHECK(dynamic_cast<const Executable*>(callee.get()));
    for (const auto& branch : m_graph->branches())
        m_plans->branches.push_back(compile(*branch));
    std::vector<types::TensorTypeId> inputTypes;
    for (const ir::NodeId input : m_graph->inputs())
        inputTypes.push_back(m_graph->typeOf(input));
    if (std::ranges::all_of(inputTypes, types::isKnown)) {
        m_plans->fixed = std::make_unique<const Plan>(*m_graph, m_plans->branches, inputTypes);
        m_fixed = m_plans->fixed.get();
    }
}

Executable::~Executable() = default;

void Executable::requireInputs(std::span<const Tensor> inputs) const {
    const auto placeholders = m_graph->inputs();
    if (inputs.size() != placeholders.size())
        throw UsageError(fmt::format("[{}] expected {} input{}, got {}", m_graph->name(), placeholders.size(),
                                     placeholders.size() == 1 ? "" : "s", inputs.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const types::TensorTypeId wanted = m_graph->typeOf(placeholders[i]);
        if (inputs[i].isEager() && (inputs[i].type() == wanted || types::isSubtype(inputs[i].type(), wanted)))
            continue;
        throw UsageError(fmt::format("[{}] {} is expected as {}, got {}{}", m_graph->name(),
                                     m_graph->nameOf(placeholders[i]), types::toText(wanted),
                                     inputs[i].isEmpty() ? "nothing" : types::toText(inputs[i].type()),
                                     inputs[i].isSymbolic() ? " without a value" : ""));
    }
}

std::shared_ptr<const Plan> Executable::planFor(std::span<const Tensor> inputs) const {
    const auto fits = [&](const std::shared_ptr<const Plan>& plan) {
        return std::ranges::equal(plan->inputTypes(), inputs, {}, {}, &Tensor::type);
    };
    {
        const std::lock_guard lock(m_plans->mutex);
        auto& plans = m_plans->open;
        if (const auto found = std::ranges::find_if(plans, fits); found != plans.end()) {
            std::rotate(plans.begin(), found, found + 1);
            return plans.front();
        }
    }
    std::vector<types::TensorTypeId> inputTypes(inputs.size());
    std::ranges::transform(inputs, inputTypes.begin(), &Tensor::type);
    auto plan = std::make_shared<const Plan>(*m_graph, m_plans->branches, inputTypes);
    const std::lock_guard lock(m_plans->mutex);
    auto& plans = m_plans->open;
    if (const auto found = std::ranges::find_if(plans, fits); found != plans.end())
        return *found; // another thread planned the same shapes meanwhile
    if (plans.size() >= kKeptPlans)
        plans.pop_back();
    plans.insert(plans.begin(), plan);
    return plan;
}

void Executable::requireFixedInputs(std::span<const Tensor> inputs) const {
    if (!m_fixed->takes(inputs)) [[unlikely]] // of known types only one is a subtype: itself
        requireInputs(inputs);
}

const Plan* Executable::fixedPlan(std::span<const Tensor> inputs) const {
    return m_fixed != nullptr && m_fixed->takes(inputs) ? m_fixed : nullptr;
}

void Executable::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const {
    if (m_fixed != nullptr) [[likely]] {
        requireFixedInputs(inputs);
        return m_fixed->run(inputs, outputs, nodeListener(), m_origin.entry);
    }
    requireInputs(inputs);
    planFor(inputs)->run(inputs, outputs, nodeListener(), m_origin.entry);
}

std::vector<Tensor> Executable::run(std::span<const Tensor> inputs) const {
    std::vector<Tensor> outputs(m_graph->outputs().size());
    run(inputs, outputs);
    return outputs;
}

Executable::Memory Executable::memory() const {
    const std::lock_guard lock(m_plans->mutex);
    const Plan* plan = m_fixed != nullptr      ? m_fixed
                       : m_plans->open.empty() ? nullptr
                                               : m_plans->open[0].get();
    return plan ? Memory{plan->slabBytes(), plan->leastBytes()} : Memory{};
}

std::size_t Executable::planCount() const {
    const std::lock_guard lock(m_plans->mutex);
    return m_fixed != nullptr ? 1 : m_plans->open.size();
}

} // namespace retracescope::runtime
