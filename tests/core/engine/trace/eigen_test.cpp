// Eigen's matrices and vectors of numbers as arguments and constants.
#include <QTest>

#include <retracescope/eigen.h>

#include "tests/support/error_of.h"
#include "tests/support/test_main.h"
#include "tests/support/verify_contains.h"

using namespace retracescope;
using test::errorOf;

class EigenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matricesAreArgumentsLikeTensors() {
        const Function f("f", {"x"}, [](Tensor x) { return x * 2.0f; });
        Eigen::MatrixXf matrix(2, 3); // column by column in memory
        matrix << 1, 2, 3, 4, 5, 6;
        QCOMPARE(f(matrix).values<float>(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
        const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = matrix;
        QCOMPARE(f(rows).values<float>(), (std::vector<float>{2, 4, 6, 8, 10, 12}));
        QCOMPARE(f(matrix * 10).values<float>()[5], 120.0f);
        QCOMPARE(f(matrix.array() + 1).values<float>()[0], 4.0f);
        f(zeros({2, 3}));
        QCOMPARE(f.tracingCount(), std::size_t{1});
        QCOMPARE(f(matrix.transpose()).values<float>(), (std::vector<float>{2, 8, 4, 10, 6, 12}));
        QCOMPARE(f(matrix.transpose()).shape(), (Shape{3, 2}));
        QCOMPARE(f.tracingCount(), std::size_t{2});
        matrix(0, 0) = 7;
        QCOMPARE(f(matrix).values<float>()[0], 14.0f); // read anew at each call
    }

    void vectorsHaveOneAxis() {
        const Function f("f", {"x"}, [](Tensor x) { return x; });
        QCOMPARE(f(Eigen::Vector3d(1, 2, 3)).type(), constant({1.0, 2.0, 3.0}).type());
        QCOMPARE(f(Eigen::RowVector2i(1, 2)).type(), constant({1, 2}).type());
        QCOMPARE(f(Eigen::MatrixXf(0, 2)).shape(), (Shape{0, 2}));
        QCOMPARE(f(Eigen::VectorXf(0)).shape(), Shape{0});
    }

    void areHeldToAnInputSignatureAsArraysOfTheHost() {
        const Function f("f", {"x"}, [](Tensor x) { return reduceSum(x); },
                         {.inputSignature = {{TensorSpec{DType::Float64, Shape{Shape::kUnknown}}}}});
        QCOMPARE(f(Eigen::Vector2f(1, 2)).scalar<double>(), 3.0);
        QCOMPARE(f(std::vector<float>{1, 2, 3}).scalar<double>(), 6.0);
        VERIFY_CONTAINS(errorOf([&] { f(Eigen::Matrix2f::Zero()); }), "(eigen_test.cpp:");
    }

    void areConstants() {
        const Eigen::Matrix2f matrix{{1, 2}, {3, 4}};
        const Tensor eager = constant(matrix);
        QCOMPARE(eager.values<float>(), (std::vector<float>{1, 2, 3, 4}));
        const Function f("f", {"x"}, [&](Tensor x) { return matmul(x, constant(matrix)); });
        QCOMPARE(f(Eigen::Matrix2f::Identity()).values<float>(), (std::vector<float>{1, 2, 3, 4}));
    }

    void tensorsAreMatrices() {
        const Tensor x = constant({{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}});
        const Eigen::MatrixXf matrix = asMatrix<float>(x);
        QCOMPARE(matrix(1, 0), 4.0f);
        QCOMPARE(asMatrix<float>(x).data(), x.data<float>().data());
        QCOMPARE(asMatrix<std::int32_t>(constant({1, 2, 3})).rows(), Eigen::Index{3});
        QCOMPARE(asMatrix<double>(constant(1.5))(0, 0), 1.5);
        VERIFY_CONTAINS(errorOf([] {
                            asMatrix<float>(zeros({1, 2, 3}));
                        }),
                        "[asMatrix] expected at most two axes, got float32[1,2,3] (eigen_test.cpp:");
        VERIFY_CONTAINS(errorOf([&] { asMatrix<double>(x); }), "(eigen_test.cpp:");
    }

    void aVectorOfNumbersIsATensorWhereOneIsTaken() {
        const Function f("f", {"x"}, [](Tensor x) { return reduceSum(x); });
        QCOMPARE(f(std::vector<float>{1, 2, 3}).scalar<float>(), 6.0f);
        QCOMPARE(f(std::vector<float>{4, 5, 6}).scalar<float>(), 15.0f); // by shape, not by value
        f(zeros({3}));
        QCOMPARE(f.tracingCount(), std::size_t{1});
        QCOMPARE(f(arg("x", std::vector<int>{1, 2})).scalar<std::int32_t>(), 3);
        QCOMPARE(f(std::vector<float>()).scalar<float>(), 0.0f);
        const Function sizes("sizes", {"axes"}, [](std::vector<int> axes) { return constant(axes[0]); });
        sizes(std::vector<int>{1, 2});
        sizes(std::vector<int>{2, 2}); // a list of host values, where that is what is taken
        QCOMPARE(sizes.tracingCount(), std::size_t{2});
    }
};

RETRACESCOPE_TEST(EigenTest);

#include "eigen_test.moc"
