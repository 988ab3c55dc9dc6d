#include <retracescope/layout/layout_wire.h>

#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace retracescope::layout {

namespace {

constexpr std::string_view kQuestion = "retracescope-boxes 1";
constexpr std::string_view kAnswer = "retracescope-positions 1";
constexpr double kFarthest = 1e9; // pixels; a position beyond is nonsense

/// Lines of words; remembers where it is for messages.
class Reader {
public:
    explicit Reader(std::string_view text) : m_rest(text) {}

    bool nextLine() {
        if (m_rest.empty())
            return false;
        const std::size_t end = m_rest.find('\n');
        m_line = m_rest.substr(0, end);
        m_rest = end == std::string_view::npos ? std::string_view() : m_rest.substr(end + 1);
        ++m_number;
        return true;
    }

    std::string_view line() const { return m_line; }

    std::string_view word() {
        const std::size_t start = std::min(m_line.find_first_not_of(' '), m_line.size());
        m_line.remove_prefix(start);
        const std::string_view word = m_line.substr(0, m_line.find(' '));
        m_line.remove_prefix(word.size());
        return word;
    }

    template <class T>
    bool number(T& out) {
        const std::string_view text = word();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        return error == std::errc() && end == text.data() + text.size() && !text.empty();
    }

    bool atEnd() const { return m_line.find_first_not_of(' ') == std::string_view::npos; }

    Error error(std::string_view expected) const {
        return {fmt::format("layout text, line {}: expected {}", m_number, expected)};
    }

private:
    std::string_view m_rest;
    std::string_view m_line;
    std::size_t m_number = 0;
};

bool readRect(Reader& reader, Rect& rect) {
    const bool read = reader.number(rect.x) && reader.number(rect.y) && reader.number(rect.width) &&
                      reader.number(rect.height) && reader.atEnd();
    for (const double value : {rect.x, rect.y, rect.width, rect.height}) {
        if (!read || !std::isfinite(value) || std::abs(value) > kFarthest)
            return false;
    }
    return rect.width >= 0 && rect.height >= 0;
}

bool readCurve(Reader& reader, Curve& curve) {
    std::size_t count = 0;
    if (!reader.number(count) || count % 3 != 1 || count > 1'000'000)
        return false;
    for (std::size_t i = 0; i < count; ++i) {
        Point p;
        if (!reader.number(p.x) || !reader.number(p.y) || !std::isfinite(p.x) || !std::isfinite(p.y) ||
            std::abs(p.x) > kFarthest || std::abs(p.y) > kFarthest)
            return false;
        curve.push_back(p);
    }
    return reader.atEnd();
}

} // namespace

std::string writeBoxGraph(const BoxGraph& graph) {
    std::string out = fmt::format("{}\n", kQuestion);
    for (const LayoutCluster& c : graph.clusters)
        out += fmt::format("cluster {} {} {}\n", c.parent, c.header, c.minWidth);
    for (const LayoutBox& b : graph.boxes)
        out += fmt::format("box {} {} {} {} {}\n", b.cluster, b.width, b.height, b.left, b.right);
    for (const LayoutEdge& e : graph.edges)
        out += fmt::format("edge {} {}\n", e.from, e.to);
    return out + "end\n";
}

Result<BoxGraph> readBoxGraph(std::string_view text) {
    Reader reader(text);
    if (!reader.nextLine() || reader.line() != kQuestion)
        return reader.error(fmt::format("\"{}\"", kQuestion));
    BoxGraph graph;
    while (reader.nextLine()) {
        const std::string_view kind = reader.word();
        bool read = false;
        if (kind == "cluster") {
            LayoutCluster& c = graph.clusters.emplace_back();
            read = reader.number(c.parent) && reader.number(c.header) && reader.number(c.minWidth);
        } else if (kind == "box") {
            LayoutBox& b = graph.boxes.emplace_back();
            read = reader.number(b.cluster) && reader.number(b.width) && reader.number(b.height) &&
                   reader.number(b.left) && reader.number(b.right);
        } else if (kind == "edge") {
            LayoutEdge& e = graph.edges.emplace_back();
            read = reader.number(e.from) && reader.number(e.to);
        } else if (kind == "end") {
            if (!isWellFormed(graph))
                return Error{"layout text: a number refers to nothing or a size is no size"};
            return graph;
        }
        if (!read || !reader.atEnd())
            return reader.error("cluster, box, edge with their numbers, or end");
    }
    return reader.error("a last line \"end\"");
}

std::string writeGraphLayout(const GraphLayout& layout) {
    std::string out = fmt::format("{}\nbounds {} {}\n", kAnswer, layout.bounds.width, layout.bounds.height);
    for (const Rect& c : layout.clusters)
        out += fmt::format("cluster {} {} {} {}\n", c.x, c.y, c.width, c.height);
    for (const Rect& b : layout.boxes)
        out += fmt::format("box {} {} {} {}\n", b.x, b.y, b.width, b.height);
    for (const Curve& curve : layout.edges) {
        out += fmt::format("edge {}", curve.size());
        for (const Point& p : curve)
            out += fmt::format(" {} {}", p.x, p.y);
        out += '\n';
    }
    return out + "end\n";
}

Result<GraphLayout> readGraphLayout(std::string_view text, const BoxGraph& question) {
    Reader reader(text);
    if (!reader.nextLine() || reader.line() != kAnswer)
        return reader.error(fmt::format("\"{}\"", kAnswer));
    GraphLayout layout;
    while (reader.nextLine()) {
        const std::string_view kind = reader.word();
        bool read = false;
        if (kind == "bounds") {
            read =
                reader.number(layout.bounds.width) && reader.number(layout.bounds.height) && reader.atEnd();
        } else if (kind == "cluster") {
            read = readRect(reader, layout.clusters.emplace_back());
        } else if (kind == "box") {
            read = readRect(reader, layout.boxes.emplace_back());
        } else if (kind == "edge") {
            read = readCurve(reader, layout.edges.emplace_back());
        } else if (kind == "end") {
            if (layout.boxes.size() != question.boxes.size() ||
                layout.edges.size() != question.edges.size() ||
                layout.clusters.size() != question.clusters.size())
                return Error{"layout text: positions are for another graph"};
            return layout;
        }
        if (!read)
            return reader.error("bounds, cluster, box, edge with their numbers, or end");
    }
    return reader.error("a last line \"end\"");
}

} // namespace retracescope::layout
