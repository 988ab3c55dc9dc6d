#pragma once

#include <optional>
#include <string_view>

#include <retracescope/engine/trace/value.h>

namespace retracescope::oracle {

/// The structure of a data set's elements as Python shows it: "TensorSpec(shape=(None, 2), dtype=tf.int64,
/// name=None)", tuples "(..., ...)" and dicts "{'x': ...}" of them. None for any other text.
std::optional<trace::Value> elementSpecFrom(std::string_view text);

} // namespace retracescope::oracle
