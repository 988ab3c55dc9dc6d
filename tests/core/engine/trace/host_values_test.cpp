#include <QTest>

#include <bit>
#include <cmath>
#include <complex>

#include <retracescope/engine/tensor/half.h>
#include <retracescope/engine/trace/host_values.h>
#include <retracescope/retracescope.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::trace;

class HostValuesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyHalfSurvivesARoundTrip() {
        for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
            const auto half = static_cast<std::uint16_t>(bits);
            if (!std::isnan(tensor::fromFloat16(half)))
                QCOMPARE(tensor::toFloat16(tensor::fromFloat16(half)), half);
            if (!std::isnan(tensor::fromBFloat16(half)))
                QCOMPARE(tensor::toBFloat16(tensor::fromBFloat16(half)), half);
        }
        QVERIFY(std::isnan(tensor::fromFloat16(tensor::toFloat16(std::nanf("1")))));
        QVERIFY(std::isnan(tensor::fromBFloat16(tensor::toBFloat16(std::nanf("1")))));
    }

    void roundsToTheNearestHalfTiesToEven() {
        // Between two neighbours: below the middle goes down, the middle goes to the even one, above goes up.
        for (std::uint16_t low = 0; low < 0x7bff; ++low) {
            const double a = tensor::fromFloat16(low);
            const double b = tensor::fromFloat16(static_cast<std::uint16_t>(low + 1));
            const auto middle = static_cast<float>((a + b) / 2);
            const auto even = static_cast<std::uint16_t>(low + (low & 1));
            QCOMPARE(tensor::toFloat16(middle), even);
            QCOMPARE(tensor::toFloat16(std::nextafterf(middle, 0.0f)), low);
            QCOMPARE(tensor::toFloat16(std::nextafterf(middle, HUGE_VALF)),
                     static_cast<std::uint16_t>(low + 1));
        }
        QCOMPARE(tensor::toFloat16(65519.0f), std::uint16_t{0x7bff});
        QCOMPARE(tensor::toFloat16(65520.0f), std::uint16_t{0x7c00});
        QCOMPARE(tensor::toFloat16(-1e30f), std::uint16_t{0xfc00});
        QCOMPARE(tensor::toBFloat16(1.00390625f), std::uint16_t{0x3f80}); // halfway: the even one
        QCOMPARE(tensor::toBFloat16(1.01171875f), std::uint16_t{0x3f82});
    }

    void literalsBecomeElementsOfEveryDType() {
        const auto text = [](const types::Literal& literal, DType dtype) {
            try {
                return types::toText(literalAt(tensorOf(std::span(&literal, 1), dtype, Shape{}, "[x] "), 0));
            } catch (const UsageError& error) {
                return std::string(error.what());
            }
        };
        for (const DType dtype : {DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt8,
                                  DType::UInt16, DType::UInt32, DType::UInt64}) {
            QCOMPARE(text(100, dtype), std::string("100"));
            QVERIFY(text(1.0, dtype).find("got the host value 1.0") != std::string::npos);
        }
        for (const DType dtype : {DType::Float16, DType::BFloat16, DType::Float32, DType::Float64}) {
            QCOMPARE(text(0.5, dtype), std::string("0.5"));
            QCOMPARE(text(2, dtype), std::string("2.0"));
        }
        QCOMPARE(text(std::complex(1.0, 2.0), DType::Complex64), std::string("(1+2j)"));
        QCOMPARE(text(2, DType::Complex128), std::string("(2+0j)"));
        QCOMPARE(text("a", DType::String), std::string("'a'"));
        QCOMPARE(text(true, DType::Bool), std::string("True"));
        QCOMPARE(text(-1, DType::UInt8), std::string("[x] expected uint8, got the host value -1"));
        QVERIFY(text(1, DType::Bool).find("expected bool") != std::string::npos);
        QVERIFY(text({}, DType::Float32).find("expected float32") != std::string::npos);
    }

    void convertsAsNumPyAndTensorFlowDo() {
        const auto numpy = [](const types::Literal& literal, DType dtype) {
            return types::toText(converted(literal, dtype, Conversion::AsNumPy));
        };
        QCOMPARE(numpy(-2.9, DType::Int32), std::string("-2"));
        QCOMPARE(numpy(-2.9, DType::UInt8), std::string("254"));
        QCOMPARE(numpy(300, DType::Int8), std::string("44"));
        QCOMPARE(numpy(std::nan("1"), DType::Bool), std::string("True"));
        QCOMPARE(numpy(std::nan("1"), DType::Int64), std::string("-9223372036854775808"));
        QCOMPARE(numpy(std::complex(1.5, 1.0), DType::Float32), std::string("1.5"));
        QCOMPARE(numpy(true, DType::Float32), std::string("1"));
        QCOMPARE(numpy("a", DType::Int32), std::string("'a'"));
        const auto tensorflow = [](const types::Literal& literal, DType dtype) {
            return types::toText(converted(literal, dtype, Conversion::AsTensorFlow));
        };
        QCOMPARE(tensorflow(true, DType::Int32), std::string("1"));
        QCOMPARE(tensorflow(true, DType::Int8), std::string("True"));
        QCOMPARE(tensorflow(300, DType::Int8), std::string("44"));
        QCOMPARE(tensorflow(2.5, DType::Int32), std::string("2.5"));
    }
};

RETRACESCOPE_TEST(HostValuesTest);

#include "host_values_test.moc"
