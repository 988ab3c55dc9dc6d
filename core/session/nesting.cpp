#include <retracescope/session/nesting.h>

namespace retracescope::session {

NestingPlace Nesting::place(std::int64_t startNs, std::int64_t endNs) {
    for (std::size_t layer = 0;; ++layer) {
        if (layer == m_layers.size())
            m_layers.emplace_back();
        std::vector<std::int64_t>& ends = m_layers[layer];
        while (!ends.empty() && ends.back() <= startNs)
            ends.pop_back();
        if (!ends.empty() && endNs > ends.back() && layer + 1 < kMostLayers)
            continue;
        ends.push_back(endNs);
        return {layer, ends.size() - 1};
    }
}

} // namespace retracescope::session
