#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <graph_def.pb.h>

/// TensorFlow's values as text.
namespace retracescope::importers {

/// "float32", "bool", "resource"; references end in "_ref".
std::string dtypeText(int dtype);

/// "[2,?]", "[]" for a scalar, "[...]" for an unknown rank.
std::string shapeText(const graph_def::Shape& shape);

/// "float32[2,3]", with the values if they are few: "int32[] = 7".
std::string tensorText(const graph_def::TensorValue& tensor);

/// One line, long values cut.
std::string attributeText(const graph_def::AttributeValue& value);

/// The text of a `bytes` field, what is no UTF-8 replaced.
std::string plainText(std::string_view bytes);

} // namespace retracescope::importers
