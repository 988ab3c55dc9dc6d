#include <retracescope/engine/trace/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include <retracescope/engine/trace/array_ops.h>
#include <retracescope/engine/trace/composed.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

using ir::Attribute;
using ir::Attributes;
using ir::Op;
using types::DType;
using types::Shape;

Tensor bits(const Extent& extent, const Tensor& seed, DType dtype) {
    return apply(Op::RandomBits, std::array{extent.sizes(), seed},
                 Attributes().set(Attribute::DType, static_cast<std::int64_t>(dtype)), extent.where());
}

/// What every op here is given.
void requireDraw(const char* op, const Extent& extent, const Tensor& seed) {
    const Where where = extent.where();
    requireTensor(op, extent.sizes(), where);
    requireTensor(op, seed, where);
    if (!isIndex(extent.sizes().dtype()) || !mayAgree(extent.sizes().shape(), {Shape::kUnknown}))
        refuse(op, "expected sizes as an int32 or int64 vector, got " + types::toText(extent.sizes().type()),
               where);
    if (!isIndex(seed.dtype()) || !mayAgree(seed.shape(), {2}))
        refuse(op, "expected a seed int32[2] or int64[2], got " + types::toText(seed.type()), where);
}

void requireFloating(const char* op, DType dtype, Where where) {
    if (dtype != DType::Float32 && dtype != DType::Float64)
        refuse(op, fmt::format("expected float32 or float64, got {}", types::dtypeName(dtype)), where);
}

/// From 0 to below 1: as many of the bits as the dtype holds exactly.
Tensor unitUniform(const Extent& extent, const Tensor& seed, DType dtype) {
    const Where where = extent.where();
    const bool isDouble = dtype == DType::Float64;
    const Tensor whole = bits(extent, seed, isDouble ? DType::UInt64 : DType::UInt32);
    const int kept = isDouble ? 53 : 24;
    const int dropped = isDouble ? 11 : 8;
    const Operand high(floorDiv(Operand(whole, where), Operand(1 << dropped, where)), where);
    return multiply(Operand(cast(high, dtype), where), Operand(std::ldexp(1.0, -kept), where));
}

Tensor scaled(const Tensor& x, double factor, double offset, Where where) {
    return add(Operand(multiply(Operand(x, where), Operand(factor, where)), where), Operand(offset, where));
}

/// The sum of coefficients times powers of x, the highest power first.
Tensor polynomial(const Tensor& x, std::initializer_list<double> coefficients, Where where) {
    Tensor sum;
    for (const double coefficient : coefficients) {
        const Tensor higher =
            sum.isEmpty() ? zerosLike(x, where) : multiply(Operand(sum, where), Operand(x, where));
        sum = add(Operand(higher, where), Operand(coefficient, where));
    }
    return sum;
}

/// x of which `p`, between 0 and 1, is the share of a normal distribution below it: a first guess from the
/// logarithm (Abramowitz and Stegun 26.2.23), then three steps of Newton's way on the distribution itself.
Tensor normalQuantile(const Tensor& p, Where where) {
    const auto at = [where](const Tensor& x) { return Operand(x, where); }; // on the caller's line
    const double rootOfHalf = std::sqrt(0.5);
    const double slopeFactor = std::sqrt(2 * std::acos(-1.0)); // sqrt(2 pi)
    const Tensor isLow = at(p) < 0.5;
    const Tensor tail = select(at(isLow), p, Operand(1.0, where) - p);
    const Tensor t = sqrt(at(at(log(at(tail))) * -2.0));
    const Tensor above = polynomial(t, {0.010328, 0.802853, 2.515517}, where);
    const Tensor below = polynomial(t, {0.001308, 0.189269, 1.432788, 1.0}, where);
    const Tensor guess = at(t) - at(above) / below;
    Tensor x = select(at(isLow), -at(guess), guess);
    for (int step = 0; step < 3; ++step) {
        const Tensor share = at(at(erf(at(at(x) * rootOfHalf))) + 1.0) * 0.5;
        const Tensor density = exp(at(at(square(at(x))) * 0.5));
        const Tensor distance = at(at(share) - p) * slopeFactor;
        x = at(x) - at(distance) * density;
    }
    return x;
}

/// Two uniform numbers make a normal one (Box and Muller).
Tensor standardNormal(const Extent& extent, const Tensor& seed, DType dtype) {
    const Where where = extent.where();
    const auto at = [where](const Tensor& x) { return Operand(x, where); };
    const Tensor sizes = cast(at(extent.sizes()), DType::Int64);
    const Extent both(concat({constant({std::int64_t{2}}, where), sizes}, 0, where), where);
    const Tensor pair = unitUniform(both, seed, dtype);
    const Tensor first = stridedSlice(pair, {0}, where);
    const Tensor second = stridedSlice(pair, {1}, where);
    const double turn = 2 * std::acos(-1.0);
    const Tensor radius = sqrt(at(at(log1p(at(-at(first)))) * -2.0)); // 1 - first is never 0
    return at(radius) * cos(at(at(second) * turn));
}

bool holds(DType dtype, std::int64_t value) {
    const int bitsOfValue = static_cast<int>(types::dtypeBytes(dtype)) * 8;
    const bool isSigned = dtype >= DType::Int8 && dtype <= DType::Int64;
    if (!types::isInteger(dtype))
        return false;
    if (!isSigned)
        return value >= 0 && (bitsOfValue == 64 || value < (std::int64_t{1} << bitsOfValue));
    return bitsOfValue == 64 || (value >= -(std::int64_t{1} << (bitsOfValue - 1)) &&
                                 value < (std::int64_t{1} << (bitsOfValue - 1)));
}

// Each told by the op that was called.

Tensor uniformBy(const char* op, const Extent& extent, const Tensor& seed, double low, double high,
                 DType dtype) {
    requireFloating(op, dtype, extent.where());
    requireDraw(op, extent, seed);
    return composed(op, [&] {
        const Tensor unit = unitUniform(extent, seed, dtype);
        return low == 0 && high == 1 ? unit : scaled(unit, high - low, low, extent.where());
    });
}

Tensor normalBy(const char* op, const Extent& extent, const Tensor& seed, double mean, double deviation,
                DType dtype) {
    requireFloating(op, dtype, extent.where());
    requireDraw(op, extent, seed);
    return composed(
        op, [&] { return scaled(standardNormal(extent, seed, dtype), deviation, mean, extent.where()); });
}

Tensor truncatedNormalBy(const char* op, const Extent& extent, const Tensor& seed, double mean,
                         double deviation, DType dtype) {
    const Where where = extent.where();
    requireFloating(op, dtype, where);
    requireDraw(op, extent, seed);
    return composed(op, [&] {
        const double below = 0.5 * std::erfc(std::sqrt(2.0)); // the share more than two deviations below
        const Tensor unit = unitUniform(extent, seed, dtype);
        const Tensor quantile = normalQuantile(scaled(unit, 1 - 2 * below, below, where), where);
        const Tensor notAbove =
            minimum(Operand(quantile, where), Operand(2.0, where)); // rounding may lead beyond
        const Tensor inside = maximum(Operand(notAbove, where), Operand(-2.0, where));
        return scaled(inside, deviation, mean, where);
    });
}

Tensor integersBy(const char* op, const Extent& extent, const Tensor& seed, std::int64_t low,
                  std::int64_t high, DType dtype) {
    const Where where = extent.where();
    if (low >= high || !holds(dtype, low) || !holds(dtype, high - 1))
        refuse(op,
               fmt::format("expected a range with elements that {} holds, got {} to below {}",
                           types::dtypeName(dtype), low, high),
               where);
    requireDraw(op, extent, seed);
    return composed(op, [&] {
        const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
        const Tensor rest =
            mod(Operand(bits(extent, seed, DType::UInt64), where), Operand(constant(width, where), where));
        const Tensor wide = cast(Operand(rest, where), DType::Int64);
        const Tensor number = add(Operand(wide, where), Operand(constant(low, where), where));
        return cast(Operand(number, where), dtype);
    });
}

Tensor shuffleBy(const char* op, const Tensor& x, const Tensor& seed, Where where) {
    requireTensor(op, x, where);
    if (x.shape().hasRank() && x.shape().rank() == 0)
        refuse(op, "expected at least one axis, got " + types::toText(x.type()), where);
    const Tensor length = slice(shapeOf(x, where), {0}, {1}, where);
    const Extent extent(length, where);
    requireDraw(op, extent, seed);
    const Tensor keys = bits(extent, seed, DType::UInt64);
    return gather(x, Operand(argSort(keys, false, -1, where), where));
}

/// Before a number is drawn.
void requireDropout(const char* op, const Tensor& x, double rate, Where where) {
    requireTensor(op, x, where);
    requireFloating(op, x.dtype(), where);
    if (!(rate >= 0 && rate < 1))
        refuse(op, fmt::format("expected a rate from 0 to below 1, got {}", rate), where);
}

Tensor dropoutBy(const char* op, const Tensor& x, double rate, const Tensor& seed, Where where) {
    requireDropout(op, x, rate, where);
    const Extent extent(shapeOf(x, where), where);
    requireDraw(op, extent, seed);
    const Tensor chance = unitUniform(extent, seed, x.dtype());
    const Tensor kept = multiply(Operand(x, where), Operand(1 / (1 - rate), where));
    return select(Operand(less(Operand(chance, where), Operand(rate, where)), where),
                  Operand(zerosLike(x, where), where), Operand(kept, where));
}

} // namespace

Extent::Extent(std::initializer_list<std::int64_t> sizes, Where where)
    : m_sizes(embedded(tensor::constant(std::span(sizes.begin(), sizes.size()),
                                        Shape{static_cast<std::int64_t>(sizes.size())}),
                       where)),
      m_where(where) {
    if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; }))
        refuse("Extent", fmt::format("expected sizes from 0 on, got [{}]", fmt::join(sizes, ",")), where);
}

Extent::Extent(const Shape& shape, Where where) : m_where(where) {
    if (!shape.isKnown())
        refuse("Extent", "expected a shape whose sizes are known, got " + types::toText(shape), where);
    m_sizes = embedded(tensor::constant(shape.sizes(), Shape{shape.rank()}), where);
}

Tensor statelessUniform(const Extent& extent, const Tensor& seed, double low, double high, DType dtype) {
    return uniformBy("stateless_uniform", extent, seed, low, high, dtype);
}

Tensor statelessNormal(const Extent& extent, const Tensor& seed, double mean, double deviation, DType dtype) {
    return normalBy("stateless_normal", extent, seed, mean, deviation, dtype);
}

Tensor statelessTruncatedNormal(const Extent& extent, const Tensor& seed, double mean, double deviation,
                                DType dtype) {
    return truncatedNormalBy("stateless_truncated_normal", extent, seed, mean, deviation, dtype);
}

Tensor statelessIntegers(const Extent& extent, const Tensor& seed, std::int64_t low, std::int64_t high,
                         DType dtype) {
    return integersBy("stateless_integers", extent, seed, low, high, dtype);
}

Tensor statelessShuffle(const Tensor& x, const Tensor& seed, Where where) {
    return shuffleBy("stateless_shuffle", x, seed, where);
}

Tensor statelessDropout(const Tensor& x, double rate, const Tensor& seed, Where where) {
    return dropoutBy("stateless_dropout", x, rate, seed, where);
}

Generator::Generator(std::int64_t seed, Where where)
    : m_state(Operand(constant({seed, std::int64_t{0}}, where), where),
              {.name = "generator", .trainable = false}) {}

Tensor Generator::nextSeed(Where where) const {
    const Tensor seed = m_state.read(where);
    m_state.assignAdd(Operand(constant({std::int64_t{0}, std::int64_t{1}}, where), where));
    return seed;
}

void Generator::reset(std::int64_t seed, Where where) const {
    m_state.assign(Operand(constant({seed, std::int64_t{0}}, where), where));
}

Tensor Generator::uniform(const Extent& extent, double low, double high, DType dtype) const {
    return uniformBy("random_uniform", extent, nextSeed(extent.where()), low, high, dtype);
}

Tensor Generator::normal(const Extent& extent, double mean, double deviation, DType dtype) const {
    return normalBy("random_normal", extent, nextSeed(extent.where()), mean, deviation, dtype);
}

Tensor Generator::truncatedNormal(const Extent& extent, double mean, double deviation, DType dtype) const {
    return truncatedNormalBy("random_truncated_normal", extent, nextSeed(extent.where()), mean, deviation,
                             dtype);
}

Tensor Generator::integers(const Extent& extent, std::int64_t low, std::int64_t high, DType dtype) const {
    return integersBy("random_integers", extent, nextSeed(extent.where()), low, high, dtype);
}

Tensor Generator::shuffle(const Tensor& x, Where where) const {
    return shuffleBy("random_shuffle", x, nextSeed(where), where);
}

Tensor Generator::dropout(const Tensor& x, double rate, Where where) const {
    requireDropout("dropout", x, rate, where);
    return dropoutBy("dropout", x, rate, nextSeed(where), where);
}

void setSeed(std::int64_t seed, Where where) {
    defaultGenerator().reset(seed, where);
}

const Generator& defaultGenerator() {
    static const auto* one = [] { // traced functions of static life may draw late
        const EagerScope outside; // made by no trace
        std::random_device device;
        return new Generator(static_cast<std::int64_t>(device()));
    }();
    return *one;
}

Tensor randomUniform(const Extent& extent, double low, double high, DType dtype) {
    return defaultGenerator().uniform(extent, low, high, dtype);
}

Tensor randomNormal(const Extent& extent, double mean, double deviation, DType dtype) {
    return defaultGenerator().normal(extent, mean, deviation, dtype);
}

Tensor randomTruncatedNormal(const Extent& extent, double mean, double deviation, DType dtype) {
    return defaultGenerator().truncatedNormal(extent, mean, deviation, dtype);
}

Tensor randomIntegers(const Extent& extent, std::int64_t low, std::int64_t high, DType dtype) {
    return defaultGenerator().integers(extent, low, high, dtype);
}

Tensor randomShuffle(const Tensor& x, Where where) {
    return defaultGenerator().shuffle(x, where);
}

Tensor dropout(const Tensor& x, double rate, Where where) {
    return defaultGenerator().dropout(x, rate, where);
}

} // namespace retracescope::trace
