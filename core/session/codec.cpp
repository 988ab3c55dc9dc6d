#include <retracescope/session/codec.h>

#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <zstd.h>

namespace retracescope::session {

static_assert(std::endian::native == std::endian::little, "columns are copied as they lie in memory");

namespace {

constexpr int kLevel = 1; // higher levels gain nothing

template <class Value>
void differences(std::span<const std::byte> in, std::byte* out) {
    Value previous = 0;
    for (std::size_t at = 0; at < in.size(); at += sizeof(Value)) {
        Value value = 0;
        std::memcpy(&value, in.data() + at, sizeof value);
        const auto difference = static_cast<Value>(value - previous);
        std::memcpy(out + at, &difference, sizeof difference);
        previous = value;
    }
}

template <class Value>
void sums(std::span<std::byte> values) {
    Value sum = 0;
    for (std::size_t at = 0; at < values.size(); at += sizeof(Value)) {
        Value difference = 0;
        std::memcpy(&difference, values.data() + at, sizeof difference);
        sum = static_cast<Value>(sum + difference);
        std::memcpy(values.data() + at, &sum, sizeof sum);
    }
}

/// All first bytes of the values, then all second ones, and so on. Most planes are zero: they are filled.
template <class Value>
void shuffle(std::span<const std::byte> in, std::byte* out) {
    const std::size_t rows = in.size() / sizeof(Value);
    const auto valueAt = [&](std::size_t row) {
        Value value = 0;
        std::memcpy(&value, in.data() + row * sizeof(Value), sizeof value);
        return value;
    };
    Value any = 0;
    for (std::size_t row = 0; row < rows; ++row)
        any |= valueAt(row);
    for (std::size_t byte = 0; byte < sizeof(Value); ++byte, out += rows) {
        if (static_cast<std::uint8_t>(any >> (8 * byte)) == 0) {
            std::memset(out, 0, rows);
            continue;
        }
        for (std::size_t row = 0; row < rows; ++row)
            out[row] = static_cast<std::byte>(valueAt(row) >> (8 * byte));
    }
}

void unshuffle(std::span<const std::byte> in, std::size_t width, std::byte* out) {
    const std::size_t rows = in.size() / width;
    for (std::size_t byte = 0; byte < width; ++byte) {
        for (std::size_t row = 0; row < rows; ++row)
            out[row * width + byte] = in[byte * rows + row];
    }
}

/// Calls `work` with a number of that many bytes.
void ofWidth(std::size_t width, const auto& work) {
    if (width == 8)
        work(std::uint64_t{});
    else if (width == 4)
        work(std::uint32_t{});
    else
        work(std::uint8_t{});
}

void append32(std::vector<std::byte>& out, std::size_t value) {
    for (int shift = 0; shift < 32; shift += 8)
        out.push_back(static_cast<std::byte>(value >> shift));
}

void appendHeader(std::vector<std::byte>& out, Codec codec, std::size_t length) {
    out.push_back(static_cast<std::byte>(codec));
    append32(out, length);
}

} // namespace

struct ColumnEncoder::State {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    std::vector<std::byte> delta;
    std::vector<std::byte> shuffled;
    std::vector<std::byte> packed;

    State() { RETRACESCOPE_CHECK(context != nullptr); }
    ~State() { ZSTD_freeCCtx(context); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    std::span<const std::byte> transform(std::span<const std::byte> values, std::size_t width,
                                         std::uint8_t transforms) {
        if ((transforms & kDelta) != 0) {
            delta.resize(values.size());
            ofWidth(width, [&]<class Value>(Value) { differences<Value>(values, delta.data()); });
            values = delta;
        }
        if ((transforms & kShuffle) != 0) {
            shuffled.resize(values.size());
            ofWidth(width, [&]<class Value>(Value) { shuffle<Value>(values, shuffled.data()); });
            values = shuffled;
        }
        return values;
    }
};

ColumnEncoder::ColumnEncoder() : m_state(std::make_unique<State>()) {}
ColumnEncoder::~ColumnEncoder() = default;

void ColumnEncoder::append(std::span<const std::byte> values, std::size_t width, Codec codec,
                           std::uint8_t transforms, std::vector<std::byte>& out) {
    constexpr std::size_t kNotWorthIt = 64; // a zstd frame alone takes 9 bytes or more
    if (codec == Codec::Zstd && values.size() > kNotWorthIt) {
        const auto prepared = m_state->transform(values, width, transforms);
        m_state->packed.resize(ZSTD_compressBound(prepared.size()));
        const std::size_t size =
            ZSTD_compressCCtx(m_state->context, m_state->packed.data(), m_state->packed.size(),
                              prepared.data(), prepared.size(), kLevel);
        if (!ZSTD_isError(size) && size + 1 < values.size()) {
            appendHeader(out, Codec::Zstd, size + 1);
            out.push_back(static_cast<std::byte>(transforms));
            out.insert(out.end(), m_state->packed.begin(),
                       m_state->packed.begin() + static_cast<std::ptrdiff_t>(size));
            return;
        }
    }
    appendHeader(out, Codec::Raw, values.size());
    out.insert(out.end(), values.begin(), values.end());
}

struct ColumnDecoder::State {
    ZSTD_DCtx* context = ZSTD_createDCtx();
    std::vector<std::byte> unpacked;

    State() { RETRACESCOPE_CHECK(context != nullptr); }
    ~State() { ZSTD_freeDCtx(context); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

ColumnDecoder::ColumnDecoder() : m_state(std::make_unique<State>()) {}
ColumnDecoder::~ColumnDecoder() = default;

Status ColumnDecoder::decode(std::uint8_t codec, std::span<const std::byte> payload, std::size_t width,
                             std::span<std::byte> values) {
    if (codec == static_cast<std::uint8_t>(Codec::Raw)) {
        if (payload.size() != values.size())
            return Error{fmt::format("{} bytes expected, {} found", values.size(), payload.size())};
        if (!values.empty())
            std::memcpy(values.data(), payload.data(), values.size());
        return Done{};
    }
    if (codec != static_cast<std::uint8_t>(Codec::Zstd))
        return Error{fmt::format("codec {} is not known", codec)};
    if (payload.empty())
        return Error{"a compressed column is empty"};
    const auto transforms = static_cast<std::uint8_t>(payload[0]);
    if ((transforms & ~(kDelta | kShuffle)) != 0)
        return Error{fmt::format("transform {} is not known", transforms)};
    const bool shuffled = (transforms & kShuffle) != 0;
    if (shuffled)
        m_state->unpacked.resize(values.size());
    std::byte* target = shuffled ? m_state->unpacked.data() : values.data();
    const std::size_t size =
        ZSTD_decompressDCtx(m_state->context, target, values.size(), payload.data() + 1, payload.size() - 1);
    if (ZSTD_isError(size))
        return Error{fmt::format("zstd: {}", ZSTD_getErrorName(size))};
    if (size != values.size())
        return Error{fmt::format("{} bytes expected, {} came out", values.size(), size)};
    if (shuffled)
        unshuffle(m_state->unpacked, width, values.data());
    if ((transforms & kDelta) != 0)
        ofWidth(width, [&]<class Value>(Value) { sums<Value>(values); });
    return Done{};
}

Result<std::vector<Payload>> splitPayloads(std::span<const std::byte> data, std::size_t columns) {
    constexpr std::size_t kHeader = 5;
    std::vector<Payload> payloads;
    for (std::size_t i = 0; i < columns; ++i) {
        if (data.size() < kHeader)
            return Error{fmt::format("ends before column {} of {}", i + 1, columns)};
        std::uint32_t length = 0;
        std::memcpy(&length, data.data() + 1, sizeof length);
        if (length > data.size() - kHeader)
            return Error{fmt::format("column {} of {} is cut off", i + 1, columns)};
        payloads.push_back({static_cast<std::uint8_t>(data[0]), data.subspan(kHeader, length)});
        data = data.subspan(kHeader + length);
    }
    if (!data.empty())
        return Error{fmt::format("has {} bytes too many", data.size())};
    return payloads;
}

} // namespace retracescope::session
