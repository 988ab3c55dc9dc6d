#pragma once

#include <retracescope/importers/importer.h>

namespace retracescope::importers {

/// Any JSON: the file is a Chrome trace or will be refused by its name.
bool acceptsJson(const Peek& peek);

/// Chrome trace event JSON, array or object form, also cut off; PyTorch's (Kineto) and TensorFlow's are such.
Result<session::Session> readChrome(const Peek& peek, const Job& job);

} // namespace retracescope::importers
