#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <retracescope/base/result.h>

/// Columns of fixed-width values as bytes (FORMAT.md 4). Values are little-endian, as on every machine we run
/// on.
namespace retracescope::session {

/// Numbers in the file; never reused.
enum class Codec : std::uint8_t {
    Raw = 0,  ///< the values one after the other
    Zstd = 1, ///< one byte of transforms, then a zstd frame
};

/// Bits of the byte that starts a Codec::Zstd column, in the order in which the writer applies them.
inline constexpr std::uint8_t kDelta = 1;   ///< each value less the one before, wrapping
inline constexpr std::uint8_t kShuffle = 2; ///< all first bytes, then all second bytes, ...

/// One encoded column without its header.
struct Payload {
    std::uint8_t codec = 0;
    std::span<const std::byte> bytes;
};

/// Splits what ColumnEncoder::append() wrote `columns` times.
Result<std::vector<Payload>> splitPayloads(std::span<const std::byte> data, std::size_t columns);

/// Encodes columns; holds the compressor's memory between calls. One per thread.
class ColumnEncoder {
public:
    ColumnEncoder();
    ~ColumnEncoder();
    ColumnEncoder(const ColumnEncoder&) = delete;
    ColumnEncoder& operator=(const ColumnEncoder&) = delete;

    /// Appends codec number, length (32 bit) and payload to `out`. `width` is 1, 4 or 8 bytes a value;
    /// `transforms` as above. Chooses Codec::Raw where compression would not make it smaller, or if `codec`
    /// says so.
    void append(std::span<const std::byte> values, std::size_t width, Codec codec, std::uint8_t transforms,
                std::vector<std::byte>& out);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Decodes columns; holds the decompressor's memory between calls. One per thread.
class ColumnDecoder {
public:
    ColumnDecoder();
    ~ColumnDecoder();
    ColumnDecoder(const ColumnDecoder&) = delete;
    ColumnDecoder& operator=(const ColumnDecoder&) = delete;

    /// Fills `values`, whose size says how many bytes must come out. Never reads or writes beyond its two
    /// spans.
    Status decode(std::uint8_t codec, std::span<const std::byte> payload, std::size_t width,
                  std::span<std::byte> values);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace retracescope::session
