#include <retracescope/engine/autodiff/op_gradients.h>

#include <algorithm>

#include <retracescope/base/check.h>
#include <retracescope/engine/autodiff/gradient_flow.h>
#include <retracescope/engine/tensor/constant.h>

namespace retracescope::autodiff {

using ir::Attribute;
using ir::Attributes;
using ir::AttributeView;
using ir::kNoNode;
using ir::NodeId;
using ir::Op;
using types::DType;
using types::Shape;

namespace {

/// Writes one rule: names for the parts, and ops in the reading order of formulas.
class Rule {
public:
    explicit Rule(const NodeGradient& of)
        : m_graph(of.graph), m_of(of), m_copy(of.graph.attributesOf(of.node)), m_attributes(m_copy.view()) {}

    std::vector<NodeId> gradients();

private:
    NodeId x() const { return m_of.inputs[0]; }
    NodeId y() const { return m_of.inputs[1]; }
    NodeId result() const { return m_of.node; }
    NodeId g() const { return m_of.gradient; }

    const Shape& shapeOf(NodeId node) const { return types::shapeOf(m_graph.typeOf(node)); }
    DType dtypeOf(NodeId node) const { return types::dtypeOf(m_graph.typeOf(node)); }
    NodeId apply(Op op, std::initializer_list<NodeId> inputs, const Attributes& attributes = {}) const {
        return m_graph.append(op, inputs, attributes);
    }
    NodeId number(double value) const {
        return m_graph.addConstant(dtypeOf(g()) == DType::Float64
                                       ? tensor::constant(value)
                                       : tensor::constant(static_cast<float>(value)));
    }
    NodeId mul(NodeId a, NodeId b) const { return apply(Op::Mul, {a, b}); }
    NodeId sub(NodeId a, NodeId b) const { return apply(Op::Sub, {a, b}); }
    NodeId div(NodeId a, NodeId b) const { return apply(Op::Div, {a, b}); }
    NodeId neg(NodeId a) const { return apply(Op::Neg, {a}); }
    NodeId where(NodeId condition, NodeId a, NodeId b) const { return apply(Op::Select, {condition, a, b}); }
    NodeId castTo(NodeId a, DType dtype) const {
        return apply(Op::Cast, {a}, Attributes().set(Attribute::DType, static_cast<std::int64_t>(dtype)));
    }
    NodeId zeros() const { return apply(Op::ZerosLike, {g()}); }
    /// `gradient`, but 0 where nothing flows to a place at which `at` is 0 and the slope has no end (as
    /// tensorflow/core/kernels/cwise_ops_gradients.h has it): what a select has masked stays masked.
    NodeId zeroAt(NodeId at, NodeId gradient) const {
        const NodeId zero = number(0);
        const NodeId isMasked =
            apply(Op::LogicalAnd, {apply(Op::Equal, {g(), zero}), apply(Op::Equal, {at, zero})});
        return where(isMasked, zeros(), gradient);
    }

    /// Undoes the broadcasting of an input.
    NodeId toShapeOf(NodeId gradient, NodeId input) const {
        const Shape& from = shapeOf(gradient);
        const Shape& to = shapeOf(input);
        return from == to && to.isKnown() ? gradient : apply(Op::SumLike, {gradient, input});
    }
    std::vector<NodeId> broadcast(NodeId toX, NodeId toY) const {
        return {toShapeOf(toX, x()), toShapeOf(toY, y())};
    }

    /// A reduction's result, or its gradient, with the reduced axes as size 1, so that it broadcasts to the
    /// input.
    NodeId withAxes(NodeId reduced) const {
        if (m_attributes.number(Attribute::KeepDims) != 0)
            return reduced;
        return apply(Op::ReshapeLike, {reduced, reduceKeeping(Op::ReduceSum, x())});
    }
    NodeId reduceKeeping(Op op, NodeId input) const {
        Attributes attributes;
        if (m_attributes.has(Attribute::Axes))
            attributes.set(Attribute::Axes, m_attributes.list(Attribute::Axes));
        return apply(op, {input}, attributes.set(Attribute::KeepDims, 1));
    }
    NodeId spreadOver(NodeId gradient, NodeId input) const {
        return mul(gradient, apply(Op::OnesLike, {input}));
    }

    std::vector<NodeId> matMul() const;
    std::vector<NodeId> transpose() const;
    std::vector<NodeId> concat() const;
    std::vector<NodeId> concatPart() const;
    std::vector<NodeId> listGet() const;
    std::vector<NodeId> pad() const;
    std::vector<NodeId> reduceProd() const;
    std::vector<NodeId> cumulative() const;

    ir::Graph& m_graph;
    const NodeGradient& m_of;
    const Attributes m_copy; // the graph's own move when it grows
    const AttributeView m_attributes;
};

std::vector<NodeId> Rule::matMul() const {
    const bool ta = m_attributes.number(Attribute::TransposeA) != 0;
    const bool tb = m_attributes.number(Attribute::TransposeB) != 0;
    const auto product = [&](NodeId a, NodeId b, bool transposeA, bool transposeB) {
        return apply(
            Op::MatMul, {a, b},
            Attributes().set(Attribute::TransposeA, transposeA).set(Attribute::TransposeB, transposeB));
    };
    const NodeId toX = ta ? product(y(), g(), tb, true) : product(g(), y(), false, !tb);
    const NodeId toY = tb ? product(g(), x(), true, ta) : product(x(), g(), !ta, false);
    return broadcast(toX, toY);
}

std::vector<NodeId> Rule::transpose() const {
    const auto permutation = m_attributes.list(Attribute::Permutation);
    if (permutation.empty())
        return {apply(Op::Transpose, {g()})};
    std::vector<std::int64_t> inverse(permutation.size());
    for (std::size_t i = 0; i < permutation.size(); ++i)
        inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
    return {apply(Op::Transpose, {g()}, Attributes().set(Attribute::Permutation, inverse))};
}

std::vector<NodeId> Rule::concat() const {
    std::vector<NodeId> whole{g()};
    whole.insert(whole.end(), m_of.inputs.begin(), m_of.inputs.end());
    std::vector<NodeId> parts;
    for (std::size_t i = 0; i < m_of.inputs.size(); ++i)
        parts.push_back(m_graph.append(Op::ConcatPart, whole,
                                       Attributes()
                                           .set(Attribute::Axis, m_attributes.number(Attribute::Axis))
                                           .set(Attribute::Index, static_cast<std::int64_t>(i))));
    return parts;
}

/// The whole that is zero but for this part.
std::vector<NodeId> Rule::concatPart() const {
    std::vector<NodeId> parts(m_of.inputs.begin() + 1, m_of.inputs.end());
    const auto own = static_cast<std::size_t>(m_attributes.number(Attribute::Index));
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = i == own ? g() : apply(Op::ZerosLike, {parts[i]});
    std::vector<NodeId> gradients(m_of.inputs.size(), kNoNode);
    gradients[0] = m_graph.append(Op::Concat, parts,
                                  Attributes().set(Attribute::Axis, m_attributes.number(Attribute::Axis)));
    return gradients;
}

/// The list whose only element that is not zero is this one. Nothing of a value that the result was like.
std::vector<NodeId> Rule::listGet() const {
    std::vector<NodeId> gradients(m_of.inputs.size(), kNoNode);
    gradients[0] = apply(Op::ListSet, {zeroGradient(m_graph, x()), y(), g()});
    return gradients;
}

/// What lies inside of the padding; the value that was padded with has the rest.
std::vector<NodeId> Rule::pad() const {
    const auto paddings = m_attributes.list(Attribute::Paddings);
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
    std::int64_t endMask = 0;
    for (std::size_t axis = 0; axis < paddings.size() / 2; ++axis) {
        begins.push_back(paddings[2 * axis]);
        ends.push_back(-paddings[2 * axis + 1]);
        endMask |= ends.back() == 0 ? std::int64_t{1} << axis : 0;
    }
    const NodeId inside = apply(Op::StridedSlice, {g()},
                                Attributes()
                                    .set(Attribute::Begin, begins)
                                    .set(Attribute::End, ends)
                                    .set(Attribute::EndMask, endMask));
    return {inside, sub(apply(Op::ReduceSum, {g()}), apply(Op::ReduceSum, {inside}))};
}

/// The product of the others: of those before times of those behind, one axis after the other. Nothing is
/// divided or chosen by value, so zeros need no care and the rule can be differentiated again.
std::vector<NodeId> Rule::reduceProd() const {
    const bool isOfAll = !m_attributes.has(Attribute::Axes);
    NodeId factors = isOfAll ? apply(Op::Reshape, {x()}, Attributes().set(Attribute::Shape, {-1})) : x();
    std::vector<std::int64_t> axes{0};
    if (!isOfAll)
        axes.assign(m_attributes.list(Attribute::Axes).begin(), m_attributes.list(Attribute::Axes).end());
    NodeId slope = kNoNode;
    for (const std::int64_t axis : axes) {
        const auto running = [&](bool reverse) {
            return apply(Op::CumProd, {factors},
                         Attributes()
                             .set(Attribute::Axis, axis)
                             .set(Attribute::Exclusive, 1)
                             .set(Attribute::Reverse, reverse));
        };
        const NodeId others = mul(running(false), running(true));
        slope = slope == kNoNode ? others : mul(slope, others);
        if (axes.size() > 1)
            factors = apply(Op::ReduceProd, {factors},
                            Attributes().set(Attribute::Axes, {axis}).set(Attribute::KeepDims, 1));
    }
    if (slope == kNoNode) // no axis: each element is its own product
        return {g()};
    return {mul(withAxes(g()), isOfAll ? apply(Op::ReshapeLike, {slope, x()}) : slope)};
}

/// A running total hands its gradient on to all that it ran over: a running sum the other way round. Of a
/// product that is each total's share without the factor: found by dividing where it is not zero, and for the
/// first zero by running over the others; behind it all totals are zero whatever a factor is. (TensorFlow
/// leaves out the gradients of zeros.)
std::vector<NodeId> Rule::cumulative() const {
    const auto backwards = Attributes()
                               .set(Attribute::Axis, m_attributes.number(Attribute::Axis))
                               .set(Attribute::Exclusive, m_attributes.number(Attribute::Exclusive))
                               .set(Attribute::Reverse, m_attributes.number(Attribute::Reverse) != 0 ? 0 : 1);
    if (m_graph.node(m_of.node).op == Op::CumSum)
        return {apply(Op::CumSum, {g()}, backwards)};
    const auto before = Attributes()
                            .set(Attribute::Axis, m_attributes.number(Attribute::Axis))
                            .set(Attribute::Exclusive, 1)
                            .set(Attribute::Reverse, m_attributes.number(Attribute::Reverse));
    const NodeId isZero = apply(Op::Equal, {x(), number(0)});
    const NodeId zerosBefore = apply(Op::CumSum, {castTo(isZero, dtypeOf(x()))}, before);
    const NodeId isFirst = apply(Op::LogicalAnd, {isZero, apply(Op::Equal, {zerosBefore, number(0)})});
    const NodeId others = apply(Op::CumProd, {where(isFirst, number(1), x())}, m_copy);
    const NodeId ofZero = apply(Op::CumSum, {mul(g(), others)}, backwards);
    const NodeId sum = apply(Op::CumSum, {mul(g(), result())}, backwards);
    const NodeId slope = div(sum, where(isZero, number(1), x()));
    return {where(isZero, where(isFirst, ofZero, number(0)), slope)};
}

std::vector<NodeId> Rule::gradients() {
    switch (m_graph.node(m_of.node).op) {
    case Op::Identity:
    case Op::CheckNumerics:
        return {g()};
    case Op::Neg:
        return {neg(g())};
    case Op::Abs: {
        const NodeId zero = number(0);
        return {where(apply(Op::Greater, {x(), zero}), g(),
                      where(apply(Op::Less, {x(), zero}), neg(g()), zeros()))};
    }
    case Op::Square:
        return {mul(g(), mul(number(2), x()))};
    case Op::Sqrt:
        return {zeroAt(result(), div(mul(g(), number(0.5)), result()))};
    case Op::Exp:
        return {mul(g(), result())};
    case Op::Log:
        return {div(g(), x())};
    case Op::Tanh:
        return {mul(g(), sub(number(1), apply(Op::Square, {result()})))};
    case Op::Sigmoid:
        return {mul(g(), mul(result(), sub(number(1), result())))};
    case Op::Relu:
        return {where(apply(Op::Greater, {result(), number(0)}), g(), zeros())};
    case Op::Sin:
        return {mul(g(), apply(Op::Cos, {x()}))};
    case Op::Cos:
        return {neg(mul(g(), apply(Op::Sin, {x()})))};
    case Op::Tan:
        return {mul(g(), apply(Op::Add, {number(1), apply(Op::Square, {result()})}))};
    case Op::Erf: {
        const double slopeAtZero = 1.1283791670955125739; // 2 / sqrt(pi)
        return {mul(g(), mul(number(slopeAtZero), apply(Op::Exp, {neg(apply(Op::Square, {x()}))})))};
    }
    case Op::Log1p:
        return {div(g(), apply(Op::Add, {number(1), x()}))};
    case Op::Expm1:
        return {mul(g(), apply(Op::Exp, {x()}))};
    case Op::Rsqrt:
        return {zeroAt(x(), mul(g(), mul(number(-0.5), mul(result(), apply(Op::Square, {result()})))))};
    case Op::Add:
        return broadcast(g(), g());
    case Op::Sub:
        return broadcast(g(), neg(g()));
    case Op::Mul:
        return broadcast(mul(g(), y()), mul(g(), x()));
    case Op::Div:
        return broadcast(div(g(), y()), neg(mul(g(), div(result(), y()))));
    case Op::Pow: {
        const NodeId power = apply(Op::Pow, {x(), sub(y(), number(1))});
        const NodeId isPositive = apply(Op::Greater, {x(), number(0)});
        const NodeId base = where(isPositive, x(), apply(Op::OnesLike, {x()}));
        return broadcast(mul(g(), mul(y(), power)), mul(g(), mul(result(), apply(Op::Log, {base}))));
    }
    case Op::Atan2: {
        const NodeId slope = div(g(), apply(Op::Add, {apply(Op::Square, {x()}), apply(Op::Square, {y()})}));
        return broadcast(mul(slope, y()), neg(mul(slope, x())));
    }
    case Op::FloorMod:
        return broadcast(g(), neg(mul(g(), apply(Op::FloorDiv, {x(), y()}))));
    case Op::Maximum:
    case Op::Minimum: {
        const bool isMaximum = m_graph.node(m_of.node).op == Op::Maximum;
        const NodeId first = apply(isMaximum ? Op::GreaterEqual : Op::LessEqual, {x(), y()});
        return broadcast(where(first, g(), zeros()), where(first, zeros(), g()));
    }
    case Op::Select: {
        const NodeId a = m_of.inputs[1];
        const NodeId b = m_of.inputs[2];
        return {kNoNode, toShapeOf(where(x(), g(), zeros()), a), toShapeOf(where(x(), zeros(), g()), b)};
    }
    case Op::Cast:
        return {castTo(g(), dtypeOf(x()))};
    case Op::MatMul:
        return matMul();
    case Op::Transpose:
        return transpose();
    case Op::Reshape:
        return {apply(Op::ReshapeLike, {g(), x()})};
    case Op::ReshapeLike:
        return {apply(Op::ReshapeLike, {g(), x()}), kNoNode};
    case Op::BroadcastTo:
        return {toShapeOf(g(), x())};
    case Op::SumLike:
        return {spreadOver(g(), x()), kNoNode};
    case Op::Concat:
        return concat();
    case Op::ConcatPart:
        return concatPart();
    case Op::ReduceSum:
        return {spreadOver(withAxes(g()), x())};
    case Op::ReduceMean: {
        const NodeId count = reduceKeeping(Op::ReduceSum, apply(Op::OnesLike, {x()}));
        return {spreadOver(div(withAxes(g()), count), x())};
    }
    case Op::ReduceMax:
    case Op::ReduceMin: {
        const NodeId isMost = apply(Op::Equal, {x(), withAxes(result())});
        const NodeId most = castTo(isMost, dtypeOf(x()));
        return {mul(most, div(withAxes(g()), reduceKeeping(Op::ReduceSum, most)))};
    }
    case Op::StridedSlice:
        return {apply(Op::StridedSliceGrad, {g(), x()}, m_copy)};
    case Op::StridedSliceGrad:
        return {apply(Op::StridedSlice, {g()}, m_copy), kNoNode};
    case Op::Gather: // dense, where TensorFlow's is sparse
        return {apply(Op::GatherGrad, {g(), y(), x()}, m_copy), kNoNode};
    case Op::GatherGrad:
        return {apply(Op::Gather, {g(), y()}, m_copy), kNoNode, kNoNode};
    case Op::ExpandDims:
    case Op::Squeeze:
        return {apply(Op::ReshapeLike, {g(), x()})};
    case Op::Pad:
        return pad();
    case Op::Tile:
        return {apply(Op::TileGrad, {g(), x()}, m_copy)};
    case Op::TileGrad:
        return {apply(Op::Tile, {g()}, m_copy), kNoNode};
    case Op::Range:
        return {kNoNode, kNoNode, kNoNode};
    case Op::ReduceProd:
        return reduceProd();
    case Op::CumSum:
    case Op::CumProd:
        return cumulative();
    case Op::Fill:
        return {kNoNode, apply(Op::ReduceSum, {g()})};
    case Op::ListFromTensor:
        return {apply(Op::ListStack, {g(), x()})};
    case Op::ListGet:
        return listGet();
    case Op::ListSet: { // what the list had at this place is zero, and nobody asks for it
        const NodeId value = m_of.inputs[2];
        return {g(), kNoNode,
                carriesGradient(m_graph, value) ? apply(Op::ListGet, {g(), y(), value}) : kNoNode};
    }
    case Op::ListStack:
        return m_of.inputs.size() == 1 ? std::vector{apply(Op::ListFromTensor, {g()})}
                                       : std::vector{apply(Op::ListFromTensor, {g()}), kNoNode};
    case Op::ListAdd:
        return {g(), g()};
    case Op::StopGradient:
    case Op::ListReserve:
    case Op::ListLength:
    case Op::Floor: // flat but for steps
    case Op::Ceil:
    case Op::Round:
    case Op::Sign:
    case Op::OnesLike:
    case Op::ZerosLike:
        return {kNoNode};
    case Op::FloorDiv:
        return {kNoNode, kNoNode};
    default:
        throw UsageError("[gradients] " + std::string(ir::opName(m_graph.node(m_of.node).op)) +
                         " has no gradient");
    }
}

} // namespace

std::vector<NodeId> inputGradients(const NodeGradient& of) {
    return Rule(of).gradients();
}

} // namespace retracescope::autodiff
