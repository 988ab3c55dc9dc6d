#include <retracescope/engine/runtime/plan.h>

#include <algorithm>
#include <memory>
#include <new>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/base/clock.h>
#include <retracescope/base/counting.h>
#include <retracescope/base/units.h>
#include <retracescope/engine/runtime/plan_builder.h>
#include <retracescope/engine/runtime/run_error.h>
#include <retracescope/engine/runtime/tensor_commands.h>

namespace retracescope::runtime {

using tensor::Tensor;

namespace {

constexpr std::size_t kSlabAlignment = 64;

struct FreeSlab {
    void operator()(std::byte* slab) const { ::operator delete(slab, std::align_val_t{kSlabAlignment}); }
};

std::byte* newSlab(std::size_t bytes) {
    auto* slab = static_cast<std::byte*>(
        ::operator new(std::max(bytes, kSlabAlignment), std::align_val_t{kSlabAlignment}));
    std::fill_n(slab, bytes, std::byte{0}); // touches every page once, here
    return slab;
}

} // namespace

/// What one run in flight writes to; kept for the next.
struct Plan::RunFrame : TensorFrame {
    std::unique_ptr<std::byte, FreeSlab> slab;
    std::vector<std::byte*> pointerTable;
    std::vector<const Tensor*> tensorTable;
    std::vector<Tensor> slotTable;
    std::vector<Tensor> scratchTable;
    std::vector<std::uint64_t> boundaries;
};

/// A frame at rest, or a new one.
Plan::RunFrame& Plan::takeFrame() const {
    if (RunFrame* frame = CountSection().exchange<RunFrame*>(m_spare, nullptr))
        return *frame;
    {
        const std::lock_guard lock(m_restMutex);
        if (!m_rest.empty()) {
            RunFrame* frame = m_rest.back().release();
            m_rest.pop_back();
            return *frame;
        }
    }
    return *makeFrame().release();
}

void Plan::giveBack(RunFrame& frame) const {
    RunFrame* displaced = CountSection().exchange(m_spare, &frame);
    if (displaced) {
        const std::lock_guard lock(m_restMutex);
        m_rest.emplace_back(displaced);
    }
}

/// Empties a frame's slots, even if a command throws.
struct Plan::Emptied {
    RunFrame& frame;
    ~Emptied() {
        for (Tensor& slot : frame.slotTable)
            slot = Tensor();
        for (Tensor& scratch : frame.scratchTable)
            scratch = Tensor();
    }
};

PlanSeries::PlanSeries(const Plan& plan) : m_plan(plan), m_frame(plan.takeFrame()) {}

PlanSeries::~PlanSeries() {
    m_plan.giveBack(m_frame);
}

void PlanSeries::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
    const Plan::Emptied emptied{m_frame};
    m_plan.prepare(m_frame, inputs, outputs);
    m_plan.runCommands(m_frame);
    m_plan.moveOutputs(m_frame, outputs);
}

Plan::Plan(const ir::Graph& graph, std::span<const std::shared_ptr<const Executable>> branches,
           std::span<const types::TensorTypeId> inputTypes)
    : m_inputTypes(inputTypes.begin(), inputTypes.end()), m_graph(graph), m_branches(branches) {
    for (const types::TensorTypeId type : inputTypes)
        m_inputWords.push_back(Tensor::eagerWord(type));
    PlanBuilder(*this).build();
}

Plan::~Plan() {
    delete m_spare.load();
}

std::unique_ptr<Plan::RunFrame> Plan::makeFrame() const {
    auto frame = std::make_unique<RunFrame>();
    try {
        frame->slab.reset(newSlab(m_slabBytes));
    } catch (const std::bad_alloc&) {
        throw RunError(fmt::format("[{}] its intermediate results, {}, do not fit into memory",
                                   m_graph.name(), formatBytes(static_cast<std::int64_t>(m_slabBytes))));
    }
    frame->pointerTable.resize(m_graph.nodeCount());
    frame->tensorTable.resize(m_graph.nodeCount());
    frame->slotTable.resize(m_slotCount);
    frame->scratchTable.resize(m_scratchCount);
    for (const SlabUse& use : m_slabUses)
        frame->pointerTable[use.node] = frame->slab.get() + use.offset;
    for (const BoundUse& use : m_boundUses) {
        frame->pointerTable[use.node] = const_cast<std::byte*>(use.tensor->bytes());
        frame->tensorTable[use.node] = use.tensor;
    }
    for (ir::NodeId node = 0; node < m_graph.nodeCount(); ++node) {
        if (m_slotOf[node] != kNoSlot)
            frame->tensorTable[node] = &frame->slotTable[m_slotOf[node]];
    }
    frame->pointers = frame->pointerTable.data();
    frame->params = m_params.data();
    frame->tensors = frame->tensorTable.data();
    frame->slotTensors = frame->slotTable.data();
    frame->scratch = frame->scratchTable;
    frame->plan = this;
    return frame;
}

void PlanSeries::runPlaced(std::span<std::byte* const> inputs, std::span<std::byte* const> outputs) {
    for (const Plan::InputUse& use : m_plan.m_inputUses)
        m_frame.pointers[use.node] = inputs[use.input];
    for (const Plan::PreparedSlot& prepared : m_plan.m_preparedSlots)
        m_frame.pointers[prepared.node] = outputs[prepared.output];
    m_plan.runCommands(m_frame);
}

/// Without a command, outputs are inputs or what the graph holds.
[[gnu::always_inline]] inline void Plan::forward(std::span<const Tensor> inputs,
                                                 std::span<Tensor> outputs) const {
    RETRACESCOPE_CHECK(outputs.size() == m_sources.size());
    const auto valueAt = [&](std::size_t i) -> const Tensor& {
        const Source source = m_sources[i];
        return source.bound != nullptr ? *source.bound : inputs[source.input];
    };
    std::size_t first = 0;
    {
        CountSection counts;
        for (; first < outputs.size() && outputs[first].isEmpty(); ++first)
            std::construct_at(&outputs[first], valueAt(first), counts); // nothing to let go of
    }
    for (; first < outputs.size(); ++first)
        outputs[first] = valueAt(first);
}

void Plan::run(std::span<const Tensor> inputs, std::span<Tensor> outputs) const {
    if (m_commands.empty())
        return forward(inputs, outputs);
    PlanSeries(*this).run(inputs, outputs);
}

void Plan::run(std::span<const Tensor> inputs, std::span<Tensor> outputs, Observer* observer,
               EntryKey entry) const {
    if (observer == nullptr) [[likely]]
        return run(inputs, outputs);
    PlanSeries series(*this);
    RunFrame& frame = series.m_frame;
    const Emptied emptied{frame};
    prepare(frame, inputs, outputs);
    runTimed(frame, *observer, entry);
    moveOutputs(frame, outputs);
}

Tensor Plan::newSlot(const PreparedSlot& prepared) const {
    try {
        return Tensor::uninitialized(prepared.type);
    } catch (const UsageError&) { // told by the op and its line below
    }
    try {
        return Tensor::uninitialized(prepared.type, ir::opName(m_graph.node(prepared.node).op));
    } catch (const UsageError& error) {
        throwAtNode(m_graph, prepared.node, error);
    }
}

void Plan::prepare(RunFrame& frame, std::span<const Tensor> inputs, std::span<Tensor> outputs) const {
    RETRACESCOPE_CHECK(outputs.size() == m_movesOutput.size());
    for (const InputUse& use : m_inputUses) {
        frame.pointers[use.node] = const_cast<std::byte*>(inputs[use.input].bytes());
        frame.tensors[use.node] = &inputs[use.input];
    }
    for (const PreparedSlot& prepared : m_preparedSlots) {
        Tensor& slot = frame.slotTensors[m_slotOf[prepared.node]];
        Tensor* const old = prepared.output == kNoOutput ? nullptr : &outputs[prepared.output];
        const auto isOld = [&](const Tensor& input) { return input.isSame(*old); };
        if (old != nullptr && old->isUnique() && old->type() == prepared.type &&
            std::ranges::none_of(inputs, isOld))
            slot = std::move(*old);
        else
            slot = newSlot(prepared);
        frame.pointers[prepared.node] = slot.mutableBytes();
    }
}

void Plan::runCommands(Frame& frame) const {
    const Command* command = m_commands.data();
    try {
        for (const Command* const end = command + m_commands.size(); command != end; ++command)
            command->kernel(*command, frame);
    } catch (const UsageError&) {
        rethrow(static_cast<std::size_t>(command - m_commands.data()));
    }
}

void Plan::rethrow(std::size_t command) const {
    const ir::NodeId node = m_commandNodes[command];
    try {
        throw;
    } catch (const RunError& error) {
        throwThroughNode(m_graph, node, error);
    } catch (const UsageError& error) {
        throwAtNode(m_graph, node, error);
    }
}

void Plan::runTimed(RunFrame& frame, Observer& observer, EntryKey entry) const {
    frame.boundaries.resize(m_graph.nodeCount() + std::size_t{1});
    std::uint64_t now = ticks();
    std::size_t filled = 0; // boundaries before this node's begin are set
    for (std::size_t i = 0; i < m_commands.size(); ++i) {
        const std::size_t begin = m_commandNodes[i];
        for (; filled <= begin; ++filled)
            frame.boundaries[filled] = now;
        try {
            m_commands[i].kernel(m_commands[i], frame);
        } catch (const UsageError&) {
            rethrow(i);
        }
        now = ticks();
    }
    for (; filled < frame.boundaries.size(); ++filled)
        frame.boundaries[filled] = now;
    observer.onNodes(entry, frame.boundaries);
}

void Plan::moveOutputs(RunFrame& frame, std::span<Tensor> outputs) const {
    const auto nodes = m_graph.outputs();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (m_movesOutput[i])
            outputs[i] = std::move(frame.slotTensors[m_slotOf[nodes[i]]]);
        else
            outputs[i] = *frame.tensors[nodes[i]];
    }
}

} // namespace retracescope::runtime
