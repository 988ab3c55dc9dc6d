#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <retracescope/layout/graph_layout.h>

namespace retracescope::views {

/// Finds the rectangles near a place: a grid of square cells over the picture, each with the numbers of the
/// rectangles that touch it.
class GridIndex {
public:
    GridIndex() = default;

    GridIndex(const layout::Rect& bounds, const std::vector<layout::Rect>& rects) {
        m_columns = cellCount(bounds.width);
        m_rows = cellCount(bounds.height);
        m_cells.resize(m_columns * m_rows);
        for (std::uint32_t i = 0; i < rects.size(); ++i)
            forCells(rects[i], [&](std::vector<std::uint32_t>& cell) { cell.push_back(i); });
    }

    /// Numbers of the rectangles whose cells `area` touches, ascending and each once.
    std::vector<std::uint32_t> near(const layout::Rect& area) const {
        std::vector<std::uint32_t> out;
        const_cast<GridIndex*>(this)->forCells(
            area, [&](std::vector<std::uint32_t>& cell) { out.insert(out.end(), cell.begin(), cell.end()); });
        std::ranges::sort(out);
        out.erase(std::ranges::unique(out).begin(), out.end());
        return out;
    }

private:
    static constexpr double kCell = 256; // pixels at 100 %
    static constexpr std::size_t kMostPerSide = 512;

    static std::size_t cellCount(double length) {
        return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(length / kCell)), 1, kMostPerSide);
    }

    template <class Visit>
    void forCells(const layout::Rect& r, const Visit& visit) {
        if (m_cells.empty())
            return;
        const auto cell = [](double at, std::size_t count) {
            return static_cast<std::size_t>(
                std::clamp(std::floor(at / kCell), 0.0, static_cast<double>(count - 1)));
        };
        for (std::size_t y = cell(r.y, m_rows); y <= cell(r.bottom(), m_rows); ++y) {
            for (std::size_t x = cell(r.x, m_columns); x <= cell(r.right(), m_columns); ++x)
                visit(m_cells[y * m_columns + x]);
        }
    }

    std::size_t m_columns = 0;
    std::size_t m_rows = 0;
    std::vector<std::vector<std::uint32_t>> m_cells;
};

} // namespace retracescope::views
