#include <QTest>

#include <retracescope/layout/graph_path.h>

#include "tests/support/test_main.h"

using namespace retracescope::layout;

namespace {

/// Boxes 0 ... 9 and an edge per pair "03": from 0 to 3. "p41": box 1 reads a value of box 4 through a pill.
FoldedGraph graph(const std::vector<std::string>& edges) {
    FoldedGraph result;
    result.boxes.resize(10);
    for (std::uint32_t box = 0; box < 10; ++box)
        result.boxOfNode.push_back(box); // node n is box n
    for (const std::string& text : edges) {
        const bool isPill = text[0] == 'p';
        const auto from = static_cast<std::uint32_t>(text[isPill ? 1 : 0] - '0');
        const auto to = static_cast<std::uint32_t>(text[isPill ? 2 : 1] - '0');
        if (isPill)
            result.boxes[to].left.push_back({PillKind::Values, "value", {from}});
        else
            result.edges.push_back({from, to, 1, false, {}});
    }
    return result;
}

std::string pathText(const FoldedGraph& folded, std::uint32_t from, std::uint32_t to) {
    const auto paths = pathsBetween(folded, from, to);
    if (!paths)
        return "none";
    std::string text;
    for (const std::uint32_t box : paths->shortest)
        text += std::to_string(box);
    return text + " of " + std::to_string(paths->onAnyCount);
}

} // namespace

class GraphPathTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheShortestWayAndEveryBoxOnAny() {
        QCOMPARE(pathText(graph({"01", "12", "23", "13", "14", "45", "53", "67"}), 0, 3), "013 of 6");
        QCOMPARE(pathText(graph({"01"}), 0, 0), "0 of 1");
    }

    void saysThatNoWayLeadsThere() {
        QCOMPARE(pathText(graph({"01", "21"}), 0, 2), "none");
        QCOMPARE(pathText(graph({"01"}), 1, 0), "none"); // edges have a direction
    }

    void valuesShownAsPillsAreWaysToo() { QCOMPARE(pathText(graph({"04", "p41", "12"}), 0, 2), "0412 of 4"); }
};

RETRACESCOPE_TEST(GraphPathTest);

#include "graph_path_test.moc"
