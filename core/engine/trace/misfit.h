#pragma once

#include <optional>
#include <string>

#include <retracescope/types/trace_type.h>

namespace retracescope::trace {

/// Where two structures of tensors do not go together, and what stands there in each.
struct Misfit {
    std::string path;  ///< "result[1]['k']"
    std::string first; ///< "float32[2]", or "nothing" for None
    std::string second;
    bool isOfShape = false; ///< tensors of one dtype
};

/// The first place, in flattening order, at which `fits` is false; none if it is true of the whole. Follows
/// the two only as long as they have the same structure. `path` names the whole.
std::optional<Misfit> findMisfit(types::TypeId first, types::TypeId second,
                                 bool (*fits)(types::TypeId, types::TypeId), const std::string& path);

} // namespace retracescope::trace
