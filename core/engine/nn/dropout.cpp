#include <retracescope/engine/nn/dropout.h>

#include <fmt/format.h>

#include <retracescope/engine/trace/control_flow.h>

namespace retracescope::nn {

Dropout::Dropout(double rate, Initialiser::Seed seed, Where where)
    : m_rate(rate), m_generator(seed ? *seed : nextSeed(), where) {
    if (!(rate >= 0 && rate < 1))
        trace::refuse("Dropout", fmt::format("expected a rate from 0 to below 1, got {}", rate), where);
}

Tensor Dropout::operator()(const Tensor& x, bool training, Where where) const {
    return training && m_rate > 0 ? m_generator.dropout(x, m_rate, where) : x;
}

Tensor Dropout::operator()(const Tensor& x, const Tensor& training, Where where) const {
    return trace::cond(
        training, [&] { return (*this)(x, true, where); },
        [&] {
            return trace::identity({x, where});
        },
        where);
}

} // namespace retracescope::nn
