#include <QTest>

#include <thread>

#include <retracescope/base/check.h>
#include <retracescope/types/intern_table.h>
#include <retracescope/types/tensor_type.h>

#include "tests/support/test_main.h"

using namespace retracescope::types;

class TensorTypeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalPairsHaveOneId() {
        const TensorTypeId type = tensorType(DType::Float32, Shape{2, Shape::kUnknown});
        QVERIFY(type != TensorTypeId::None);
        QVERIFY(tensorType(DType::Float32, Shape{2, Shape::kUnknown}) == type);
        QVERIFY(tensorType(DType::Float64, Shape{2, Shape::kUnknown}) != type);
        QVERIFY(tensorType(DType::Float32, Shape{Shape::kUnknown, 2}) != type);
        QVERIFY(tensorType(DType::Float32, Shape{}) != tensorType(DType::Float32, Shape::unknownRank()));
        QCOMPARE(toText(type), std::string("float32[2,None]"));
        QCOMPARE(toText(tensorType(DType::String, Shape::unknownRank())), std::string("string<unknown>"));
    }

    void everyDtypeHasANameThatReadsBack() {
        for (int i = 1; i < kDTypeCount; ++i) {
            const auto dtype = static_cast<DType>(i);
            QVERIFY(dtypeFromName(dtypeName(dtype)) == std::optional(dtype));
        }
        QVERIFY(!dtypeFromName("none").has_value());
    }

    void refusesNegativeSizes() { QVERIFY_EXCEPTION_THROWN((Shape{2, -2}), retracescope::UsageError); }

    void growsWithoutLosingAnId() {
        InternTable<int> table;
        const auto intern = [&](int value) {
            return table.intern(
                static_cast<std::uint64_t>(value % 97), [&](int have) { return have == value; },
                [&] { return value; });
        };
        std::vector<std::uint32_t> ids;
        for (int value = 0; value < 2000; ++value)
            ids.push_back(intern(value));
        for (int value = 0; value < 2000; ++value) {
            QCOMPARE(intern(value), ids[static_cast<std::size_t>(value)]);
            QCOMPARE(table[ids[static_cast<std::size_t>(value)]], value);
        }
    }

    void threadsAgreeOnIds() {
        constexpr int kThreads = 4;
        std::vector<std::vector<TensorTypeId>> seen(kThreads);
        std::vector<std::jthread> threads;
        for (auto& own : seen)
            threads.emplace_back([&own] {
                for (std::int64_t size = 0; size < 3000; ++size)
                    own.push_back(tensorType(DType::Int16, Shape{size, 7}));
            });
        threads.clear();
        for (const auto& other : seen)
            QVERIFY(other == seen[0]);
    }
};

RETRACESCOPE_TEST(TensorTypeTest);

#include "tensor_type_test.moc"
