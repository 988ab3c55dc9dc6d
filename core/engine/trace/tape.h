#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include <retracescope/engine/trace/ops.h>
#include <retracescope/engine/trace/variable.h>

namespace retracescope::trace {

class Backward;
class Tracer;

/// One thing that happened under a tape: tensors and handles of variables in, tensors out.
struct TapeEntry {
    std::vector<Tensor> inputs;
    std::vector<Tensor> results;
    std::shared_ptr<const Backward> backward;
};

/// How gradients go back through an entry.
class Backward {
public:
    virtual ~Backward() = default;

    /// `gradients` has one tensor per result, empty where none flows. Returns one per input, empty where none
    /// flows; those of inputs that are not `wanted` are of no interest. Computes with the ops of the front
    /// door, so that other tapes see it.
    virtual std::vector<Tensor> inputGradients(const TapeEntry& entry, std::span<const Tensor> gradients,
                                               const std::vector<bool>& wanted, Where where) const = 0;
};

/// What happened on one thread, or in one trace, since it was made, as far as it depends on what is watched.
/// Keeps all tensors that it saw until it is cleared. Tapes nest; each sees what the gradients of another
/// compute.
class Tape {
public:
    /// Records at once.
    explicit Tape(bool watchesVariables);
    ~Tape();
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;

    /// Whether any tape may record on this thread: what every op asks.
    static bool isAny() noexcept { return s_first != nullptr; }
    /// How many tapes would record what happens to these tensors.
    static int watchersOf(std::span<const Tensor> inputs);
    /// In the tapes that watch variables by themselves.
    static void noteRead(const Variable& variable);
    static void noteHandle(const Tensor& handle);
    /// Tells all tapes of one op, call or piece of control flow. `make` is asked for a
    /// std::shared_ptr<const Backward> if any is interested. A result that shares its storage with another
    /// tensor becomes one of its own: a tape knows tensors by their storage.
    template <class Make>
    static void record(std::span<const Tensor> inputs, std::span<Tensor> results, Make make) {
        if (watchersOf(inputs) > 0)
            recordIn({{inputs.begin(), inputs.end()}, {}, make()}, results);
    }
    /// An op; not for those that run graphs.
    static void recordOp(ir::Op op, std::span<const Tensor> inputs, const ir::Attributes& attributes,
                         Tensor& result);

    /// The same value as a tensor that no tape knows (a symbolic one is a node of its own, and stays).
    static Tensor unknown(const Tensor& tensor);
    /// What happened in `entry` had further results, which gradients may flow into: in all tapes that have
    /// it.
    static void addResults(const TapeEntry& entry, std::span<const Tensor> further);

    void watch(const Tensor& tensor);
    void watch(const Variable& variable);
    const std::vector<Variable>& watchedVariables() const { return m_variables; }

    void pause() { ++m_pauses; }
    void resume() { --m_pauses; }
    /// Forgets all that happened, and what is watched.
    void clear();
    /// Records nothing any more.
    void end() noexcept;

    /// The gradients of the sum of the targets, each weighed with its gradient (empty: ones), with respect to
    /// tensors and handles of variables; empty where nothing leads from one to a target. Records nothing
    /// itself meanwhile.
    std::vector<Tensor> gradients(std::span<const Tensor> targets, std::span<const Tensor> outputGradients,
                                  std::span<const Tensor> sources, Where where);
    /// Of two gradients of one tensor.
    static Tensor sumOf(const Tensor& a, const Tensor& b, Where where);
    /// Whether gradients may flow into that tensor.
    bool knows(const Tensor& tensor) const;

private:
    friend class HiddenTapes;

    static void recordIn(TapeEntry entry, std::span<Tensor> results);
    bool isWatching(std::span<const Tensor> inputs) const;
    void moveTo(Tape*& place) noexcept;
    /// Which of the entries' inputs depend on a source.
    std::unordered_set<std::uint64_t> reachedFrom(std::span<const Tensor> sources) const;

    static thread_local constinit Tape* s_first;

    Tracer* m_tracer; ///< whose ops it sees; null: eager ones
    Tape* m_next = nullptr;
    Tape** m_place = nullptr; ///< that points to this one; null once it has ended
    const bool m_watchesVariables;
    int m_pauses = 0;
    std::vector<std::shared_ptr<TapeEntry>> m_entries;
    std::unordered_set<std::uint64_t> m_known; ///< identities of what is watched and of what came of it
    std::vector<Tensor> m_watched;             ///< keeps them alive, so that an identity means one tensor
    std::vector<Variable> m_variables;
};

} // namespace retracescope::trace
