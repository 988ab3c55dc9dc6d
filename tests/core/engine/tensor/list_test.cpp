#include <QTest>

#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/list.h>

#include "tests/support/test_main.h"

using namespace retracescope::tensor;
using retracescope::types::TensorTypeId;

namespace {

std::shared_ptr<const List> counted(std::int64_t size) {
    auto list = std::make_shared<const List>(0, TensorTypeId::None, true);
    for (std::int64_t i = 0; i < size; ++i)
        list = list->with(i, constant(i));
    return list;
}

} // namespace

class ListTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsWhatWasPutIn() {
        const auto list = counted(1000);
        QCOMPARE(list->size(), 1000);
        for (std::int64_t i = 0; i < 1000; ++i)
            QCOMPARE(list->at(i).scalar<std::int64_t>(), i);
        QVERIFY(list->at(1000).isEmpty());
        QVERIFY(list->at(-1).isEmpty());
        QVERIFY(list->at(std::int64_t{1} << 60).isEmpty());
    }

    void anEarlierListStaysWhatItWas() {
        const auto before = std::make_shared<const List>(3, TensorTypeId::None, false);
        const auto after = before->with(1, constant(5.0f));
        QVERIFY(before->at(1).isEmpty());
        QVERIFY(after->at(0).isEmpty());
        QCOMPARE(after->at(1).scalar<float>(), 5.0f);
        QCOMPARE(after->with(70, constant(7.0f))->size(), 71);
        QCOMPARE(after->size(), 3);
    }

    void theFirstElementDecidesTheType() {
        const List list(3,
                        retracescope::types::tensorType(retracescope::types::DType::Float32,
                                                        retracescope::types::Shape::unknownRank()),
                        false);
        QCOMPARE(list.with(2, constant({1.0f, 2.0f}))->element(), constant({1.0f, 2.0f}).type());
    }

    void sumsWhereBothAreSet() {
        const auto sum = [](const Tensor& a, const Tensor& b) {
            return constant(a.scalar<std::int64_t>() + b.scalar<std::int64_t>());
        };
        const auto one = List(100, TensorTypeId::None, false).with(70, constant(std::int64_t{1}));
        const auto both = List::sumOf(*counted(5), *one, sum);
        QCOMPARE(both->size(), 100);
        QCOMPARE(both->at(4).scalar<std::int64_t>(), 4);
        QCOMPARE(both->at(70).scalar<std::int64_t>(), 1);
        QVERIFY(both->at(50).isEmpty());
        QCOMPARE(List::sumOf(*one, *one, sum)->at(70).scalar<std::int64_t>(), 2);
    }

    void isATensorByIdentity() {
        const Tensor a = listTensor(counted(2));
        const Tensor b = listTensor(counted(2));
        QCOMPARE(listOf(a).size(), 2);
        QVERIFY(sameContent(a, a) && !sameContent(a, b));
    }
};

RETRACESCOPE_TEST(ListTest);

#include "list_test.moc"
