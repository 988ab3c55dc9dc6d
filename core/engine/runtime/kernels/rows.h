#pragma once

#include <cstdint>

#include <retracescope/engine/tensor/tensor.h>

/// Tensors as rows of another one along its leading axis.
namespace retracescope::runtime {

/// Of a row of a tensor that has one axis or more.
types::TensorTypeId rowType(const tensor::Tensor& tensor);

/// Of so many rows together.
types::TensorTypeId stackType(types::TensorTypeId row, std::int64_t count);

/// A copy of one row; `type` is rowType(tensor).
tensor::Tensor rowOf(const tensor::Tensor& tensor, std::int64_t index, types::TensorTypeId type);

/// Elements in row-major order; both tensors are of one dtype.
void copyElements(const tensor::Tensor& from, std::int64_t fromStart, tensor::Tensor& to,
                  std::int64_t toStart, std::int64_t count);

} // namespace retracescope::runtime
