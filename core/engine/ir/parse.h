#pragma once

#include <functional>
#include <string_view>

#include <retracescope/base/result.h>
#include <retracescope/engine/ir/graph.h>

namespace retracescope::ir {

/// What a text can only name.
struct ParseContext {
    std::function<std::shared_ptr<const Callee>(std::string_view name)> callee;
    std::function<tensor::Tensor(std::string_view name)> capture;
    std::function<std::shared_ptr<const HostFunction>(std::string_view name)> host = nullptr;
};

/// Reads what toText(graph) writes; node numbers are labels. The error names the line. Equal nodes stay
/// apart, so that a printed graph comes back node by node.
Result<Graph> parseGraph(std::string_view text, const ParseContext& context = {});

/// "float32[2,None]", "int32<unknown>", or none.
std::optional<types::TensorTypeId> parseType(std::string_view text);

} // namespace retracescope::ir
