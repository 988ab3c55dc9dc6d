#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace retracescope::record {

/// Where a recorder stood when it last wrote to its session: what its ring file holds behind that is not in
/// the session yet. Written with each flush into the session itself, so that both change together.
struct RecorderNote {
    struct Ring {
        std::uint32_t thread = 0;
        std::uint64_t position = 0; ///< in records
    };
    struct OpenTrace {
        std::uint32_t thread = 0;
        std::uint32_t function = 0; ///< rows of the session, Id<void>::kNone for none
        std::uint32_t miss = 0;
        std::uint32_t entry = 0;
        std::uint64_t begin = 0;      ///< ticks
        std::uint64_t innerTicks = 0; ///< of finished traces inside it
    };

    std::uint64_t recording = 0; ///< RingFileHeader::recording
    std::uint64_t journal = 0;   ///< position in bytes
    std::vector<Ring> rings;
    std::vector<OpenTrace> open; ///< of each thread the outermost first

    std::string text() const;
    static std::optional<RecorderNote> from(std::string_view text);
};

} // namespace retracescope::record
