#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace retracescope::ir {
class Graph;
} // namespace retracescope::ir

namespace retracescope::record {

/// Rare events on their way to the drainer, as bytes (event_bytes.h), and the graphs of the entries among
/// them. Memory that one thread allocates and another frees costs both more than the event does, so bytes
/// are all that crosses; graphs go back to where they came from, see takeGraphs(). For one thread at a time.
class EventQueue {
public:
    using SharedGraph = std::shared_ptr<const ir::Graph>;

    void append(std::span<const std::byte> event, SharedGraph graph = nullptr);
    bool empty() const { return m_blocksUsed == 0; }

    /// Calls visit(bytes, graph or null) for each event in order.
    template <class Visit>
    void forEach(const Visit& visit) const {
        std::size_t graph = 0;
        for (std::size_t i = 0; i < m_blocksUsed; ++i) {
            std::span<const std::byte> rest = m_blocks[i];
            while (!rest.empty()) {
                Header header;
                std::memcpy(&header, rest.data(), sizeof header);
                visit(rest.subspan(sizeof header, header.bytes),
                      header.hasGraph != 0 ? m_graphs[graph++] : nullptr);
                rest = rest.subspan(sizeof header + header.bytes);
            }
        }
    }

    /// The graphs of all events, which then have none.
    std::vector<SharedGraph> takeGraphs() { return std::exchange(m_graphs, {}); }

    /// Forgets the events; memory stays for as many as come between two looks.
    void clear();

private:
    struct Header {
        std::uint32_t bytes = 0;
        std::uint32_t hasGraph = 0;
    };

    std::vector<std::vector<std::byte>> m_blocks; ///< they never move: much may lie here for a while
    std::size_t m_blocksUsed = 0;
    std::vector<SharedGraph> m_graphs;
};

} // namespace retracescope::record
