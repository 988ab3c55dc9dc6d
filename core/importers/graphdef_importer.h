#pragma once

#include <retracescope/importers/importer.h>

namespace retracescope::importers {

/// True if the bytes are a GraphDef and none of the formats that also parse as one.
bool acceptsGraphDef(const Peek& peek);

/// TensorFlow's binary GraphDef with its function library. Traces that the library holds of one Python
/// function
/// (`__inference_<name>_<number>`) become entries of one session function.
Result<session::Session> readGraphDef(const Peek& peek, const Job& job);

} // namespace retracescope::importers
