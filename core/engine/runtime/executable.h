#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/runtime/observer.h>
#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

class Plan;

/// Whom the phases and node times of a graph are reported for; 0 = nobody.
struct Origin {
    FunctionKey function = 0;
    EntryKey entry = 0;
};

/// A graph made ready to run: a flat list of commands over planned memory. Runs on the caller's thread;
/// several threads may run it at once, each on a slab of its own that is kept for the next run. A run of a
/// warm executable allocates nothing: results come from the tensors' pool.
class Executable final : public ir::Callee {
public:
    /// `graph` is taken as it is; see optimise() for the passes. Reports phase "plan".
    static std::shared_ptr<Executable> compile(ir::Graph graph, Origin origin = {});
    ~Executable() override;

    /// The graph whose node ids onNodes() reports: what a recorder must keep.
    const ir::Graph& graph() const override { return *m_graph; }
    /// The same for somebody who outlives this, without the plans.
    const std::shared_ptr<const ir::Graph>& sharedGraph() const { return m_graph; }
    Origin origin() const { return m_origin; }

    /// Runs it once. `inputs` are the graph's inputs in order, captures apart: they are bound. Each must be a
    /// subtype of its placeholder's type, else UsageError. `outputs` has one place per output of the graph
    /// and is overwritten, in the storage of what is there where it fits and nobody else holds it. On an
    /// exception of a node the outputs are empty, and effects of nodes before it
    /// have happened.
    void run(std::span<const tensor::Tensor> inputs, std::span<tensor::Tensor> outputs) const;
    std::vector<tensor::Tensor> run(std::span<const tensor::Tensor> inputs) const;

    /// The plan for these inputs if the types of all inputs are fixed and these have them; else null. Lives
    /// as long as this.
    const Plan* fixedPlan(std::span<const tensor::Tensor> inputs) const;

    /// Of the plan for known shapes, or of the last planned input shapes: bytes of one slab, and the least
    /// that any plan needs (the largest sum of values that are alive together).
    struct Memory {
        std::size_t slabBytes = 0;
        std::size_t leastBytes = 0;
    };
    Memory memory() const;

    /// How many distinct input shapes have been planned and are kept.
    std::size_t planCount() const;

private:
    friend class RunSeries;
    Executable(ir::Graph graph, Origin origin);
    void requireInputs(std::span<const tensor::Tensor> inputs) const;
    void requireFixedInputs(std::span<const tensor::Tensor> inputs) const;
    Observer* nodeListener() const { return m_origin.entry == 0 ? nullptr : nodeObserver(); }
    std::shared_ptr<const Plan> planFor(std::span<const tensor::Tensor> inputs) const;
    struct Plans;

    const Origin m_origin;
    const Plan* m_fixed = nullptr; ///< of m_plans; what a run looks at comes first
    const std::shared_ptr<const ir::Graph> m_graph;
    std::unique_ptr<Plans> m_plans;
};

/// Runs the passes (passes/pipeline.h) on a graph and its branches; each is reported as a phase "optimise".
/// Before them it adds the checks that enableCheckNumerics() (checks.h) asks for.
ir::Graph optimise(ir::Graph graph, Origin origin = {});

} // namespace retracescope::runtime
