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

    void convertsAsNumPyDoes() {
        QCOMPARE(made({-2.9}, DType::Int32, Conversion::AsNumPy), std::string("-2"));
        QCOMPARE(made({-2.9}, DType::UInt8, Conversion::AsNumPy), std::string("254"));
        QCOMPARE(made({300}, DType::Int8, Conversion::AsNumPy), std::string("44"));
        QCOMPARE(made({-1}, DType::UInt64, Conversion::AsNumPy), std::string("1.8446744073709552e+19"));
        QCOMPARE(made({std::nan("1")}, DType::Bool, Conversion::AsNumPy), std::string("True"));
        QCOMPARE(made({std::nan("1")}, DType::Int64, Conversion::AsNumPy),
                 std::string("-9223372036854775808"));
        QCOMPARE(made({std::complex(1.5, 1.0)}, DType::Float32, Conversion::AsNumPy), std::string("1.5"));
        QCOMPARE(made({true}, DType::Float32, Conversion::AsNumPy), std::string("1.0"));
        QVERIFY(made({"a"}, DType::Int32, Conversion::AsNumPy).find("expected int32") != std::string::npos);
    }

    // Measured with tensorflow-cpu 2.21.0: what an input signature takes.
    void convertsAsTensorFlowDoes_data() {
        QTest::addColumn<int>("dtype");
        QTest::addColumn<QString>("expected"); // of [True, 1], [1, True], [1.5, True], [1, 1j]
        const auto row = [](DType dtype, const char* expected) {
            QTest::newRow(std::string(types::dtypeName(dtype)).c_str())
                << static_cast<int>(dtype) << expected;
        };
        row(DType::Int8, "- 1 - -");
        row(DType::UInt16, "- 1 - -");
        row(DType::Int32, "1 1 - -");
        row(DType::UInt64, "1 1 - -");
        row(DType::BFloat16, "- 1.0 1.0 -");
        row(DType::Float16, "1.0 1.0 1.0 -");
        row(DType::Complex64, "- (1+0j) (1+0j) -");
        row(DType::Complex128, "(1+0j) (1+0j) (1+0j) 1j");
    }
    void convertsAsTensorFlowDoes() {
        QFETCH(int, dtype);
        QFETCH(QString, expected);
        const std::vector<std::pair<std::vector<types::Literal>, std::size_t>> lists{
            {{true, 1}, 0}, {{1, true}, 1}, {{1.5, true}, 1}, {{1, std::complex(0.0, 1.0)}, 1}};
        std::string all;
        for (const auto& [list, shown] : lists) {
            const std::string text = made(list, static_cast<DType>(dtype), Conversion::AsTensorFlow, shown);
            all += (all.empty() ? "" : " ") + (text.find("expected") != std::string::npos ? "-" : text);
        }
        QCOMPARE(QString::fromStdString(all), expected);
    }

    void whatIsWrittenInPythonWrapsAroundButForUInt64() {
        QCOMPARE(made({300}, DType::Int8, Conversion::AsTensorFlow), std::string("44"));
        QVERIFY(made({-1}, DType::UInt64, Conversion::AsTensorFlow).find("expected uint64") !=
                std::string::npos);
        QVERIFY(made({2.5}, DType::Int32, Conversion::AsTensorFlow).find("expected int32") !=
                std::string::npos);
    }

private:
    /// Element `shown` of what becomes of them, or the message.
    static std::string made(const std::vector<types::Literal>& literals, DType dtype, Conversion conversion,
                            std::size_t shown = 0) {
        const auto size = static_cast<std::int64_t>(literals.size());
        try {
            return types::toText(literalAt(
                tensorOf(literals, dtype, size == 1 ? types::Shape{} : types::Shape{size}, "", conversion),
                static_cast<std::int64_t>(shown)));
        } catch (const UsageError& error) {
            return error.what();
        }
    }
};

RETRACESCOPE_TEST(HostValuesTest);

#include "host_values_test.moc"
