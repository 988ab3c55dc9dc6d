#include <retracescope/engine/nn/initialiser.h>

#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include <retracescope/engine/trace/random.h>

namespace retracescope::nn {

namespace {

using types::DType;
using types::Shape;

/// How many numbers one output is made of, and how many outputs one number is for.
struct Fans {
    double inputs = 1;
    double outputs = 1;
};

Fans fansOf(const Shape& shape) {
    const int rank = shape.rank();
    if (rank == 0)
        return {};
    if (rank == 1)
        return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
    double places = 1;
    for (int axis = 0; axis < rank - 2; ++axis)
        places *= static_cast<double>(shape[axis]);
    return {places * static_cast<double>(shape[rank - 2]), places * static_cast<double>(shape[rank - 1])};
}

Tensor seedTensor(std::int64_t seed, Where where) {
    return trace::constant({seed, std::int64_t{0}}, where);
}

} // namespace

Initialiser::Initialiser(Rule rule)
    : m_rule([rule = std::move(rule)](const Shape& shape, DType dtype, Where /*where*/) {
          return rule(shape, dtype);
      }) {}

Initialiser Initialiser::constant(double value) {
    return Initialiser([value](const Shape& shape, DType dtype, Where where) {
        return trace::cast({trace::filled(value, shape, where), where}, dtype);
    });
}

Initialiser Initialiser::randomUniform(double low, double high, Seed seed) {
    return Initialiser([=, number = seed ? *seed : nextSeed()](const Shape& shape, DType dtype, Where where) {
        return trace::statelessUniform({shape, where}, seedTensor(number, where), low, high, dtype);
    });
}

Initialiser Initialiser::randomNormal(double mean, double deviation, Seed seed) {
    return Initialiser([=, number = seed ? *seed : nextSeed()](const Shape& shape, DType dtype, Where where) {
        return trace::statelessNormal({shape, where}, seedTensor(number, where), mean, deviation, dtype);
    });
}

Initialiser Initialiser::glorotUniform(Seed seed) {
    return Initialiser([number = seed ? *seed : nextSeed()](const Shape& shape, DType dtype, Where where) {
        const Fans fans = fansOf(shape);
        const double limit = std::sqrt(6 / (fans.inputs + fans.outputs));
        return trace::statelessUniform({shape, where}, seedTensor(number, where), -limit, limit, dtype);
    });
}

Initialiser Initialiser::heNormal(Seed seed) {
    return Initialiser([number = seed ? *seed : nextSeed()](const Shape& shape, DType dtype, Where where) {
        constexpr double kDeviationLeft = 0.87962566103423978; // of a normal one cut off at two deviations
        const double deviation = std::sqrt(2 / fansOf(shape).inputs) / kDeviationLeft;
        return trace::statelessTruncatedNormal({shape, where}, seedTensor(number, where), 0, deviation,
                                               dtype);
    });
}

Tensor Initialiser::operator()(const Shape& shape, DType dtype, Where where) const {
    const types::TensorTypeId wanted = types::tensorType(dtype, shape);
    const auto refuse = [&](const std::string& got) {
        trace::refuse("initialiser", fmt::format("expected {}, got {}", types::toText(wanted), got), where);
    };
    if (!shape.isKnown())
        trace::refuse("initialiser",
                      fmt::format("expected a shape known in full, got {}", types::toText(shape)), where);
    const Tensor made = m_rule(shape, dtype, where);
    if (made.isEmpty())
        refuse("an empty tensor");
    if (made.type() != wanted)
        refuse(types::toText(made.type()));
    return made;
}

std::int64_t nextSeed() {
    static std::atomic<std::int64_t> last{0};
    return ++last;
}

} // namespace retracescope::nn
