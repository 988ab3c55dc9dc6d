#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/philox.h>

namespace retracescope::runtime {

namespace {

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
        const PhiloxBlock block =
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
