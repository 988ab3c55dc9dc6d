#include <retracescope/engine/runtime/kernels/choice.h>
#include <retracescope/engine/runtime/kernels/element.h>

namespace retracescope::runtime {

namespace {

/// Params: the operand of the step.
template <class T>
void runRange(const Command& command, Frame& frame) {
    auto* out = reinterpret_cast<T*>(frame.pointers[command.output]);
    const T start = *reinterpret_cast<const T*>(frame.pointers[command.a]);
    const T delta = *reinterpret_cast<const T*>(frame.pointers[frame.params[command.params]]);
    for (std::int64_t i = 0; i < command.count; ++i)
        out[i] = static_cast<T>(start + static_cast<T>(i) * delta);
}

/// Params: the rank and the sizes of the input, of which the result has the true elements' indices.
void runWhere(const Command& command, Frame& frame) {
    const std::int64_t* params = frame.params + command.params;
    auto* out = reinterpret_cast<std::int64_t*>(frame.pointers[command.output]);
    const auto* in = reinterpret_cast<const bool*>(frame.pointers[command.a]);
    for (std::int64_t i = 0; i < command.count; ++i) {
        if (!in[i])
            continue;
        std::int64_t rest = i;
        for (std::int64_t axis = params[0]; axis-- > 0;) {
            out[axis] = rest % params[1 + axis];
            rest /= params[1 + axis];
        }
        out += params[0];
    }
}

} // namespace

Command chooseListing(const KernelRequest& request, std::vector<std::int64_t>& params) {
    Command command;
    if (request.op == ir::Op::Where) {
        const types::Shape& shape = request.inputShape(0);
        params.push_back(shape.rank());
        params.insert(params.end(), shape.sizes().begin(), shape.sizes().end());
        command.kernel = &runWhere;
        command.count = *shape.elementCount();
        return command;
    }
    params.push_back(request.operands[2]);
    command.count = *request.outputShape().elementCount();
    withNumber(request.inputDType(), [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>)
            command.kernel = &runRange<T>;
    });
    if (!command.kernel)
        throwNoKernel(request);
    return command;
}

} // namespace retracescope::runtime
