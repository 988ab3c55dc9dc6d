#include <retracescope/engine/trace/control_flow.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/call_graph.h>
#include <retracescope/engine/trace/local_scope.h>
#include <retracescope/engine/trace/misfit.h>
#include <retracescope/engine/trace/tracer.h>
#include <retracescope/types/binding.h>

namespace retracescope::trace {

namespace {

bool haveCommonType(types::TypeId a, types::TypeId b) {
    return types::commonSupertype(a, b) != types::TypeId::None;
}

/// A local that one of the branches assigns, and what it is at the end of each.
struct AssignedLocal {
    LocalScope::Touched touched;
    types::TypeId thenType = types::TypeId::None;
    types::TypeId elseType = types::TypeId::None;
};

/// A cond on its way into the graph. The branches take the same tensors of the surrounding trace, and return
/// what they return and then what the locals are that either of them assigns.
class StagedCond {
public:
    StagedCond(Tracer& outer, const CondWords& words, Where where)
        : m_outer(outer), m_words(words), m_where(where) {}

    Value run(ir::NodeId decision, const Branch& then, const Branch& otherwise);

private:
    void traceThen(const Branch& branch);
    void traceElse(const Branch& branch);
    void returnBeforeFromThen(const Value& before);
    void requireAgreement(types::TypeId then, types::TypeId otherwise, const std::string& what) const;
    void requireValueBefore(const LocalScope::Touched& touched, const std::string& branch) const;
    void requireOutcome() const;

    Tracer& m_outer;
    const CondWords& m_words;
    const Where m_where;
    std::vector<Tensor> m_lifted; ///< what both branches take
    std::vector<AssignedLocal> m_locals;
    ir::Graph m_then;
    ir::Graph m_else;
    std::vector<ir::NodeId> m_thenOutputs;
    types::TypeId m_thenType = types::TypeId::None;
    types::TypeId m_elseType = types::TypeId::None;
};

void appendOutputs(const Value& value, Tracer& tracer, std::vector<ir::NodeId>& outputs) {
    for (const Tensor& leaf : leavesOf(value))
        outputs.push_back(tracer.nodeOf(leaf, tracer.name()));
}

void StagedCond::traceThen(const Branch& branch) {
    Tracer tracer(m_outer.name() + "/then", Tracer::Role::Branch, m_outer.creation());
    LocalScope scope(tracer, LocalScope::Kind::Branch);
    const Value result = resultOf(branch(), tracer, tracer.name());
    m_thenType = typeOfValue(result);
    appendOutputs(result, tracer, m_thenOutputs);
    for (const LocalScope::Touched& touched : scope.finish()) {
        if (!touched.after)
            continue;
        appendOutputs(*touched.after, tracer, m_thenOutputs);
        m_locals.push_back({touched, typeOfValue(*touched.after), touched.type});
    }
    m_lifted = tracer.lifted();
    m_then = tracer.takeGraph();
}

void StagedCond::traceElse(const Branch& branch) {
    Tracer tracer(m_outer.name() + "/else", Tracer::Role::Branch, m_outer.creation());
    tracer.liftAlso(m_lifted);
    LocalScope scope(tracer, LocalScope::Kind::Branch);
    const Value result = resultOf(branch(), tracer, tracer.name());
    m_elseType = typeOfValue(result);
    std::vector<ir::NodeId> outputs;
    appendOutputs(result, tracer, outputs);
    std::vector<LocalScope::Touched> all = scope.finish();
    std::erase_if(all, [](const LocalScope::Touched& touched) { return !touched.after; });
    for (AssignedLocal& local : m_locals) {
        const auto again = std::ranges::find(all, local.touched.cell, &LocalScope::Touched::cell);
        if (again == all.end()) {
            requireValueBefore(local.touched, m_words.otherwise);
            appendOutputs(*local.touched.before, tracer, outputs);
        } else {
            local.elseType = typeOfValue(*again->after);
            appendOutputs(*again->after, tracer, outputs);
            all.erase(again);
        }
    }
    for (const LocalScope::Touched& touched : all) { // assigned here alone
        requireValueBefore(touched, m_words.then);
        appendOutputs(*touched.after, tracer, outputs);
        m_locals.push_back({touched, touched.type, typeOfValue(*touched.after)});
        for (const Tensor& leaf : leavesOf(*touched.before))
            tracer.nodeOf(leaf, tracer.name()); // an input of both, which the then branch returns
    }
    tracer.graph().setOutputs(outputs);
    // What only this branch uses becomes a further input of the other.
    for (std::size_t i = m_lifted.size(); i < tracer.lifted().size(); ++i)
        m_then.addInput(tracer.lifted()[i].type(), fmt::format("unused_{}", i));
    m_lifted = tracer.lifted();
    m_else = tracer.takeGraph();
    for (const LocalScope::Touched& touched : all)
        returnBeforeFromThen(*touched.before);
    m_then.setOutputs(m_thenOutputs);
}

void StagedCond::returnBeforeFromThen(const Value& before) {
    for (const Tensor& leaf : leavesOf(before)) {
        const auto input =
            std::ranges::find_if(m_lifted, [&](const Tensor& tensor) { return tensor.isSame(leaf); });
        RETRACESCOPE_CHECK(input != m_lifted.end());
        m_thenOutputs.push_back(m_then.inputs()[static_cast<std::size_t>(input - m_lifted.begin())]);
    }
}

void StagedCond::requireValueBefore(const LocalScope::Touched& touched, const std::string& branch) const {
    if (!touched.before)
        throw UsageError(
            fmt::format("[{}] {} gets no value in {}, and has none before; assign it there, too, "
                        "or declare it with a value{}",
                        m_words.op, touched.cell->name(), branch, placeText(m_where)));
}

void StagedCond::requireAgreement(types::TypeId then, types::TypeId otherwise,
                                  const std::string& what) const {
    if (const auto misfit = findMisfit(then, otherwise, &haveCommonType, what))
        throw UsageError(fmt::format("[{}] {} is {} in {}, but {} in {}; both must agree in structure and "
                                     "dtype{}",
                                     m_words.op, misfit->path, misfit->first, m_words.then, misfit->second,
                                     m_words.otherwise, placeText(m_where)));
}

void StagedCond::requireOutcome() const {
    const bool hasOutcome = !m_thenOutputs.empty() || m_then.effect() >= ir::Effect::Writes ||
                            m_else.effect() >= ir::Effect::Writes;
    if (m_words.isStatement && !hasOutcome)
        throw UsageError(
            fmt::format("[{}] no branch assigns a Local, returns a value or has an effect, so "
                        "nothing comes out of it; a Tensor that is assigned inside stays inside: "
                        "declare it as a Local{}",
                        m_words.op, placeText(m_where)));
}

Value StagedCond::run(ir::NodeId decision, const Branch& then, const Branch& otherwise) {
    traceThen(then);
    traceElse(otherwise);
    requireAgreement(m_thenType, m_elseType, "result");
    for (const AssignedLocal& local : m_locals)
        requireAgreement(local.thenType, local.elseType, local.touched.cell->name());
    requireOutcome();
    std::vector<ir::NodeId> arguments;
    for (const Tensor& tensor : m_lifted)
        arguments.push_back(m_outer.nodeOf(tensor, m_words.op));
    ir::Graph& graph = m_outer.graph();
    graph.setSource(m_where);
    const ir::NodeId node = graph.addCond(decision, std::make_shared<const ir::Graph>(std::move(m_then)),
                                          std::make_shared<const ir::Graph>(std::move(m_else)), arguments);
    const std::vector<Tensor> results = resultsInTrace(m_outer, node);
    std::size_t next = 0;
    Value result = packed(types::commonSupertype(m_thenType, m_elseType), results, next);
    for (const AssignedLocal& local : m_locals)
        local.touched.cell->assign(
            packed(types::commonSupertype(local.thenType, local.elseType), results, next), m_where);
    return result;
}

} // namespace

Value condValue(const Tensor& predicate, const Branch& then, const Branch& otherwise, Where where,
                const CondWords& words) {
    if (Tracer* tracer = Tracer::current())
        return placed(where, [&] {
            return StagedCond(*tracer, words, where)
                .run(tracer->nodeOf(predicate, words.op), then, otherwise);
        });
    if (predicate.isSymbolic() || predicate.isEmpty() || predicate.dtype() != types::DType::Bool ||
        predicate.elements() != 1)
        throw UsageError(fmt::format(
            "[{}] expected a bool scalar as predicate, got {}{}", words.op,
            predicate.isEmpty() ? "an empty tensor" : types::toText(predicate.type()), placeText(where)));
    return predicate.data<bool>()[0] ? then() : otherwise();
}

} // namespace retracescope::trace
