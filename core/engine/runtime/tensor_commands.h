#pragma once

#include <span>

#include <retracescope/engine/ir/graph.h>
#include <retracescope/engine/runtime/kernels/command.h>
#include <retracescope/engine/tensor/tensor.h>

namespace retracescope::runtime {

/// The frame of a plan's run: what commands on whole tensors need besides pointers.
struct TensorFrame : Frame {
    std::span<tensor::Tensor> scratch; ///< for arguments and results of one command; emptied after it
};

/// Command::output is the node for all of these; they run in a TensorFrame.

/// A view of a's tensor. Params: the type.
void runView(const Command& command, Frame& frame);
/// Any op on inputs or results whose shape only the run knows, or on lists.
void runWhole(const Command& command, Frame& frame);
void runReadVariable(const Command& command, Frame& frame);
void runEffectNode(const Command& command, Frame& frame);
void runHostCall(const Command& command, Frame& frame);
void runCall(const Command& command, Frame& frame);
void runCond(const Command& command, Frame& frame);
void runWhile(const Command& command, Frame& frame);

} // namespace retracescope::runtime
