#include <retracescope/engine/trace/gradient_tape.h>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/gradient_sources.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

types::TensorTypeId typeOf(const GradientSource& source) {
    return source.isVariable() ? source.held() : source.tensor().type();
}

/// Targets are tensors: a variable would have to be read.
std::vector<Tensor> targetsIn(const Value& value, Where where) {
    std::vector<Tensor> targets;
    for (const GradientSource& target : sourcesIn(value, "GradientTape.gradient", where)) {
        if (target.isVariable() || !types::isFloating(target.tensor().dtype()))
            throw UsageError(
                fmt::format("[GradientTape.gradient] expected floating tensors as target, got {}{}",
                            target.isVariable() ? "variable '" + target.name() + "'; read it"
                                                : types::toText(target.tensor().type()),
                            placeText(where)));
        if (target.tensor().isSymbolic() && Tracer::current() == nullptr)
            placed(where, [&] { throw Tracer::outOfScope(target.tensor(), "GradientTape.gradient"); });
        targets.push_back(target.tensor());
    }
    return targets;
}

std::vector<Tensor> weightsFor(const std::vector<Tensor>& targets, const std::optional<Value>& given,
                               Where where) {
    std::vector<Tensor> weights(targets.size());
    if (!given)
        return weights;
    const std::vector<GradientSource> all = sourcesIn(*given, "GradientTape.gradient", where);
    if (all.size() != targets.size())
        throw UsageError(fmt::format("[GradientTape.gradient] expected an output gradient for each of {} "
                                     "targets, got {}{}",
                                     targets.size(), all.size(), placeText(where)));
    for (std::size_t i = 0; i < all.size(); ++i) {
        weights[i] = all[i].isVariable() ? all[i].variable().read(where) : all[i].tensor();
        if (types::commonSupertype(weights[i].type(), targets[i].type()) == types::TensorTypeId::None ||
            (weights[i].shape().isKnown() && targets[i].shape().isKnown() &&
             weights[i].type() != targets[i].type()))
            throw UsageError(fmt::format(
                "[GradientTape.gradient] expected the output gradient of target {} as {}, got {}{}", i,
                types::toText(targets[i].type()), types::toText(weights[i].type()), placeText(where)));
    }
    return weights;
}

} // namespace

void GradientTape::requireUnused(Where where) const {
    if (m_isUsed)
        throw UsageError(
            fmt::format("[GradientTape] expected to be used once, was asked a second time; make it with "
                        "TapeOptions{{.persistent = true}} to ask again, or reset() it{}",
                        placeText(where)));
}

void GradientTape::watch(const Value& value, Where where) {
    requireUnused(where);
    for (const GradientSource& source : sourcesIn(value, "GradientTape.watch", where)) {
        if (!types::isFloating(types::dtypeOf(typeOf(source))))
            throw UsageError(fmt::format("[GradientTape.watch] expected a floating tensor, got {}; cast it{}",
                                         types::toText(typeOf(source)), placeText(where)));
        if (source.isVariable())
            m_tape.watch(source.variable());
        else
            m_tape.watch(source.tensor());
    }
}

void GradientTape::reset() {
    m_tape.clear();
    m_isUsed = false;
}

std::vector<Tensor> GradientTape::gradientsOf(const Value& target, std::span<const GradientSource> sources,
                                              const GradientOptions& options, Where where) {
    requireUnused(where);
    const std::vector<Tensor> targets = targetsIn(target, where);
    const std::vector<Tensor> weights = weightsFor(targets, options.outputGradients, where);
    std::vector<Tensor> handles;
    for (const GradientSource& source : sources)
        handles.push_back(source.tensor());
    std::vector<Tensor> gradients = m_tape.gradients(targets, weights, handles, where);
    for (std::size_t i = 0; i < gradients.size(); ++i)
        if (gradients[i].isEmpty() && options.unconnected == Unconnected::Zeros)
            gradients[i] = zerosFor(sources[i], where);
    noteUse();
    return gradients;
}

void GradientTape::noteUse() {
    if (m_options.persistent)
        return;
    m_tape.clear();
    m_isUsed = true;
}

std::vector<Tensor> GradientTape::gradient(const Value& target, std::initializer_list<GradientSource> sources,
                                           const GradientOptions& options, Where where) {
    return gradientsOf(target, std::span(sources.begin(), sources.size()), options, where);
}

Value GradientTape::gradientValue(const Value& target, const Value& sources, const GradientOptions& options,
                                  Where where) {
    const std::vector<GradientSource> all = sourcesIn(sources, "GradientTape.gradient", where);
    const std::vector<Tensor> gradients = gradientsOf(target, all, options, where);
    std::size_t next = 0;
    return mappedSources(sources, "GradientTape.gradient", where,
                         [&](const GradientSource&) { return gradients[next++]; });
}

} // namespace retracescope::trace
