#include <retracescope/engine/trace/deferred.h>

#include <fmt/format.h>

#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

Tensor DeferredCapture::now(std::string_view function) const {
    Tensor result = value();
    if (result.isEmpty() || !types::isSubtype(result.type(), type))
        throw UsageError(fmt::format("[{}] deferred capture '{}': expected {}, got {}", function, name,
                                     types::toText(type),
                                     result.isEmpty() ? "nothing" : types::toText(result.type())));
    return result;
}

Tensor deferred(const TensorSpec& spec, std::function<Tensor()> value, Where where) {
    const DeferredCapture capture{types::tensorType(spec.dtype, spec.shape),
                                  spec.name.empty() ? "deferred" : spec.name, std::move(value)};
    Tracer* const tracer = Tracer::current();
    return placed(where,
                  [&] { return tracer == nullptr ? capture.now("deferred") : tracer->addDeferred(capture); });
}

} // namespace retracescope::trace
