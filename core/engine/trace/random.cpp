#include <retracescope/engine/trace/random.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/engine/trace/array_ops.h>
#include <retracescope/engine/trace/tracer.h>

namespace retracescope::trace {

namespace {

using ir::Attribute;
using ir::Attributes;
using ir::Op;
using types::DType;

Tensor bits(const Extent& extent, const Tensor& seed, DType dtype) {
    return apply(Op::RandomBits, std::array{extent.sizes(), seed},
                 Attributes().set(Attribute::DType, static_cast<std::int64_t>(dtype)), extent.where());
}

/// From 0 to below 1: as many of the bits as the dtype holds exactly.
Tensor unitUniform(const char* op, const Extent& extent, const Tensor& seed, DType dtype) {
    const Where where = extent.where();
    if (dtype != DType::Float32 && dtype != DType::Float64)
        refuse(op, fmt::format("expected float32 or float64, got {}", types::dtypeName(dtype)), where);
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
Tensor polynomial(const Tensor& x, std::initializer_list<double> coefficients) {
    Tensor sum;
    for (const double coefficient : coefficients)
        sum = sum.isEmpty() ? Tensor(zerosLike(x) + coefficient) : Tensor(sum * x + coefficient);
    return sum;
}

/// x of which `p`, between 0 and 1, is the share of a normal distribution below it: a first guess from the
/// logarithm (Abramowitz and Stegun 26.2.23), then three steps of Newton's way on the distribution itself.
Tensor normalQuantile(const Tensor& p) {
    const double rootOfHalf = std::sqrt(0.5);
    const double slopeFactor = std::sqrt(2 * std::acos(-1.0)); // sqrt(2 pi)
    const Tensor isLow = p < 0.5;
    const Tensor tail = select(isLow, p, 1.0 - p);
    const Tensor t = sqrt(log(tail) * -2.0);
    const Tensor guess = t - polynomial(t, {0.010328, 0.802853, 2.515517}) /
                                 polynomial(t, {0.001308, 0.189269, 1.432788, 1.0});
    Tensor x = select(isLow, -guess, guess);
    for (int step = 0; step < 3; ++step) {
        const Tensor share = (erf(x * rootOfHalf) + 1.0) * 0.5;
        x = x - (share - p) * slopeFactor * exp(square(x) * 0.5);
    }
    return x;
}

/// Two uniform numbers make a normal one (Box and Muller).
Tensor standardNormal(const char* op, const Extent& extent, const Tensor& seed, DType dtype) {
    const Where where = extent.where();
    const Tensor sizes = cast(Operand(extent.sizes(), where), DType::Int64);
    const Extent both(concat({constant({std::int64_t{2}}, where), sizes}, 0, where), where);
    const Tensor pair = unitUniform(op, both, seed, dtype);
    const Tensor first = stridedSlice(pair, {0}, where);
    const Tensor second = stridedSlice(pair, {1}, where);
    const double turn = 2 * std::acos(-1.0);
    return sqrt(log1p(-first) * -2.0) * cos(second * turn); // 1 - first is never 0
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

void requireRate(double rate, Where where) {
    if (!(rate >= 0 && rate < 1))
        refuse("dropout", fmt::format("expected a rate from 0 to below 1, got {}", rate), where);
}

} // namespace

Extent::Extent(std::initializer_list<std::int64_t> sizes, Where where)
    : m_sizes(embedded(tensor::constant(std::span(sizes.begin(), sizes.size()),
                                        types::Shape{static_cast<std::int64_t>(sizes.size())}),
                       where)),
      m_where(where) {}

Extent::Extent(const types::Shape& shape, Where where) : m_where(where) {
    tensor::requireKnown(shape);
    m_sizes = embedded(tensor::constant(shape.sizes(), types::Shape{shape.rank()}), where);
}

Tensor statelessUniform(const Extent& extent, const Tensor& seed, double low, double high, DType dtype) {
    const Tensor unit = unitUniform("random_uniform", extent, seed, dtype);
    return low == 0 && high == 1 ? unit : scaled(unit, high - low, low, extent.where());
}

Tensor statelessNormal(const Extent& extent, const Tensor& seed, double mean, double deviation, DType dtype) {
    return scaled(standardNormal("random_normal", extent, seed, dtype), deviation, mean, extent.where());
}

Tensor statelessTruncatedNormal(const Extent& extent, const Tensor& seed, double mean, double deviation,
                                DType dtype) {
    const double below = 0.5 * std::erfc(std::sqrt(2.0)); // the share more than two deviations below the mean
    const Tensor unit = unitUniform("random_truncated_normal", extent, seed, dtype);
    const Tensor quantile = normalQuantile(unit * (1 - 2 * below) + below);
    const Tensor inside = maximum(minimum(quantile, 2.0), -2.0); // rounding may lead beyond
    return scaled(inside, deviation, mean, extent.where());
}

Tensor statelessIntegers(const Extent& extent, const Tensor& seed, std::int64_t low, std::int64_t high,
                         DType dtype) {
    const Where where = extent.where();
    if (low >= high || !holds(dtype, low) || !holds(dtype, high - 1))
        refuse("random_integers",
               fmt::format("expected a range with elements that {} holds, got {} to below {}",
                           types::dtypeName(dtype), low, high),
               where);
    const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const Tensor rest =
        mod(Operand(bits(extent, seed, DType::UInt64), where), Operand(constant(width, where), where));
    const Tensor number = cast(Operand(rest, where), DType::Int64) + constant(low, where);
    return cast(Operand(number, where), dtype);
}

Tensor statelessShuffle(const Tensor& x, const Tensor& seed, Where where) {
    const Tensor length = slice(shapeOf(x, where), {0}, {1}, where);
    const Tensor keys = bits(Extent(length, where), seed, DType::UInt64);
    return gather(x, Operand(argSort(keys, false, -1, where), where));
}

Tensor statelessDropout(const Tensor& x, double rate, const Tensor& seed, Where where) {
    requireRate(rate, where);
    const Tensor chance = unitUniform("dropout", Extent(shapeOf(x, where), where), seed, x.dtype());
    const Tensor kept = multiply(Operand(x, where), Operand(1 / (1 - rate), where));
    return select(Operand(less(Operand(chance, where), Operand(rate, where)), where),
                  Operand(zerosLike(x, where), where), Operand(kept, where));
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
    return statelessUniform(extent, nextSeed(extent.where()), low, high, dtype);
}

Tensor Generator::normal(const Extent& extent, double mean, double deviation, DType dtype) const {
    return statelessNormal(extent, nextSeed(extent.where()), mean, deviation, dtype);
}

Tensor Generator::truncatedNormal(const Extent& extent, double mean, double deviation, DType dtype) const {
    return statelessTruncatedNormal(extent, nextSeed(extent.where()), mean, deviation, dtype);
}

Tensor Generator::integers(const Extent& extent, std::int64_t low, std::int64_t high, DType dtype) const {
    return statelessIntegers(extent, nextSeed(extent.where()), low, high, dtype);
}

Tensor Generator::shuffle(const Tensor& x, Where where) const {
    return statelessShuffle(x, nextSeed(where), where);
}

Tensor Generator::dropout(const Tensor& x, double rate, Where where) const {
    requireRate(rate, where); // before a number is drawn
    return statelessDropout(x, rate, nextSeed(where), where);
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
