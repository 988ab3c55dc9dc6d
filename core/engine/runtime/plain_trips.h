#pragma once

#include <span>

#include <retracescope/engine/runtime/run_series.h>

namespace retracescope::runtime {

/// The further trips of a loop whose condition and body work on plain memory alone: the carried values lie in
/// two places each in turn, and nothing but pointers changes from trip to trip.
class PlainTrips {
public:
    /// `values` are what condition and body take, after a trip by run(); the first ones are carried, as many
    /// as `spare` has places, whose storage is used where nobody else holds it.
    PlainTrips(RunSeries& condition, RunSeries& body, std::span<tensor::Tensor> values,
               std::span<tensor::Tensor> spare);

    bool arePossible() const;

    /// Until the condition says no; `values` are then the last ones. `decision` is what the condition has
    /// returned before, for it to write to.
    void run(tensor::Tensor& decision);

private:
    static constexpr std::size_t kMostValues = 32;

    RunSeries& m_condition;
    RunSeries& m_body;
    std::span<tensor::Tensor> m_values;
    std::span<tensor::Tensor> m_spare;
};

} // namespace retracescope::runtime
