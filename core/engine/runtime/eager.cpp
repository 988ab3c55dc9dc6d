#include <retracescope/engine/runtime/eager.h>

#include <array>

#include <fmt/format.h>

#include <retracescope/engine/runtime/checks.h>
#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/dataset_kernels.h>
#include <retracescope/engine/runtime/kernels/list_kernels.h>
#include <retracescope/engine/runtime/print.h>
#include <retracescope/engine/runtime/variable.h>

namespace retracescope::runtime {

using tensor::Tensor;

namespace {

constexpr std::size_t kFewInputs = 8;

/// Types and operand numbers of an op's inputs without a heap allocation for the usual count.
struct Operands {
    explicit Operands(std::span<const Tensor> inputs) : count(inputs.size()) {
        if (count > kFewInputs) {
            manyTypes.resize(count);
            manyRows.resize(count);
            manyPointers.resize(count + 1);
        }
        for (std::size_t i = 0; i < count; ++i) {
            typeOf(i) = inputs[i].type();
            (manyRows.empty() ? fewRows[i] : manyRows[i]) = static_cast<std::uint32_t>(i);
            pointers()[i] = const_cast<std::byte*>(inputs[i].bytes());
        }
    }
    types::TensorTypeId& typeOf(std::size_t i) { return manyTypes.empty() ? fewTypes[i] : manyTypes[i]; }
    std::span<const types::TensorTypeId> types() {
        return {manyTypes.empty() ? fewTypes.data() : manyTypes.data(), count};
    }
    std::span<const std::uint32_t> rows() {
        return {manyRows.empty() ? fewRows.data() : manyRows.data(), count};
    }
    std::byte** pointers() { return manyPointers.empty() ? fewPointers.data() : manyPointers.data(); }

    std::size_t count;
    std::array<types::TensorTypeId, kFewInputs> fewTypes;
    std::array<std::uint32_t, kFewInputs> fewRows;
    std::array<std::byte*, kFewInputs + 1> fewPointers;
    std::vector<types::TensorTypeId> manyTypes;
    std::vector<std::uint32_t> manyRows;
    std::vector<std::byte*> manyPointers;
};

void runEffect(ir::Op op, std::span<const Tensor> inputs, ir::AttributeView attributes) {
    switch (op) {
    case ir::Op::AssignVariable:
        return Variable::of(inputs[0]).assign(inputs[1]);
    case ir::Op::AssignAddVariable:
        return Variable::of(inputs[0]).assignAdd(inputs[1]);
    case ir::Op::AssignSubVariable:
        return Variable::of(inputs[0]).assignSub(inputs[1]);
    case ir::Op::Assert:
        return requireTrue(attributes.text(ir::Attribute::Text), inputs);
    default:
        RETRACESCOPE_CHECK(op == ir::Op::Print);
        return printLine(attributes.text(ir::Attribute::Text), inputs);
    }
}

} // namespace

Tensor runOp(ir::Op op, std::span<const Tensor> inputs, ir::AttributeView attributes) {
    for (const Tensor& input : inputs) {
        if (!input.isEager())
            throw UsageError(
                ir::messageStart(op) + "expected values, got " +
                (input.isEmpty() ? "an empty tensor" : "a symbolic tensor outside of its trace"));
    }
    Operands operands(inputs);
    const types::TensorTypeId type = ir::inferType(
        {op, operands.types(), attributes, ir::looksAtValues(op) ? inputs : std::span<const Tensor>()});
    if (type == types::TensorTypeId::None) {
        runEffect(op, inputs, attributes);
        return {};
    }
    if (op == ir::Op::ReadVariable)
        return Variable::of(inputs[0]).read();
    if (isOnLists(op))
        return runListOp(op, inputs, attributes);
    if (isOnDatasets(op))
        return runDatasetOp(op, inputs, attributes);
    if (op == ir::Op::CheckNumerics) {
        requireNumbers(attributes.text(ir::Attribute::Text), inputs[0]);
        return inputs[0];
    }
    if (isView(op))
        return inputs[0].viewedAs(type);

    Tensor result = Tensor::uninitialized(type, ir::opName(op));
    operands.pointers()[operands.count] = result.mutableBytes();
    thread_local std::vector<std::int64_t> params; // kernels never run other ops, so nothing nests here
    params.clear();
    const Command command = chooseKernel(
        {op, attributes, operands.types(), type, operands.rows(), static_cast<std::uint32_t>(operands.count)},
        params);
    Frame frame;
    frame.pointers = operands.pointers();
    frame.params = params.data();
    command.kernel(command, frame);
    return result;
}

} // namespace retracescope::runtime
