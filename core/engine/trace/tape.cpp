#include <retracescope/engine/trace/tape.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <retracescope/base/check.h>
#include <retracescope/engine/tensor/list.h>
#include <retracescope/engine/trace/hidden_tapes.h>
#include <retracescope/engine/trace/node_backward.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

bool isHandle(const Tensor& tensor) {
    return tensor.dtype() == types::DType::Resource;
}

/// Gradients flow through floating values and lists of them.
bool isValue(const Tensor& tensor) {
    return types::isFloating(tensor.dtype()) || tensor::isListType(tensor.type());
}

/// They also flow into variables by their handles.
bool mayCarry(const Tensor& tensor) {
    return !tensor.isEmpty() && (isValue(tensor) || isHandle(tensor));
}

/// Inside a trace an eager tensor is known by the node that stands for it there.
Tensor inTrace(const Tensor& tensor) {
    Tracer* const tracer = Tracer::current();
    return tracer != nullptr && tensor.isEager() ? tracer->tensorOf(tracer->nodeOf(tensor, "GradientTape"))
                                                 : tensor;
}

/// The same elements in storage of their own.
Tensor copyOf(const Tensor& tensor) {
    Tensor copy = Tensor::uninitialized(tensor.type());
    std::memcpy(copy.mutableBytes(), tensor.bytes(),
                static_cast<std::size_t>(tensor.elements()) * types::dtypeBytes(tensor.dtype()));
    return copy;
}

} // namespace

thread_local constinit Tape* Tape::s_first = nullptr;

Tape::Tape(bool watchesVariables) : m_tracer(Tracer::current()), m_watchesVariables(watchesVariables) {
    // Equal nodes are told apart: what was computed before a tensor was watched is not what comes after.
    if (m_tracer != nullptr)
        m_tracer->graph().shareEqualNodes(false);
    moveTo(s_first);
}

Tape::~Tape() {
    end();
}

void Tape::moveTo(Tape*& place) noexcept {
    m_next = place;
    if (m_next != nullptr)
        m_next->m_place = &m_next;
    place = this;
    m_place = &place;
}

void Tape::end() noexcept {
    if (m_place == nullptr)
        return;
    *m_place = m_next;
    if (m_next != nullptr)
        m_next->m_place = m_place;
    if (m_tracer != nullptr && m_place == &s_first && m_next == nullptr)
        m_tracer->graph().shareEqualNodes(true);
    m_place = nullptr;
    m_next = nullptr;
}

HiddenTapes::HiddenTapes() noexcept : m_hidden(Tape::s_first) {
    if (m_hidden != nullptr)
        m_hidden->m_place = &m_hidden;
    Tape::s_first = nullptr;
}

HiddenTapes::~HiddenTapes() {
    while (Tape::s_first != nullptr) {
        Tape::s_first->m_tracer = nullptr; // it is about to go
        Tape::s_first->end();
    }
    Tape::s_first = m_hidden;
    if (m_hidden != nullptr)
        m_hidden->m_place = &Tape::s_first;
}

bool Tape::knows(const Tensor& tensor) const {
    return m_known.contains(inTrace(tensor).identity());
}

bool Tape::isWatching(std::span<const Tensor> inputs) const {
    return m_pauses == 0 && !m_known.empty() && std::ranges::any_of(inputs, [&](const Tensor& input) {
               return mayCarry(input) && m_known.contains(input.identity());
           });
}

int Tape::watchersOf(std::span<const Tensor> inputs) {
    int count = 0;
    for (const Tape* tape = s_first; tape != nullptr; tape = tape->m_next)
        count += tape->isWatching(inputs) ? 1 : 0;
    return count;
}

void Tape::noteRead(const Variable& variable) {
    if (!variable.isTrainable() || !types::isFloating(types::dtypeOf(variable.type())))
        return;
    for (Tape* tape = s_first; tape != nullptr; tape = tape->m_next)
        if (tape->m_watchesVariables && tape->m_pauses == 0)
            tape->watch(variable);
}

void Tape::noteHandle(const Tensor& handle) {
    if (runtime::Variable::find(handle) != nullptr)
        noteRead(Variable::of(handle));
}

Tensor Tape::unknown(const Tensor& tensor) {
    return tensor.isEager() && types::isFloating(tensor.dtype()) ? copyOf(tensor) : tensor;
}

void Tape::watch(const Tensor& tensor) {
    const Tensor known = inTrace(tensor);
    m_known.insert(known.identity());
    m_watched.push_back(tensor);
    m_watched.push_back(known);
}

void Tape::watch(const Variable& variable) {
    const Tensor handle = inTrace(variable.handle());
    if (!m_known.insert(handle.identity()).second)
        return;
    m_watched.push_back(handle);
    m_variables.push_back(variable);
}

void Tape::clear() {
    m_entries.clear();
    m_known.clear();
    m_watched.clear();
    m_variables.clear();
}

void Tape::recordOp(ir::Op op, std::span<const Tensor> inputs, const ir::Attributes& attributes,
                    Tensor& result) {
    if (result.isEmpty() || !isValue(result))
        return;
    if (op == ir::Op::StopGradient) {
        result = unknown(result);
        return;
    }
    const auto make = [&] { return nodeBackward(op, attributes); };
    if (Tracer::current() == nullptr)
        return record(inputs, std::span(&result, 1), make);
    std::vector<Tensor> inside;
    for (const Tensor& input : inputs)
        inside.push_back(inTrace(input));
    record(inside, std::span(&result, 1), make);
}

void Tape::recordIn(TapeEntry entry, std::span<Tensor> results) {
    for (Tensor& result : results)
        if (result.isEager() && types::isFloating(result.dtype()) && !result.isUnique())
            result = copyOf(result);
    entry.results.assign(results.begin(), results.end());
    const auto shared = std::make_shared<TapeEntry>(std::move(entry));
    for (Tape* tape = s_first; tape != nullptr; tape = tape->m_next) {
        if (!tape->isWatching(shared->inputs))
            continue;
        tape->m_entries.push_back(shared);
        for (const Tensor& result : shared->results)
            if (mayCarry(result))
                tape->m_known.insert(result.identity());
    }
}

void Tape::addResults(const TapeEntry& entry, std::span<const Tensor> further) {
    std::shared_ptr<TapeEntry> shared;
    for (Tape* tape = s_first; tape != nullptr; tape = tape->m_next) {
        const auto own = std::ranges::find(tape->m_entries, &entry, &std::shared_ptr<TapeEntry>::get);
        if (own == tape->m_entries.end())
            continue;
        shared = *own;
        for (const Tensor& result : further)
            if (mayCarry(result))
                tape->m_known.insert(result.identity());
    }
    if (shared != nullptr)
        shared->results.insert(shared->results.end(), further.begin(), further.end());
}

std::unordered_set<std::uint64_t> Tape::reachedFrom(std::span<const Tensor> sources) const {
    std::unordered_set<std::uint64_t> reached;
    for (const Tensor& source : sources)
        if (mayCarry(source) && knows(source))
            reached.insert(inTrace(source).identity());
    for (const auto& entry : m_entries) {
        const bool isReached = std::ranges::any_of(
            entry->inputs, [&](const Tensor& input) { return reached.contains(input.identity()); });
        if (!isReached)
            continue;
        for (const Tensor& result : entry->results)
            if (mayCarry(result))
                reached.insert(result.identity());
    }
    return reached;
}

Tensor Tape::sumOf(const Tensor& a, const Tensor& b, Where where) {
    return apply(tensor::isListType(a.type()) ? ir::Op::ListAdd : ir::Op::Add, std::array{a, b}, {}, where);
}

std::vector<Tensor> Tape::gradients(std::span<const Tensor> targets, std::span<const Tensor> outputGradients,
                                    std::span<const Tensor> sources, Where where) {
    struct Paused {
        explicit Paused(Tape& itsTape) : tape(itsTape) { tape.pause(); }
        ~Paused() { tape.resume(); }
        Tape& tape;
    } const paused(*this);
    const std::unordered_set<std::uint64_t> reached = reachedFrom(sources);
    std::unordered_map<std::uint64_t, Tensor> adjoints;
    const auto add = [&](const Tensor& tensor, const Tensor& gradient) {
        if (gradient.isEmpty() || !reached.contains(tensor.identity()))
            return;
        Tensor& adjoint = adjoints[tensor.identity()];
        adjoint = adjoint.isEmpty() ? gradient : sumOf(adjoint, gradient, where);
    };
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const Tensor target = inTrace(targets[i]);
        if (reached.contains(target.identity()))
            add(target, outputGradients[i].isEmpty() ? onesLike(target, where) : outputGradients[i]);
    }
    for (auto entry = m_entries.rbegin(); entry != m_entries.rend(); ++entry) {
        std::vector<Tensor> gradients;
        bool isAny = false;
        for (const Tensor& result : (*entry)->results) {
            const auto known = adjoints.find(result.identity());
            gradients.push_back(known == adjoints.end() ? Tensor() : known->second);
            isAny = isAny || known != adjoints.end();
        }
        std::vector<bool> wanted;
        for (const Tensor& input : (*entry)->inputs)
            wanted.push_back(mayCarry(input) && reached.contains(input.identity()));
        if (!isAny || std::ranges::none_of(wanted, std::identity()))
            continue;
        const std::vector<Tensor> toInputs =
            (*entry)->backward->inputGradients(**entry, gradients, wanted, where);
        RETRACESCOPE_CHECK(toInputs.size() == wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (wanted[i])
                add((*entry)->inputs[i], toInputs[i]);
    }
    std::vector<Tensor> results;
    for (const Tensor& source : sources) {
        const auto known = adjoints.find(inTrace(source).identity());
        results.push_back(known == adjoints.end() ? Tensor() : known->second);
    }
    return results;
}

} // namespace retracescope::trace
