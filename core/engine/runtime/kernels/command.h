#pragma once

#include <cstddef>
#include <cstdint>

namespace retracescope::tensor {
class Tensor;
}

namespace retracescope::runtime {

class Plan;
struct Frame;
struct Command;

/// Does one step: reads and writes where the command's operands point in the frame. No virtual calls, no
/// allocation.
using Kernel = void (*)(const Command&, Frame&);

/// One step of a run. Operands are rows of Frame::pointers.
struct Command {
    Kernel kernel = nullptr;
    std::uint32_t output = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t params = 0; ///< first word in Frame::params; what lies there is the kernel's own
    std::int64_t count = 0;   ///< elements
};
static_assert(sizeof(Command) == 32);

/// Where the values of one run lie.
struct Frame {
    std::byte** pointers = nullptr;
    const std::int64_t* params = nullptr;
    const tensor::Tensor** tensors =
        nullptr; ///< per value its tensor, where it has one; commands on tensors only
    tensor::Tensor* slotTensors = nullptr; ///< tensors that the run itself makes
    const Plan* plan = nullptr;
};

} // namespace retracescope::runtime
