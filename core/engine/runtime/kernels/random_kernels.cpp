#include <array>

#include <retracescope/engine/runtime/kernels/choice.h>

namespace retracescope::runtime {

namespace {

using Block = std::array<std::uint32_t, 4>;

/// Philox 4x32 with ten rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3,
/// 2011).
Block philox(Block counter, std::uint64_t key) {
    auto low = static_cast<std::uint32_t>(key);
    auto high = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ low, static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ high, static_cast<std::uint32_t>(a)};
        low += 0x9E3779B9;
        high += 0xBB67AE85;
    }
    return counter;
}

/// The seed's first number is the key, its second the upper half of the counter; the lower half counts
/// blocks.
template <class Seed>
void runRandomBits(const Command& command, Frame& frame) {
    auto* out = reinterpret_cast<std::uint32_t*>(frame.pointers[command.output]);
    const auto* seed = reinterpret_cast<const Seed*>(frame.pointers[command.b]);
    const auto key = static_cast<std::uint64_t>(seed[0]);
    const auto stream = static_cast<std::uint64_t>(seed[1]);
    for (std::int64_t i = 0; i < command.count; i += 4) {
        const auto index = static_cast<std::uint64_t>(i / 4);
        const Block block =
            philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                    static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                   key);
        for (std::int64_t k = 0; k < 4 && i + k < command.count; ++k)
            out[i + k] = block[static_cast<std::size_t>(k)];
    }
}

} // namespace

Command chooseRandom(const KernelRequest& request) {
    Command command;
    const auto words = static_cast<std::int64_t>(types::dtypeBytes(types::dtypeOf(request.output)) / 4);
    command.count = *request.outputShape().elementCount() * words;
    command.kernel = request.inputDType(1) == types::DType::Int64 ? &runRandomBits<std::int64_t>
                                                                  : &runRandomBits<std::int32_t>;
    return command;
}

} // namespace retracescope::runtime
