#include "tests/bench/peer_inputs.h"

#include <cmath>
#include <numeric>

namespace bench {

std::vector<float> values(std::int64_t count, int seed, float scale) {
    std::vector<float> result(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double x = static_cast<double>(i) * 0.6180339887498949 + seed * 0.3717;
        result[i] = static_cast<float>(x - std::floor(x) - 0.5) * scale;
    }
    return result;
}

rs::Tensor input(const rs::Shape& shape, int seed, float scale) {
    return rs::constant(values(*shape.elementCount(), seed, scale), shape);
}

rs::Tensor permuted(const std::vector<float>& x, const std::vector<std::int64_t>& sizes,
                    const std::vector<std::size_t>& order) {
    std::vector<std::int64_t> newSizes;
    std::vector<std::size_t> steps; // in x, per new axis
    for (const std::size_t axis : order) {
        newSizes.push_back(sizes[axis]);
        std::size_t step = 1;
        for (std::size_t inner = axis + 1; inner < sizes.size(); ++inner)
            step *= static_cast<std::size_t>(sizes[inner]);
        steps.push_back(step);
    }
    std::vector<float> result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::size_t rest = i;
        std::size_t from = 0;
        for (std::size_t axis = order.size(); axis-- > 0;) {
            const auto size = static_cast<std::size_t>(newSizes[axis]);
            from += rest % size * steps[axis];
            rest /= size;
        }
        result[i] = x[from];
    }
    return rs::constant(result, rs::Shape(newSizes));
}

double check(const rs::Tensor& result) {
    const std::span<const float> all = result.data<float>();
    double sum = 0;
    for (const float each : all)
        sum += std::abs(static_cast<double>(each));
    return sum / static_cast<double>(all.size());
}

std::vector<std::size_t> callOrder(std::size_t count, bool random) {
    std::vector<std::size_t> order(random ? 8192 : count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::uint32_t state = 12345;
    for (std::size_t& next : order) {
        if (!random)
            break;
        state = state * 1664525u + 1013904223u;
        next = (state >> 8) % static_cast<std::uint32_t>(count);
    }
    return order;
}

} // namespace bench
