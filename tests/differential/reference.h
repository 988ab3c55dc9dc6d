#pragma once

#include <string>
#include <vector>

#include <retracescope/engine/ir/op_table.h>

namespace retracescope::test {

/// A tensor as the reference sees it: numbers as long double or 64-bit integers, one element after the other.
struct ReferenceValue {
    types::DType dtype = types::DType::None;
    std::vector<std::int64_t> sizes;
    std::vector<long double> reals;     ///< floating dtypes
    std::vector<std::int64_t> integers; ///< integer dtypes up to 63 bits, and bool
    std::vector<std::string> texts;
    /// Of a list, of dtype None where none is set; of a dataset its elements, of these their tensors.
    std::vector<ReferenceValue> items;
    /// For reals: the size of what was added up, to which rounding errors are proportional.
    std::vector<long double> magnitudes;

    std::size_t elements() const;
};

ReferenceValue toReference(const tensor::Tensor& tensor);

/// Computes a pure op from its definition, element by element, with nothing of the engine but its op and
/// attribute names.
ReferenceValue computeReference(ir::Op op, const std::vector<ReferenceValue>& inputs,
                                ir::AttributeView attributes);

/// What differs between what the engine computed and the reference, or nothing.
std::string findDifference(const tensor::Tensor& computed, const ReferenceValue& expected);

} // namespace retracescope::test
