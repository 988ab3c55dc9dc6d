#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <retracescope/engine/ir/op.h>
#include <retracescope/record/source_files.h>
#include <retracescope/session/session.h>
#include <retracescope/types/tensor_type.h>

namespace retracescope::ir {
class Graph;
} // namespace retracescope::ir

namespace retracescope::record {

/// Turns graphs of the engine into graphs as sessions hold them. What nodes of one graph share with those of
/// another, their ops, types, names and files, is spelled once: a recording writes graphs while others are
/// traced.
class GraphConverter {
public:
    /// Texts go into `strings`, files get the path that `files` finds.
    GraphConverter(session::StringPool& strings, SourceFiles& files) : m_strings(strings), m_files(files) {}

    /// The graph and all that it and they run; the graph itself first. Their rows are `first` and the
    /// following.
    std::vector<session::Graph> convert(const ir::Graph& graph, session::GraphId first);

private:
    class Run;

    session::StringId text(std::string_view text) { return m_strings.intern(text); }
    session::StringId opText(ir::Op op);
    session::StringId typeText(types::TensorTypeId type);
    session::StringId nameText(const ir::Graph& graph, std::uint32_t node);
    session::StringId fileText(const std::string& named);

    session::StringPool& m_strings;
    SourceFiles& m_files;
    std::array<session::StringId, ir::kOpCount> m_ops;
    std::unordered_map<types::TensorTypeId, session::StringId> m_types;
    std::unordered_map<std::uint64_t, session::StringId> m_names; ///< that nobody gave: by op and node
    std::unordered_map<std::string, session::StringId> m_located;
};

} // namespace retracescope::record
