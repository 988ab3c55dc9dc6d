#include "tests/differential/random_program.h"

#include <algorithm>
#include <map>

#include <retracescope/engine/runtime/dataset_functions.h>
#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/differential/random_movement.h"

namespace retracescope::test {

using ir::Attribute;
using ir::Attributes;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using tensor::Tensor;
using types::DType;

namespace {

constexpr std::int64_t kMostElements = 300;

int below(Random& random, int bound) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(bound));
}

template <class T>
const T& oneOf(Random& random, const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(below(random, static_cast<int>(choices.size())))];
}

types::TensorTypeId makeType(Random& random) {
    static const std::vector<DType> dtypes{DType::Float32, DType::Float32, DType::Float32, DType::Float64,
                                           DType::Int32,   DType::Int64,   DType::Bool,    DType::Int8,
                                           DType::UInt8,   DType::UInt32,  DType::Int16,   DType::String};
    static const std::vector<std::int64_t> sizes{1, 2, 3, 3, 4, 17, 0};
    std::vector<std::int64_t> shape;
    for (int rank = below(random, 4); rank > 0; --rank) {
        // An empty axis now and then; too often and programs compute nothing.
        const std::int64_t size = oneOf(random, sizes);
        shape.push_back(size == 0 && below(random, 4) != 0 ? 2 : size);
    }
    return types::tensorType(oneOf(random, dtypes), types::Shape(shape));
}

template <class T>
Tensor makeNumbers(types::TensorTypeId type, Random& random) {
    Tensor result = Tensor::uninitialized(type);
    for (T& element : result.mutableData<T>()) {
        if constexpr (std::is_same_v<T, bool>)
            element = below(random, 2) != 0;
        else if constexpr (std::is_floating_point_v<T>)
            element = static_cast<T>(below(random, 4001) - 2000) / T(500);
        else
            element = static_cast<T>(below(random, 20) == 0 ? static_cast<std::int64_t>(random())
                                                            : below(random, 21) - 10);
    }
    if constexpr (std::is_floating_point_v<T>) {
        static const std::vector<T> special{T(0),
                                            -T(0),
                                            std::numeric_limits<T>::quiet_NaN(),
                                            std::numeric_limits<T>::infinity(),
                                            -std::numeric_limits<T>::infinity(),
                                            T(100),
                                            T(-100)};
        if (result.elements() > 0 && below(random, 4) == 0)
            result.mutableData<T>()[static_cast<std::size_t>(
                below(random, static_cast<int>(result.elements())))] = oneOf(random, special);
    }
    return result;
}

class Generator {
public:
    Generator(std::uint64_t seed) : m_random(seed) {}

    RandomProgram make() {
        m_program.graph = Graph("program");
        for (int i = 1 + below(m_random, 4); i > 0; --i) {
            const auto type = makeType(m_random);
            m_program.graph.addInput(type, "x" + std::to_string(i));
            m_program.inputs.push_back(makeValue(type, m_random));
        }
        for (int i = below(m_random, 3); i > 0; --i)
            addVariable();
        addNodes(m_program.graph, 5 + below(m_random, 25), true);
        return std::move(m_program);
    }

private:
    void addVariable() {
        types::TensorTypeId type = makeType(m_random);
        while (!types::isNumeric(types::dtypeOf(type)))
            type = makeType(m_random);
        Tensor initial = makeValue(type, m_random);
        m_program.initialValues.push_back(initial);
        m_program.variables.push_back(runtime::Variable::make("v", type, initial));
        m_handles.push_back(m_program.graph.addCapture(Tensor::resource(m_program.variables.back()), "v"));
    }

    void addNodes(Graph& graph, int count, bool isOutermost) {
        for (int tries = 0; count > 0 && tries < 2000; ++tries) {
            try {
                if (addNode(graph, isOutermost))
                    --count;
            } catch (const UsageError&) {
                // does not fit: try another
            }
        }
        std::vector<NodeId> outputs;
        for (NodeId node = 0; node < graph.nodeCount(); ++node) {
            if (isValue(graph, node) && below(m_random, 3) == 0)
                outputs.push_back(node);
        }
        if (!outputs.empty() && below(m_random, 8) == 0)
            outputs.push_back(outputs[0]);
        graph.setOutputs(outputs);
    }

    static bool isValue(const Graph& graph, NodeId node) {
        return graph.typeOf(node) != types::TensorTypeId::None &&
               !tensor::holdsResources(types::dtypeOf(graph.typeOf(node)));
    }

    /// Of a value whose size only the run knows most ops fail, so that programs would compute little.
    static bool isOperand(const Graph& graph, NodeId node) {
        return isValue(graph, node) &&
               (graph.node(node).op != Op::ListStack || types::shapeOf(graph.typeOf(node)).isKnown());
    }

    NodeId anyNode(const Graph& graph) {
        while (true) {
            const auto node = static_cast<NodeId>(below(m_random, static_cast<int>(graph.nodeCount())));
            if (isOperand(graph, node))
                return node;
        }
    }

    /// A node whose type is like that of `like`, so that binary ops fit often enough.
    NodeId nodeLike(const Graph& graph, NodeId like) {
        std::vector<NodeId> fitting;
        for (NodeId node = 0; node < graph.nodeCount(); ++node) {
            if (isOperand(graph, node) &&
                types::dtypeOf(graph.typeOf(node)) == types::dtypeOf(graph.typeOf(like)))
                fitting.push_back(node);
        }
        return oneOf(m_random, fitting);
    }

    bool addNode(Graph& graph, bool isOutermost) {
        switch (below(m_random, 19)) {
        case 0:
            graph.addConstant(makeValue(makeType(m_random), m_random));
            return true;
        case 1:
            return isOutermost && addVariableUse(graph);
        case 2:
            return isOutermost && below(m_random, 3) == 0 && addCond(graph);
        case 3:
            return isOutermost && below(m_random, 3) == 0 && addCall(graph);
        case 4:
            return isOutermost && below(m_random, 3) == 0 && addWhile(graph);
        case 5:
            return below(m_random, 2) == 0 && addList(graph);
        case 6:
            return below(m_random, 2) == 0 && addDataset(graph, isOutermost);
        case 7:
            return isOutermost && below(m_random, 3) == 0 && addHostCall(graph);
        default:
            return addPure(graph);
        }
    }

    bool addPure(Graph& graph) {
        const auto first = static_cast<int>(Op::Identity);
        const auto op = static_cast<Op>(first + below(m_random, static_cast<int>(Op::TileGrad) - first + 1));
        std::vector<NodeId> inputs{anyNode(graph)};
        const int most = ir::opInfo(op).maxInputs;
        const int wanted = most < 0 ? 1 + below(m_random, 3) : most;
        while (static_cast<int>(inputs.size()) < wanted)
            inputs.push_back(op == Op::Select && inputs.size() == 1 ? anyNode(graph)
                                                                    : nodeLike(graph, inputs.back()));
        if (op == Op::CheckNumerics)
            inputs[0] = graph.append(Op::OnesLike, inputs);
        if (op == Op::Fill)
            inputs = {graph.append(Op::ShapeOf, {inputs[0]}), inputs[1]};
        if (isMovement(op)) {
            completeInputs(graph, op, inputs, m_random);
            requireSmall(graph, op, inputs);
            graph.append(op, inputs, movementAttributes(graph, op, inputs, m_random));
            return true;
        }
        if (op == Op::ConcatPart)
            inputs = partsOfAConcat(graph, inputs);
        if (op == Op::MatMul && below(m_random, 4) != 0)
            inputs[1] = inputs[0]; // fits whenever one of the two is transposed
        if (op == Op::SumLike && below(m_random, 2) == 0)
            inputs[0] = graph.append(Op::Add, inputs);
        if ((op == Op::Div || op == Op::FloorDiv || op == Op::FloorMod) &&
            types::isInteger(types::dtypeOf(graph.typeOf(inputs[1]))))
            inputs[1] = withoutZeros(graph, inputs[1]);
        if (op == Op::Pow && types::isInteger(types::dtypeOf(graph.typeOf(inputs[1]))))
            inputs[1] = graph.append(Op::Relu, {inputs[1]}); // no negative exponents
        const bool multiplies = op == Op::ReduceProd || op == Op::CumProd;
        if (multiplies && types::isFloating(types::dtypeOf(graph.typeOf(inputs[0]))))
            inputs[0] = graph.append(Op::Tanh, {inputs[0]}); // whose products never leave the dtype's range
        requireSmall(graph, op, inputs);
        graph.append(op, inputs,
                     op == Op::ConcatPart ? partAttributes(inputs.size() - 1)
                                          : makeAttributes(graph, op, inputs[0]));
        return true;
    }

    /// Most inputs do not join: their concat first, then what went into it.
    static std::vector<NodeId> partsOfAConcat(Graph& graph, const std::vector<NodeId>& parts) {
        std::vector<NodeId> inputs{graph.append(Op::Concat, parts, Attributes().set(Attribute::Axis, -1))};
        inputs.insert(inputs.end(), parts.begin(), parts.end());
        return inputs;
    }

    /// max(|x|, 1): -min wraps to min, below 1.
    static NodeId withoutZeros(Graph& graph, NodeId node) {
        const NodeId one = graph.append(Op::OnesLike, {node});
        return graph.append(Op::Maximum, {graph.append(Op::Abs, {node}), one});
    }

    static void requireSmall(const Graph& graph, Op op, std::span<const NodeId> inputs) {
        std::int64_t elements = 1;
        for (const NodeId input : inputs)
            elements *=
                std::max<std::int64_t>(1, types::shapeOf(graph.typeOf(input)).elementCount().value_or(1));
        if (elements > kMostElements * 20 && op != Op::Identity)
            throw UsageError("too large");
    }

    Attributes makeAttributes(const Graph& graph, Op op, NodeId input) {
        const types::Shape& shape = types::shapeOf(graph.typeOf(input));
        const int rank = shape.rank();
        Attributes attributes;
        if (op == Op::Cast) {
            static const std::vector<DType> targets{DType::Float32, DType::Float64, DType::Int32,
                                                    DType::Int64,   DType::Bool,    DType::Int8,
                                                    DType::UInt8,   DType::UInt32};
            attributes.set(Attribute::DType, static_cast<std::int64_t>(oneOf(m_random, targets)));
        } else if (op == Op::MatMul) {
            attributes.set(Attribute::TransposeA, below(m_random, 2))
                .set(Attribute::TransposeB, below(m_random, 2));
        } else if (op == Op::Transpose && below(m_random, 2) == 0) {
            std::vector<std::int64_t> permutation(static_cast<std::size_t>(rank));
            for (std::size_t i = 0; i < permutation.size(); ++i)
                permutation[i] = static_cast<std::int64_t>(i);
            std::ranges::shuffle(permutation, m_random);
            attributes.set(Attribute::Permutation, permutation);
        } else if (op == Op::Reshape) {
            if (rank > 1 && below(m_random, 2) == 0)
                attributes.set(Attribute::Shape, {shape[0], -1});
            else
                attributes.set(Attribute::Shape, {-1});
        } else if (op == Op::BroadcastTo) {
            std::vector<std::int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
            for (std::int64_t& size : sizes)
                size = size == 1 ? 1 + below(m_random, 3) : size;
            sizes.insert(sizes.begin(), 2);
            attributes.set(Attribute::Shape, sizes);
        } else if (op == Op::Concat) {
            attributes.set(Attribute::Axis, below(m_random, 4) - 2);
        } else if (op == Op::ArgMax || op == Op::ArgMin) {
            attributes.set(Attribute::Axis, below(m_random, 4) - 2)
                .set(Attribute::KeepDims, below(m_random, 2));
        } else if (op == Op::CumSum || op == Op::CumProd) {
            attributes.set(Attribute::Axis, below(m_random, 4) - 2)
                .set(Attribute::Exclusive, below(m_random, 2))
                .set(Attribute::Reverse, below(m_random, 2));
        } else if (op >= Op::ReduceSum && op <= Op::ReduceAll) {
            if (rank > 0 && below(m_random, 3) != 0)
                attributes.set(Attribute::Axes,
                               {below(m_random, rank) - (below(m_random, 2) == 0 ? rank : 0)});
            attributes.set(Attribute::KeepDims, below(m_random, 2));
        }
        return attributes;
    }

    Attributes partAttributes(std::size_t parts) {
        return Attributes()
            .set(Attribute::Axis, -1)
            .set(Attribute::Index, below(m_random, static_cast<int>(parts)));
    }

    bool addVariableUse(Graph& graph) {
        if (m_handles.empty())
            return false;
        const auto which = static_cast<std::size_t>(below(m_random, static_cast<int>(m_handles.size())));
        const auto type = m_program.variables[which]->type();
        const auto attributes = Attributes().set(Attribute::Type, static_cast<std::int64_t>(type));
        const NodeId handle = m_handles[which];
        if (below(m_random, 2) == 0) {
            graph.append(Op::ReadVariable, {handle}, attributes);
            return true;
        }
        static const std::vector<Op> writes{Op::AssignVariable, Op::AssignAddVariable, Op::AssignSubVariable};
        for (int tries = 0; tries < 20; ++tries) {
            const NodeId value = anyNode(graph);
            if (graph.typeOf(value) == type) {
                graph.append(oneOf(m_random, writes), {handle, value}, attributes);
                return true;
            }
        }
        return false;
    }

    /// A list of the rows of a value and a list that is filled one by one; what lies in them again.
    bool addList(Graph& graph) {
        const NodeId value = anyNode(graph);
        const types::Shape& shape = types::shapeOf(graph.typeOf(value));
        if (shape.rank() == 0 || shape[0] <= 0) // none, or an unknown number
            return false;
        const types::TensorTypeId row =
            types::tensorType(types::dtypeOf(graph.typeOf(value)), types::Shape(shape.sizes().subspan(1)));
        const auto ofRow = Attributes().set(Attribute::Type, static_cast<std::int64_t>(row));
        const auto index = [&](std::int64_t at) { return graph.addConstant(tensor::constant(at)); };
        const std::int64_t chosen = below(m_random, static_cast<int>(shape[0]));
        const NodeId rows = graph.append(Op::ListFromTensor, {value});
        const NodeId one = graph.append(Op::ListGet, {rows, index(chosen)}, ofRow);
        const int size = 1 + below(m_random, 20);
        NodeId filled =
            graph.append(Op::ListReserve, {index(0)}, Attributes(ofRow).set(Attribute::DynamicSize, 1));
        for (int i = size; i-- > 0;)
            filled = graph.append(Op::ListSet, {filled, index(i), one});
        graph.append(Op::ListStack, {filled}, ofRow);
        graph.append(Op::ListLength, {filled});
        if (types::isNumeric(types::dtypeOf(row))) {
            const NodeId sum = graph.append(Op::ListAdd, {filled, rows});
            graph.append(Op::ListStack, {sum, value});
            graph.append(Op::ListGet, {sum, index(size + shape[0]), one}); // is not set
        }
        return true;
    }

    /// Of a row and a number: adds one to the number, or asks whether it is below five.
    static NodeId elementFunction(Graph& graph, Op op, types::TensorTypeId row) {
        Graph inner("of elements");
        const NodeId x = inner.addInput(row, "x");
        const NodeId n = inner.addInput(types::tensorType(DType::Int64, types::Shape{}), "n");
        if (op == Op::DatasetMap)
            inner.setOutputs(std::array{
                x, inner.append(Op::Add, {n, inner.addConstant(tensor::constant(std::int64_t{1}))})});
        else
            inner.setOutputs(std::array{
                inner.append(Op::Less, {n, inner.addConstant(tensor::constant(std::int64_t{5}))})});
        return graph.addCapture(Tensor::resource(
            std::make_shared<runtime::ElementFunction>(runtime::Executable::compile(std::move(inner)))));
    }

    /// The rows of a value and numbers beside them, through a few stages; then the first elements of all
    /// that.
    bool addDataset(Graph& graph, bool isOutermost) {
        const NodeId value = anyNode(graph);
        const types::Shape& shape = types::shapeOf(graph.typeOf(value));
        if (shape.rank() == 0 || shape[0] == 0)
            return false;
        const types::TensorTypeId row =
            types::tensorType(types::dtypeOf(graph.typeOf(value)), types::Shape(shape.sizes().subspan(1)));
        const auto number = [&](std::int64_t at) { return graph.addConstant(tensor::constant(at)); };
        const NodeId like = graph.append(Op::ListGet, {graph.append(Op::ListFromTensor, {value}), number(0)},
                                         Attributes().set(Attribute::Type, static_cast<std::int64_t>(row)));
        NodeId dataset = graph.append(
            Op::DatasetZip,
            {below(m_random, 2) == 0 ? graph.append(Op::DatasetSlices, {value})
                                     : graph.append(Op::DatasetTensors, {like}),
             graph.append(Op::DatasetRange, {number(below(m_random, 5)), number(7), number(1)})});
        const bool isFiltered = isOutermost && below(m_random, 4) == 0;
        if (isFiltered || (isOutermost && below(m_random, 4) == 0)) {
            const Op op = isFiltered ? Op::DatasetFilter : Op::DatasetMap;
            dataset = graph.append(op, {dataset, elementFunction(graph, op, row)});
        }
        bool isBatched = false;
        for (int stages = below(m_random, 4); stages > 0; --stages) {
            std::vector<Op> ops{Op::DatasetRepeat, Op::DatasetTake, Op::DatasetSkip};
            if (!isBatched) // the batches of batches would be of two shapes
                ops.push_back(Op::DatasetBatch);
            const Op op = oneOf(m_random, ops);
            isBatched = isBatched || op == Op::DatasetBatch;
            const int least = op == Op::DatasetBatch ? 1 : 0;
            const auto attributes = op == Op::DatasetBatch && below(m_random, 2) == 0
                                        ? Attributes().set(Attribute::DropRemainder, 1)
                                        : Attributes();
            dataset = graph.append(op, {dataset, number(least + below(m_random, 3))}, attributes);
        }
        if (!isFiltered) // nobody knows
            graph.append(Op::DatasetCardinality, {dataset});
        dataset = graph.append(Op::DatasetShuffle, {dataset, number(1), number(3)}); // changes nothing
        const NodeId iterator = graph.append(Op::DatasetIterator, {dataset});
        for (int i = 0; i < 3; ++i) {
            const NodeId element =
                graph.append(Op::IteratorNext, {iterator}, Attributes().set(Attribute::Optional, 1));
            graph.append(Op::ListLength, {element});
            if (!isBatched && types::isNumeric(types::dtypeOf(row)))
                graph.append(Op::ListGet, {element, number(0), like}); // zeros at the end
        }
        return true;
    }

    std::vector<NodeId> someNodes(const Graph& graph) {
        std::vector<NodeId> nodes;
        for (int i = 1 + below(m_random, 3); i > 0; --i)
            nodes.push_back(anyNode(graph));
        return nodes;
    }

    Graph makeInner(const Graph& outer, std::span<const NodeId> arguments, const char* name) {
        Graph inner(name);
        for (const NodeId argument : arguments)
            inner.addInput(outer.typeOf(argument), "a");
        addNodes(inner, 1 + below(m_random, 6), false);
        return inner;
    }

    /// Of a function that returns its arguments in reverse, and a check that always holds.
    bool addHostCall(Graph& graph) {
        const std::vector<NodeId> arguments = someNodes(graph);
        std::vector<types::TensorTypeId> results;
        for (const NodeId argument : arguments)
            results.insert(results.begin(), graph.typeOf(argument));
        const auto reverse = [](std::span<const Tensor> given) {
            return std::vector<Tensor>(given.rbegin(), given.rend());
        };
        graph.addHostCall(
            std::make_shared<const ir::HostFunction>(ir::HostFunction{"reverse", results, reverse}),
            arguments);
        graph.append(Op::Assert, {graph.addConstant(tensor::constant(true)), arguments[0]});
        return true;
    }

    bool addCond(Graph& graph) {
        std::vector<NodeId> arguments = someNodes(graph);
        Graph thenBranch = makeInner(graph, arguments, "then");
        Graph elseBranch = makeInner(graph, arguments, "else");
        // As many results with the same dtypes: what both have in common, in the then branch's order.
        std::vector<NodeId> thenOutputs;
        std::vector<NodeId> elseOutputs;
        for (const NodeId output : thenBranch.outputs()) {
            for (const NodeId other : elseBranch.outputs()) {
                if (types::commonSupertype(thenBranch.typeOf(output), elseBranch.typeOf(other)) !=
                    types::TensorTypeId::None) {
                    thenOutputs.push_back(output);
                    elseOutputs.push_back(other);
                    break;
                }
            }
        }
        thenBranch.setOutputs(thenOutputs);
        elseBranch.setOutputs(elseOutputs);
        const NodeId truth = graph.addConstant(tensor::constant(below(m_random, 2) == 0));
        graph.addCond(truth, std::make_shared<const Graph>(thenBranch),
                      std::make_shared<const Graph>(elseBranch), arguments);
        return true;
    }

    bool addCall(Graph& graph) {
        const std::vector<NodeId> arguments = someNodes(graph);
        graph.addCall(runtime::Executable::compile(makeInner(graph, arguments, "callee")), arguments);
        return true;
    }

    /// A few trips, each of which changes some values without changing their types.
    bool addWhile(Graph& graph) {
        std::vector<NodeId> arguments = someNodes(graph);
        arguments.insert(arguments.begin(), graph.addConstant(tensor::constant(0)));
        const std::size_t count =
            1 + static_cast<std::size_t>(below(m_random, static_cast<int>(arguments.size())));
        Graph condition("condition");
        Graph body("body");
        std::vector<NodeId> values;
        for (const NodeId argument : arguments) {
            condition.addInput(graph.typeOf(argument), "a");
            values.push_back(body.addInput(graph.typeOf(argument), "a"));
        }
        const NodeId end = condition.addConstant(tensor::constant(below(m_random, 4)));
        condition.setOutputs(std::array{condition.append(Op::Less, {condition.inputs()[0], end})});
        values.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const NodeId value = values[i];
            if (i == 0)
                values[i] = body.append(Op::Add, {value, body.addConstant(tensor::constant(1))});
            else if (types::dtypeOf(body.typeOf(value)) == DType::Bool)
                values[i] = body.append(Op::LogicalNot, {value});
            else
                values[i] = body.append(Op::Add, {value, value});
        }
        body.setOutputs(values);
        graph.addWhile(std::make_shared<const Graph>(condition), std::make_shared<const Graph>(body),
                       arguments, count);
        return true;
    }

    Random m_random;
    RandomProgram m_program;
    std::vector<NodeId> m_handles;
};

types::TensorTypeId opened(types::TensorTypeId type, bool unknownRank) {
    if (types::dtypeOf(type) == DType::Resource)
        return type;
    if (unknownRank)
        return types::tensorType(types::dtypeOf(type), types::Shape::unknownRank());
    const std::vector<std::int64_t> sizes(static_cast<std::size_t>(types::shapeOf(type).rank()),
                                          types::Shape::kUnknown);
    return types::tensorType(types::dtypeOf(type), types::Shape(sizes));
}

/// The nodes of `graph` on inputs of other types.
Graph rebuilt(const Graph& graph, std::span<const types::TensorTypeId> inputTypes) {
    Graph result(graph.name());
    std::map<NodeId, NodeId> map;
    std::size_t input = 0;
    const auto mapped = [&](std::span<const NodeId> nodes) {
        std::vector<NodeId> found;
        for (const NodeId node : nodes)
            found.push_back(map.at(node));
        return found;
    };
    const auto typesOf = [&](std::span<const NodeId> nodes) {
        std::vector<types::TensorTypeId> found;
        for (const NodeId node : nodes)
            found.push_back(result.typeOf(node));
        return found;
    };
    for (NodeId node = 0; node < graph.nodeCount(); ++node) {
        const Op op = graph.node(node).op;
        if (op == Op::Result)
            continue;
        const std::vector<NodeId> inputs = mapped(graph.inputsOf(node));
        const auto capture = std::ranges::find(graph.captures(), node, &ir::Capture::node);
        if (capture != graph.captures().end()) {
            map[node] = result.addCapture(capture->value);
        } else if (op == Op::Placeholder) {
            map[node] = result.addInput(inputTypes[input++], graph.givenNameOf(node));
        } else if (op == Op::Constant) {
            map[node] = result.addConstant(graph.constantOf(node));
        } else if (op == Op::Cond) {
            const auto arguments = std::span(inputs).subspan(1);
            const auto branch = [&](Attribute which) {
                return std::make_shared<const Graph>(
                    rebuilt(graph.branchOf(node, which), typesOf(arguments)));
            };
            map[node] =
                result.addCond(inputs[0], branch(Attribute::Then), branch(Attribute::Else), arguments);
        } else if (op == Op::While) {
            const auto inner = [&](Attribute which) {
                return std::make_shared<const Graph>(rebuilt(graph.branchOf(node, which), typesOf(inputs)));
            };
            map[node] = result.addWhile(inner(Attribute::Condition), inner(Attribute::Body), inputs,
                                        graph.node(node).resultCount);
        } else if (op == Op::HostCall) {
            const auto row = static_cast<std::size_t>(graph.attributesOf(node).number(Attribute::Host));
            map[node] = result.addHostCall(graph.hosts()[row], inputs);
        } else if (op == Op::Call) {
            map[node] = result.addCall(
                runtime::Executable::compile(rebuilt(graph.calleeOf(node).graph(), typesOf(inputs))), inputs);
        } else {
            map[node] = result.append(op, inputs, Attributes(graph.attributesOf(node)));
        }
        for (NodeId further = 1; further < graph.node(node).resultCount; ++further)
            map[node + further] = map[node] + further;
    }
    result.setOutputs(mapped(graph.outputs()));
    return result;
}

} // namespace

RandomProgram makeProgram(std::uint64_t seed) {
    return Generator(seed).make();
}

Tensor makeValue(types::TensorTypeId type, Random& random) {
    switch (types::dtypeOf(type)) {
    case DType::Bool:
        return makeNumbers<bool>(type, random);
    case DType::Int8:
        return makeNumbers<std::int8_t>(type, random);
    case DType::Int16:
        return makeNumbers<std::int16_t>(type, random);
    case DType::Int32:
        return makeNumbers<std::int32_t>(type, random);
    case DType::Int64:
        return makeNumbers<std::int64_t>(type, random);
    case DType::UInt8:
        return makeNumbers<std::uint8_t>(type, random);
    case DType::UInt32:
        return makeNumbers<std::uint32_t>(type, random);
    case DType::Float32:
        return makeNumbers<float>(type, random);
    case DType::Float64:
        return makeNumbers<double>(type, random);
    default: {
        Tensor result = Tensor::uninitialized(type);
        for (std::string& text : result.mutableStrings())
            text = std::string(static_cast<std::size_t>(below(random, 3)),
                               static_cast<char>('a' + below(random, 3)));
        return result;
    }
    }
}

ir::Graph withOpenInputs(const ir::Graph& graph, bool unknownRank) {
    std::vector<types::TensorTypeId> inputTypes;
    for (const NodeId input : graph.inputs())
        inputTypes.push_back(opened(graph.typeOf(input), unknownRank));
    return rebuilt(graph, inputTypes);
}

} // namespace retracescope::test
