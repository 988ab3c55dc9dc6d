#include <QTest>

#include <retracescope/types/component.h>

#include "tests/support/test_main.h"

using namespace retracescope::types;

namespace {

std::vector<Component> tensor(const std::string& name, const std::string& dtype,
                              const std::vector<std::string>& shape) {
    std::vector<Component> result{{name + ".type", ComponentKind::Type, "tensor"},
                                  {name + ".dtype", ComponentKind::Dtype, dtype},
                                  {name + ".rank", ComponentKind::Rank, std::to_string(shape.size())}};
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        result.push_back({name + ".shape[" + std::to_string(axis) + "]", ComponentKind::Dimension,
                          shape[axis], shape[axis] == "None"});
    return result;
}

} // namespace

class ComponentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesTheAxisThatDiffers() {
        const auto found = blockingDifferences(tensor("x", "float32", {"3"}), tensor("x", "float32", {"2"}));
        QCOMPARE(found, (std::vector<Difference>{{MissKind::Shape, "x.shape[0]", "2", "3"}}));
    }

    void anOpenAxisBlocksNothing() {
        QVERIFY(blockingDifferences(tensor("x", "float32", {"3"}), tensor("x", "float32", {"None"})).empty());
    }

    void anOpenRequestIsBlockedByAFixedAxis() {
        const auto found =
            blockingDifferences(tensor("x", "float32", {"None"}), tensor("x", "float32", {"2"}));
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].kind, MissKind::Shape);
    }

    void anotherRankHidesTheAxes() {
        const auto found =
            blockingDifferences(tensor("x", "float32", {"3", "4"}), tensor("x", "float32", {"2"}));
        QCOMPARE(found, (std::vector<Difference>{{MissKind::Rank, "x.rank", "1", "2"}}));
    }

    void anotherTypeHidesEverythingBelow() {
        const std::vector<Component> literal{{"x.type", ComponentKind::Type, "int"},
                                             {"x.value", ComponentKind::Value, "3"}};
        const auto found = blockingDifferences(literal, tensor("x", "float32", {"2"}));
        QCOMPARE(found, (std::vector<Difference>{{MissKind::Type, "x.type", "tensor", "int"}}));
    }

    void onlyARequestWithANameNeedsThatName() {
        const Component named{"x.name", ComponentKind::Name, "x"};
        std::vector<Component> withName = tensor("x", "float32", {"2"});
        withName.push_back(named);
        QVERIFY(blockingDifferences(tensor("x", "float32", {"2"}), withName).empty());
        QCOMPARE(blockingDifferences(withName, tensor("x", "float32", {"2"})),
                 (std::vector<Difference>{{MissKind::Type, "x.name", "none", "x"}}));
    }

    void everyKindHasANameThatReadsBack() {
        for (int i = 0; i < kMissKindCount; ++i) {
            const auto kind = static_cast<MissKind>(i);
            QCOMPARE(missKindFromName(missKindName(kind)), std::optional(kind));
        }
        QVERIFY(!missKindFromName("nonsense").has_value());
    }
};

RETRACESCOPE_TEST(ComponentTest);

#include "component_test.moc"
