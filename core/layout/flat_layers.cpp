#include <retracescope/layout/flat_layers.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace retracescope::layout {

namespace {

constexpr double kBoxGap = 28;  // between boxes of a rank
constexpr double kLineGap = 12; // between a line and its neighbour
constexpr double kRankGap = 34; // room for an arrow and a shape label
constexpr double kHook = 10;    // how far a backward edge leaves its box before it turns
constexpr int kSweeps = 8;
constexpr std::size_t kCountCrossingsUpTo = 20'000; // counting costs more than a sweep above

/// An item or a bend of a long edge.
struct Vertex {
    double width = 0;
    double height = 0;
    bool isBend = false;
    int rank = 0;
};

/// One neighbour in the rank above or below, with the places where the connecting line meets both.
struct Link {
    std::uint32_t other = 0;
    double otherX = 0;
    double ownX = 0;
};

class FlatLayers {
public:
    FlatLayers(const FlatGraph& graph, const Job& job) : m_graph(graph), m_job(job) {}

    Result<FlatLayout> run() {
        findBackEdges();
        rankItems();
        addBends();
        fillLayers();
        orderLayers();
        placeX();
        if (m_job.cancel.requested())
            return Error{std::string(kCancelled)};
        placeY();
        return result();
    }

private:
    void findBackEdges();
    void rankItems();
    void addBends();
    void fillLayers();
    void orderLayers();
    void sortLayer(std::size_t layer, const std::vector<std::vector<Link>>& links);
    std::size_t crossings() const;
    void placeX();
    void alignLayer(std::size_t layer, bool useUp, bool useDown);
    void placeY();
    FlatLayout result() const;
    void link(std::uint32_t upper, double upperX, std::uint32_t lower, double lowerX);
    double gapBefore(std::uint32_t left, std::uint32_t right) const;

    const FlatGraph& m_graph;
    const Job& m_job;
    std::vector<bool> m_isBack;
    std::vector<Vertex> m_vertices;
    std::vector<std::vector<std::uint32_t>> m_bends; // per edge, from the upper to the lower end
    std::vector<std::vector<Link>> m_up, m_down;     // per vertex
    std::vector<std::vector<std::uint32_t>> m_layers;
    std::vector<std::uint32_t> m_place;  // position in its layer
    std::vector<double> m_left;          // x
    std::vector<double> m_top, m_bottom; // of ranks
};

/// Depth-first from the items in their order; an edge into the present path goes back.
void FlatLayers::findBackEdges() {
    const std::size_t n = m_graph.items.size();
    std::vector<std::vector<std::uint32_t>> out(n);
    for (std::uint32_t e = 0; e < m_graph.edges.size(); ++e)
        out[m_graph.edges[e].from].push_back(e);
    m_isBack.assign(m_graph.edges.size(), false);
    enum : std::uint8_t { New, Open, Done };
    std::vector<std::uint8_t> state(n, New);
    std::vector<std::pair<std::uint32_t, std::size_t>> path;
    for (std::uint32_t root = 0; root < n; ++root) {
        if (state[root] != New)
            continue;
        path.emplace_back(root, 0);
        state[root] = Open;
        while (!path.empty()) {
            auto& [item, next] = path.back();
            if (next == out[item].size()) {
                state[item] = Done;
                path.pop_back();
                continue;
            }
            const std::uint32_t edge = out[item][next++];
            const std::uint32_t to = m_graph.edges[edge].to;
            if (state[to] == Open) {
                m_isBack[edge] = true;
            } else if (state[to] == New) {
                state[to] = Open;
                path.emplace_back(to, 0);
            }
        }
    }
}

/// Longest path from the top; items without inputs then sink to just above their first reader.
void FlatLayers::rankItems() {
    const std::size_t n = m_graph.items.size();
    std::vector<std::vector<std::uint32_t>> out(n);
    std::vector<std::uint32_t> missing(n, 0);
    for (std::uint32_t e = 0; e < m_graph.edges.size(); ++e) {
        if (m_isBack[e])
            continue;
        out[m_graph.edges[e].from].push_back(m_graph.edges[e].to);
        ++missing[m_graph.edges[e].to];
    }
    const std::vector<std::uint32_t> inputs = missing;
    const bool hasEntrance =
        std::ranges::any_of(m_graph.items, [](const FlatItem& i) { return i.pin == Pin::Top; });
    m_vertices.resize(n);
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < n; ++i) {
        const FlatItem& item = m_graph.items[i];
        m_vertices[i] = {item.width, item.height, false, hasEntrance && item.pin != Pin::Top ? 1 : 0};
        if (missing[i] == 0)
            ready.push_back(i);
    }
    for (std::size_t done = 0; done < ready.size(); ++done) {
        const std::uint32_t item = ready[done];
        for (const std::uint32_t to : out[item]) {
            m_vertices[to].rank = std::max(m_vertices[to].rank, m_vertices[item].rank + 1);
            if (--missing[to] == 0)
                ready.push_back(to);
        }
    }
    int last = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        if (inputs[i] == 0 && m_graph.items[i].pin != Pin::Top && !out[i].empty()) {
            int first = std::numeric_limits<int>::max();
            for (const std::uint32_t to : out[i])
                first = std::min(first, m_vertices[to].rank);
            m_vertices[i].rank = std::max(m_vertices[i].rank, first - 1);
        }
        if (m_graph.items[i].pin != Pin::Bottom)
            last = std::max(last, m_vertices[i].rank);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
        if (m_graph.items[i].pin == Pin::Bottom)
            m_vertices[i].rank = last + 1;
    }
}

void FlatLayers::link(std::uint32_t upper, double upperX, std::uint32_t lower, double lowerX) {
    m_down[upper].push_back({lower, lowerX, upperX});
    m_up[lower].push_back({upper, upperX, lowerX});
}

/// A forward edge bends once in every rank that it passes; a backward one also beside both of its ends.
void FlatLayers::addBends() {
    const std::size_t n = m_graph.items.size();
    m_bends.resize(m_graph.edges.size());
    m_up.resize(n);
    m_down.resize(n);
    for (std::size_t e = 0; e < m_graph.edges.size(); ++e) {
        const FlatEdge& edge = m_graph.edges[e];
        const bool back = m_isBack[e];
        const int first = back ? m_vertices[edge.to].rank : m_vertices[edge.from].rank + 1;
        const int end = back ? m_vertices[edge.from].rank + 1 : m_vertices[edge.to].rank;
        std::uint32_t above = edge.from;
        double aboveX = edge.fromX;
        for (int rank = first; rank < end; ++rank) {
            const auto bend = static_cast<std::uint32_t>(m_vertices.size());
            m_vertices.push_back({0, 0, true, rank});
            m_up.emplace_back();
            m_down.emplace_back();
            m_bends[e].push_back(bend);
            if (!back || rank > first)
                link(above, aboveX, bend, 0);
            above = bend;
            aboveX = 0;
        }
        if (!back)
            link(above, aboveX, edge.to, edge.toX);
    }
}

/// First order: as a depth-first walk from the top meets them, which keeps chains together.
void FlatLayers::fillLayers() {
    int last = 0;
    for (const Vertex& vertex : m_vertices)
        last = std::max(last, vertex.rank);
    m_layers.resize(m_vertices.empty() ? 0 : static_cast<std::size_t>(last) + 1);
    m_place.resize(m_vertices.size());
    std::vector<bool> seen(m_vertices.size(), false);
    std::vector<std::uint32_t> stack;
    for (std::uint32_t root = 0; root < m_vertices.size(); ++root) {
        stack.push_back(root);
        while (!stack.empty()) {
            const std::uint32_t v = stack.back();
            stack.pop_back();
            if (seen[v])
                continue;
            seen[v] = true;
            auto& layer = m_layers[static_cast<std::size_t>(m_vertices[v].rank)];
            m_place[v] = static_cast<std::uint32_t>(layer.size());
            layer.push_back(v);
            for (auto it = m_down[v].rbegin(); it != m_down[v].rend(); ++it)
                stack.push_back(it->other);
        }
    }
}

void FlatLayers::sortLayer(std::size_t index, const std::vector<std::vector<Link>>& links) {
    std::vector<std::uint32_t>& layer = m_layers[index];
    std::vector<std::pair<double, std::uint32_t>> keyed;
    keyed.reserve(layer.size());
    for (const std::uint32_t v : layer) {
        double key = m_place[v];
        if (!links[v].empty()) {
            key = 0;
            for (const Link& l : links[v]) {
                const Vertex& other = m_vertices[l.other];
                key += m_place[l.other] + (other.width > 0 ? 0.9 * (l.otherX / other.width - 0.5) : 0.0);
            }
            key /= static_cast<double>(links[v].size());
        }
        keyed.emplace_back(key, v);
    }
    std::ranges::stable_sort(keyed, {}, &std::pair<double, std::uint32_t>::first);
    for (std::size_t i = 0; i < keyed.size(); ++i) {
        layer[i] = keyed[i].second;
        m_place[layer[i]] = static_cast<std::uint32_t>(i);
    }
}

/// Pairs of lines between neighbouring ranks that cross, by a tree of counts over the lower rank.
std::size_t FlatLayers::crossings() const {
    std::size_t total = 0;
    std::vector<std::uint32_t> tree;
    for (std::size_t index = 0; index + 1 < m_layers.size(); ++index) {
        const std::size_t lower = m_layers[index + 1].size();
        tree.assign(lower + 1, 0);
        std::size_t inserted = 0;
        std::vector<std::uint32_t> ends;
        for (const std::uint32_t v : m_layers[index]) {
            ends.clear();
            for (const Link& l : m_down[v])
                ends.push_back(m_place[l.other]);
            std::ranges::sort(ends);
            for (const std::uint32_t end : ends) {
                std::size_t notRight = 0;
                for (std::size_t i = end + 1; i > 0; i -= i & (~i + 1))
                    notRight += tree[i];
                total += inserted - notRight;
            }
            for (const std::uint32_t end : ends) {
                for (std::size_t i = end + 1; i <= lower; i += i & (~i + 1))
                    ++tree[i];
                ++inserted;
            }
        }
    }
    return total;
}

void FlatLayers::orderLayers() {
    const bool count = m_vertices.size() <= kCountCrossingsUpTo;
    std::vector<std::vector<std::uint32_t>> best = m_layers;
    std::size_t fewest = count ? crossings() : 0;
    for (int sweep = 0; sweep < kSweeps && !m_job.cancel.requested(); ++sweep) {
        if (sweep % 2 == 0) {
            for (std::size_t i = 1; i < m_layers.size(); ++i)
                sortLayer(i, m_up);
        } else {
            for (std::size_t i = m_layers.size(); i-- > 1;)
                sortLayer(i - 1, m_down);
        }
        if (!count)
            continue;
        const std::size_t now = crossings();
        if (now < fewest) {
            fewest = now;
            best = m_layers;
        }
        if (fewest == 0)
            break;
    }
    if (count)
        m_layers = std::move(best);
    for (const auto& layer : m_layers) {
        for (std::size_t i = 0; i < layer.size(); ++i)
            m_place[layer[i]] = static_cast<std::uint32_t>(i);
    }
}

double FlatLayers::gapBefore(std::uint32_t left, std::uint32_t right) const {
    return m_vertices[left].isBend || m_vertices[right].isBend ? kLineGap : kBoxGap;
}

/// Moves the layer's vertices as near as the order and the gaps allow to where their neighbours want them:
/// least weighted squares under x[i+1] >= x[i] + width + gap, solved by pooling adjacent violators.
void FlatLayers::alignLayer(std::size_t index, bool useUp, bool useDown) {
    const std::vector<std::uint32_t>& layer = m_layers[index];
    struct Pool {
        double sum;
        double weight;
        std::size_t count;
    };
    std::vector<Pool> pools;
    std::vector<double> shift(layer.size(), 0.0);
    for (std::size_t i = 0; i < layer.size(); ++i) {
        const std::uint32_t v = layer[i];
        if (i > 0)
            shift[i] = shift[i - 1] + m_vertices[layer[i - 1]].width + gapBefore(layer[i - 1], v);
        double sum = 0;
        double links = 0;
        for (const auto* side : {useUp ? &m_up : nullptr, useDown ? &m_down : nullptr}) {
            if (side == nullptr)
                continue;
            for (const Link& l : (*side)[v]) {
                // Straight long lines matter more than short ones (Gansner et al. weigh them 8 : 2 : 1 too).
                const double weight = m_vertices[v].isBend && m_vertices[l.other].isBend ? 8 : 1;
                sum += weight * (m_left[l.other] + l.otherX - l.ownX);
                links += weight;
            }
        }
        const double wish = links > 0 ? sum / links : m_left[v];
        const double weight = links > 0 ? links : 0.05;
        pools.push_back({(wish - shift[i]) * weight, weight, 1});
        while (pools.size() > 1) {
            Pool& last = pools.back();
            Pool& before = pools[pools.size() - 2];
            if (before.sum / before.weight <= last.sum / last.weight)
                break;
            before = {before.sum + last.sum, before.weight + last.weight, before.count + last.count};
            pools.pop_back();
        }
    }
    std::size_t i = 0;
    for (const Pool& pool : pools) {
        for (std::size_t k = 0; k < pool.count; ++k, ++i)
            m_left[layer[i]] = pool.sum / pool.weight + shift[i];
    }
}

void FlatLayers::placeX() {
    m_left.assign(m_vertices.size(), 0.0);
    for (const auto& layer : m_layers) {
        double x = 0;
        for (std::size_t i = 0; i < layer.size(); ++i) {
            m_left[layer[i]] = x;
            x += m_vertices[layer[i]].width + (i + 1 < layer.size() ? gapBefore(layer[i], layer[i + 1]) : 0);
        }
        for (const std::uint32_t v : layer)
            m_left[v] -= x / 2;
    }
    for (int sweep = 0; sweep < kSweeps && !m_job.cancel.requested(); ++sweep) {
        const bool both = sweep >= kSweeps - 2;
        if (sweep % 2 == 0) {
            for (std::size_t i = 0; i < m_layers.size(); ++i)
                alignLayer(i, true, both);
        } else {
            for (std::size_t i = m_layers.size(); i-- > 0;)
                alignLayer(i, both, true);
        }
    }
    double least = 0;
    if (!m_left.empty())
        least = *std::ranges::min_element(m_left);
    for (double& x : m_left)
        x = std::round(x - least);
}

void FlatLayers::placeY() {
    double y = 0;
    for (const auto& layer : m_layers) {
        double height = 0;
        for (const std::uint32_t v : layer)
            height = std::max(height, m_vertices[v].height);
        m_top.push_back(y);
        m_bottom.push_back(y + height);
        y += height + kRankGap;
    }
}

FlatLayout FlatLayers::result() const {
    FlatLayout out;
    const auto rankOf = [&](std::uint32_t v) { return static_cast<std::size_t>(m_vertices[v].rank); };
    const auto top = [&](std::uint32_t v) {
        const std::size_t rank = rankOf(v);
        return std::round(m_top[rank] + (m_bottom[rank] - m_top[rank] - m_vertices[v].height) / 2);
    };
    for (std::uint32_t i = 0; i < m_graph.items.size(); ++i) {
        out.corners.push_back({m_left[i], top(i)});
        out.width = std::max(out.width, m_left[i] + m_vertices[i].width);
    }
    for (const double x : m_left)
        out.width = std::max(out.width, x);
    out.height = m_bottom.empty() ? 0 : m_bottom.back();
    for (std::size_t e = 0; e < m_graph.edges.size(); ++e) {
        const FlatEdge& edge = m_graph.edges[e];
        std::vector<Point> path{
            {m_left[edge.from] + edge.fromX, top(edge.from) + m_vertices[edge.from].height}};
        const Point end{m_left[edge.to] + edge.toX, top(edge.to)};
        if (m_isBack[e]) {
            const std::uint32_t lowest = m_bends[e].back();
            path.push_back({path.back().x, m_bottom[rankOf(lowest)] + kHook});
            path.push_back({m_left[lowest], m_bottom[rankOf(lowest)] + kHook});
            for (auto it = m_bends[e].rbegin(); it != m_bends[e].rend(); ++it) {
                path.push_back({m_left[*it], m_bottom[rankOf(*it)]});
                path.push_back({m_left[*it], m_top[rankOf(*it)]});
            }
            path.push_back({path.back().x, path.back().y - kHook});
            path.push_back({end.x, path.back().y});
        } else {
            for (const std::uint32_t bend : m_bends[e]) {
                path.push_back({m_left[bend], m_top[rankOf(bend)]});
                path.push_back({m_left[bend], m_bottom[rankOf(bend)]});
            }
        }
        path.push_back(end);
        out.paths.push_back(std::move(path));
    }
    return out;
}

} // namespace

Result<FlatLayout> layoutFlat(const FlatGraph& graph, const Job& job) {
    return FlatLayers(graph, job).run();
}

} // namespace retracescope::layout
