#include <cmath>
#include <limits>
#include <thread>

#include <QTest>

#include <retracescope/base/check.h>
#include <retracescope/engine/tensor/constant.h>
#include <retracescope/engine/tensor/text.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using test::errorOf;
using namespace retracescope::tensor;

namespace {

class Counted : public Resource {
public:
    explicit Counted(int& alive) : m_alive(alive) { ++m_alive; }
    ~Counted() override { --m_alive; }

private:
    int& m_alive;
};

} // namespace

class TensorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comesFromScalarsListsAndTexts() {
        QCOMPARE(toText(constant(2)), std::string("int32[] 2"));
        QCOMPARE(toText(constant(2.2f)), std::string("float32[] 2.2"));
        QCOMPARE(toText(constant(true)), std::string("bool[] true"));
        QCOMPARE(toText(constant("aa")), std::string("string[] \"aa\""));
        QCOMPARE(toText(constant({1.0, 2.5})), std::string("float64[2] [1, 2.5]"));
        QCOMPARE(toText(constant({{1, 2}, {3, 4}, {5, 6}})),
                 std::string("int32[3,2] [[1, 2], [3, 4], [5, 6]]"));
        QCOMPARE(toText(constant({1, 2, 3, 4}, {2, 1, 2})), std::string("int32[2,1,2] [[[1, 2]], [[3, 4]]]"));
        QCOMPARE(toText(constant({"a", "b"})), std::string("string[2] [\"a\", \"b\"]"));
        QCOMPARE(toText(filled(std::int64_t{7}, {0, 3})), std::string("int64[0,3] []"));
        const float nan = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(toText(constant({nan, std::copysign(nan, -1.0f)})), std::string("float32[2] [nan, nan]"));
    }

    void aTextOfManyElementsShowsTheEnds() {
        const Tensor many = filled(1, {2000});
        QCOMPARE(valueText(many), std::string("[1, 1, 1, ..., 1, 1, 1]"));
        QCOMPARE(valueText(many, 0).size(), std::size_t{2000 * 3});
    }

    void refusesAWrongNumberOfValues() {
        QCOMPARE(errorOf([] {
                     constant({1, 2, 3}, {2, 2});
                 }),
                 std::string("[constant] 3 values do not fill the shape [2,2]"));
    }

    void readsOnlyWhatItHolds() {
        const Tensor x = constant({1.0f, 2.0f});
        QCOMPARE(x.values<float>(), (std::vector<float>{1, 2}));
        QVERIFY(errorOf([&] {
                    x.data<int>();
                }).starts_with("[tensor] elements are float32, asked for int32 (tensor_test.cpp:"));
        QVERIFY(errorOf([&] {
                    x.scalar<float>();
                }).starts_with("[tensor] expected one element, got float32[2] (tensor_test.cpp:"));
        QVERIFY(errorOf([&] {
                    Tensor().scalar<float>();
                }).starts_with("[tensor] expected a value, got an empty tensor"));
    }

    void aSymbolicTensorHasNoValue() {
        const Tensor x = Tensor::symbolic(7, 3, types::tensorType(types::DType::Float32, types::Shape{2}));
        const Tensor copy = x;
        QCOMPARE(copy.trace(), 7u);
        QCOMPARE(copy.node(), 3u);
        QVERIFY(copy.isSame(x));
        const QString message = QString::fromStdString(errorOf([&] { copy.values<float>(); }));
        QVERIFY2(message.contains("symbolic float32[2]") && message.contains("tensor_test.cpp"),
                 qPrintable(message));
    }

    void copiesShareAndTheLastOneFrees() {
        int alive = 0;
        {
            Tensor a = Tensor::resource(std::make_shared<Counted>(alive));
            Tensor b = a;
            QVERIFY(!a.isUnique());
            a = Tensor();
            QVERIFY(b.isUnique());
            QCOMPARE(alive, 1);
            Tensor c = std::move(b);
            QVERIFY(b.isEmpty());
            c = c; // NOLINT
            QCOMPARE(alive, 1);
        }
        QCOMPARE(alive, 0);
    }

    void storageIsAlignedAndReused() {
        const std::byte* first = nullptr;
        {
            const Tensor x = filled(1.0f, {1000});
            first = x.bytes();
            QCOMPARE(reinterpret_cast<std::uintptr_t>(first) % 64, std::uintptr_t{0});
        }
#if !defined(__SANITIZE_ADDRESS__)
        QCOMPARE(static_cast<const void*>(filled(2.0f, {1000}).bytes()), static_cast<const void*>(first));
#endif
    }

    void tensorsMayDieOnAnotherThread() {
        for (int round = 0; round < 100; ++round) {
            std::vector<Tensor> made;
            for (int i = 0; i < 100; ++i)
                made.push_back(i % 2 == 0 ? constant("a rather long text that does not fit inline")
                                          : filled(1.0f, {i}));
            std::thread([taken = std::move(made)]() mutable { taken.clear(); }).join();
        }
    }

    void contentIsComparedBitByBit() {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(sameContent(constant(nan), constant(nan)));
        QVERIFY(!sameContent(constant(0.0f), constant(-0.0f)));
        QVERIFY(!sameContent(constant(1), constant(1.0f)));
        QVERIFY(sameContent(constant("a"), constant("a")));
        QCOMPARE(contentHash(constant({1, 2})), contentHash(constant({1, 2})));
    }
};

RETRACESCOPE_TEST(TensorTest);
#include "tensor_test.moc"
