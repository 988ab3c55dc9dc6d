#include <retracescope/engine/runtime/kernels/rows.h>

#include <algorithm>
#include <vector>

#include <retracescope/engine/runtime/kernels/element.h>

namespace retracescope::runtime {

using tensor::Tensor;
using types::Shape;

types::TensorTypeId rowType(const Tensor& tensor) {
    return types::tensorType(tensor.dtype(), Shape(tensor.shape().sizes().subspan(1)));
}

types::TensorTypeId stackType(types::TensorTypeId row, std::int64_t count) {
    const auto ofRow = types::shapeOf(row).sizes();
    std::vector<std::int64_t> sizes{count};
    sizes.insert(sizes.end(), ofRow.begin(), ofRow.end());
    return types::tensorType(types::dtypeOf(row), Shape(sizes));
}

Tensor rowOf(const Tensor& tensor, std::int64_t index, types::TensorTypeId type) {
    Tensor row = Tensor::uninitialized(type);
    copyElements(tensor, index * row.elements(), row, 0, row.elements());
    return row;
}

void copyElements(const Tensor& from, std::int64_t fromStart, Tensor& to, std::int64_t toStart,
                  std::int64_t count) {
    withStorage(from.dtype(), [&]<class T>() {
        std::copy_n(reinterpret_cast<const T*>(from.bytes()) + fromStart, count,
                    reinterpret_cast<T*>(to.mutableBytes()) + toStart);
    });
}

} // namespace retracescope::runtime
