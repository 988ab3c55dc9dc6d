#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/runtime/kernels/command.h>
#include <retracescope/engine/runtime/observer.h>
#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

class Executable;

/// A graph laid out for inputs of known types: the commands, where every value lies, and the frames that runs
/// use.
///
/// A value lies in one of four places. Slab: shape known, seen by kernels only. Slot: a tensor of its own,
/// because it leaves the run, goes into a variable or another graph, holds strings, or has a shape that only
/// the run finds out. Input: the caller's tensor. Bound: a constant's or a capture's tensor.
class Plan {
public:
    /// `graph`, `branches` and `callees` (by the graph's rows) must outlive the plan.
    Plan(const ir::Graph& graph, std::span<const std::shared_ptr<const Executable>> branches,
         std::span<const types::TensorTypeId> inputTypes);
    ~Plan();

    /// `inputs` are eager and have exactly the planned types. With `observer`, node times go to it under
    /// `entry`. Results go into the storage of tensors in `outputs` where it fits and nobody else holds it.
    [[gnu::hot]] void run(std::span<const tensor::Tensor> inputs, std::span<tensor::Tensor> outputs) const;
    [[gnu::hot]] void run(std::span<const tensor::Tensor> inputs, std::span<tensor::Tensor> outputs,
                          Observer* observer, EntryKey entry) const;

    std::span<const types::TensorTypeId> inputTypes() const { return m_inputTypes; }
    /// Whether these are eager and have exactly the planned types.
    bool takes(std::span<const tensor::Tensor> inputs) const noexcept {
        if (inputs.size() != m_inputWords.size())
            return false;
        std::uint64_t differs = 0;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            differs |= inputs[i].typeWord() ^ m_inputWords[i];
        return differs == 0;
    }
    /// Whether its commands work on plain memory alone and make all outputs, each once:
    /// PlanSeries::runPlaced().
    bool isPlain() const { return m_isPlain; }
    std::size_t slabBytes() const { return m_slabBytes; }
    std::size_t leastBytes() const { return m_leastBytes; }
    std::size_t commandCount() const { return m_commands.size(); }

    // What commands on tensors ask for.
    const ir::Graph& graph() const { return m_graph; }
    const Executable& branch(std::size_t row) const { return *m_branches[row]; }
    std::uint32_t slotOf(ir::NodeId node) const { return m_slotOf[node]; }

private:
    friend class PlanBuilder;
    friend class PlanSeries;
    struct RunFrame;
    struct Emptied;

    /// A slot whose tensor the run makes before the first command.
    struct PreparedSlot {
        ir::NodeId node;
        types::TensorTypeId type;
        std::uint32_t output; ///< that it becomes, or kNoOutput
    };
    /// Where an output lies that no command makes.
    struct Source {
        const tensor::Tensor* bound; ///< owned by the graph; null for an input
        std::uint32_t input;
    };
    /// A node that reads where an input lies: its placeholder, or a view of it.
    struct InputUse {
        ir::NodeId node;
        std::uint32_t input;
    };
    struct BoundUse {
        ir::NodeId node;
        const tensor::Tensor* tensor; ///< owned by the graph
    };
    struct SlabUse {
        ir::NodeId node;
        std::size_t offset;
    };

    RunFrame& takeFrame() const;
    void giveBack(RunFrame& frame) const;
    void forward(std::span<const tensor::Tensor> inputs, std::span<tensor::Tensor> outputs) const;
    void prepare(RunFrame& frame, std::span<const tensor::Tensor> inputs,
                 std::span<tensor::Tensor> outputs) const;
    std::unique_ptr<RunFrame> makeFrame() const;
    tensor::Tensor newSlot(const PreparedSlot& prepared) const;
    void runCommands(Frame& frame) const;
    /// With the line of the command's node in what it throws.
    [[noreturn]] void rethrow(std::size_t command) const;
    void runTimed(RunFrame& frame, Observer& observer, EntryKey entry) const;
    void moveOutputs(RunFrame& frame, std::span<tensor::Tensor> outputs) const;

    std::vector<types::TensorTypeId> m_inputTypes;
    std::vector<std::uint64_t> m_inputWords; ///< Tensor::typeWord() of what is taken
    std::vector<Source> m_sources; ///< of all outputs, if no command makes one and there is none to run
    std::vector<Command> m_commands;
    const ir::Graph& m_graph;
    std::span<const std::shared_ptr<const Executable>> m_branches;
    std::vector<ir::NodeId> m_commandNodes; ///< per command
    std::vector<std::int64_t> m_params;
    std::vector<PreparedSlot> m_preparedSlots;
    std::vector<InputUse> m_inputUses;
    std::vector<BoundUse> m_boundUses;
    std::vector<SlabUse> m_slabUses;
    std::vector<std::uint32_t> m_slotOf; ///< per node, or kNoSlot
    std::vector<bool> m_movesOutput;     ///< per output: last use of its slot
    std::uint32_t m_slotCount = 0;
    std::size_t m_scratchCount = 0; ///< most inputs plus results of any command on tensors
    std::size_t m_slabBytes = 0;
    std::size_t m_leastBytes = 0;
    bool m_isPlain = false;

    /// Frames at rest. One lies in m_spare, so that a caller alone takes no lock.
    mutable std::atomic<RunFrame*> m_spare{nullptr};
    mutable std::mutex m_restMutex;
    mutable std::vector<std::unique_ptr<RunFrame>> m_rest;
};

inline constexpr std::uint32_t kNoSlot = 0xffffffff;
inline constexpr std::uint32_t kNoOutput = 0xffffffff;

/// Several runs of a plan in a row on one frame.
class PlanSeries {
public:
    explicit PlanSeries(const Plan& plan);
    ~PlanSeries();
    PlanSeries(const PlanSeries&) = delete;
    PlanSeries& operator=(const PlanSeries&) = delete;

    /// As Plan::run() without an observer.
    void run(std::span<const tensor::Tensor> inputs, std::span<tensor::Tensor> outputs);
    /// The same of a plain plan from and into memory of the caller, which fits the types of inputs and
    /// outputs.
    void runPlaced(std::span<std::byte* const> inputs, std::span<std::byte* const> outputs);

private:
    friend class Plan;
    const Plan& m_plan;
    Plan::RunFrame& m_frame;
};

} // namespace retracescope::runtime
