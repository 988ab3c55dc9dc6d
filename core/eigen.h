#pragma once

/// Matrices, vectors and arrays of Eigen beside tensors; a program that includes it needs Eigen itself.
///
///     #include <retracescope/eigen.h>
///
///     Eigen::MatrixXf weights = Eigen::MatrixXf::Random(4, 3);
///     rs::Tensor x = rs::constant(weights);                // float32[4,3]
///     f(weights);                                          // an argument like a tensor of that type
///     Eigen::MatrixXf result = rs::asMatrix<float>(f(x));
///
/// Elements are copied, and lie in row-major order in the tensor, whatever the order of the matrix. What is a
/// vector at compile time has one axis, all else has two. Expressions of Eigen are computed.

#include <Eigen/Core>
#include <concepts>
#include <cstdint>
#include <source_location>
#include <string>

#include <retracescope/retracescope.h>

namespace retracescope::trace {

/// Objects of Eigen whose elements a tensor can hold.
template <class T>
concept EigenArray = std::derived_from<T, Eigen::DenseBase<T>> && tensor::Element<typename T::Scalar>;

template <EigenArray T>
struct HostArrayOf<T> {
    static Tensor tensorOf(const T& array) {
        using Scalar = typename T::Scalar;
        using Rows = Eigen::Array<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const types::Shape shape = T::IsVectorAtCompileTime
                                       ? types::Shape{static_cast<std::int64_t>(array.size())}
                                       : types::Shape{static_cast<std::int64_t>(array.rows()),
                                                      static_cast<std::int64_t>(array.cols())};
        Tensor result = Tensor::uninitialized(types::tensorType(types::dtypeOf<Scalar>(), shape));
        Eigen::Map<Rows>(result.mutableData<Scalar>().data(), array.rows(), array.cols()) =
            array.derived().array();
        return result;
    }
};

template <EigenArray T>
Tensor constant(const T& array, Where where = Where::current()) {
    return embedded(HostArrayOf<T>::tensorOf(array), where);
}

} // namespace retracescope::trace

namespace retracescope {

using trace::constant; // this one, too

/// The elements of an eager tensor as a matrix: a tensor of one axis is a column, a scalar has one row and
/// column. Shares the memory, so it is valid while a copy of the tensor lives. Throws UsageError for T of
/// another dtype, a tensor of more axes, a symbolic and an empty one.
template <class T>
Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>
asMatrix(const Tensor& tensor, std::source_location where = std::source_location::current()) {
    const auto elements = tensor.data<T>(where);
    const Shape& shape = tensor.shape();
    if (shape.rank() > 2)
        throw UsageError("[asMatrix] expected at most two axes, got " + toText(tensor.type()) +
                         placeText(where));
    return {elements.data(), shape.rank() > 0 ? shape[0] : 1, shape.rank() > 1 ? shape[1] : 1};
}

} // namespace retracescope
