#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace retracescope::importers {

/// Binary files that have no magic number, told apart by the shape of their fields.
enum class ProtoKind : std::uint8_t {
    None, ///< no protobuf message
    Unknown,
    EventFile, ///< TensorBoard records, told by the checksum of the first length
    XSpace,
    SavedModel,
    Onnx,
    OnnxWithoutGraph,
    Hlo,
    ProfilerTrace,
    GraphDef,
};

/// `problem` says where the bytes break as a message if the answer is None.
ProtoKind protoKind(std::string_view bytes, std::string& problem);

} // namespace retracescope::importers
