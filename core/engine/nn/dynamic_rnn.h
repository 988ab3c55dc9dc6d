#pragma once

#include <vector>

#include <retracescope/engine/nn/recurrent_cell.h>

namespace retracescope::nn {

struct RnnOptions {
    /// int32 or int64 [batch]: how many steps of each row count. All if empty.
    Tensor lengths = {};
    /// Zeros if empty.
    RecurrentCell::State initialState = {};
};

struct RnnResult {
    Tensor outputs;             ///< [batch, time, units], zeros behind the end of a row
    RecurrentCell::State state; ///< after the last step of each row that counts
};

/// A cell over sequences x, [batch, time, features]: one loop over time, staged inside a traced function,
/// whose graph then serves any number of steps that its signature allows. Throws UsageError for what does not
/// fit.
///
///     const nn::LSTMCell cell(16);
///     rs::Function encode("encode", {"x", "lengths"}, [&](rs::Tensor x, rs::Tensor lengths) {
///         return nn::dynamicRnn(cell, x, {.lengths = lengths}).outputs;
///     });
RnnResult dynamicRnn(const RecurrentCell& cell, const Tensor& x, const RnnOptions& options = {},
                     Where where = Where::current());

} // namespace retracescope::nn
