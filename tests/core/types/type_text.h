#pragma once

#include <string_view>

#include <retracescope/types/trace_type.h>

namespace retracescope::test {

/// Cache keys in a shorthand for tests: "f32[2,?]", "f32*" (unknown rank), "f32[2]:y" (named), "1", "1.5",
/// "true", "none",
/// "'a'", "b'a'", "[..]" list, "(..)" tuple, "{k:..}" dict, "var f32[2]@0" (alias 0), "fixed f32[2]@0" (not
/// trainable), "ds(..)" dataset of such elements, "it(..)" iterator.
types::TypeId type(std::string_view text);

/// The written type of the same text: dicts keep the order of their keys.
types::TypeId writtenType(std::string_view text);

/// The shape and dtype of a tensor in that shorthand.
types::TensorTypeId tensorType(std::string_view text);

} // namespace retracescope::test
