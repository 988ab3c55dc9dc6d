#pragma once

/// The front door: what a program that traces functions includes.
///
///     #include <retracescope/retracescope.h>
///     namespace rs = retracescope;
///
///     rs::Function half("half", {"x"}, [](rs::Tensor x) { return x / 2.0f; });
///     half(rs::constant({1.0f, 2.0f}));
///
/// Values are Tensor (eager or, while a function is traced, symbolic), state is Variable, a traced callable
/// is Function; layers, losses and SGD are in the namespace nn. Misuse throws UsageError: the message starts
/// with the op or function and gives expected and actual.

#include <retracescope/base/check.h>
#include <retracescope/engine/nn/nn.h>
#include <retracescope/engine/tensor/text.h>
#include <retracescope/engine/trace/array_ops.h>
#include <retracescope/engine/trace/checks.h>
#include <retracescope/engine/trace/control_flow.h>
#include <retracescope/engine/trace/custom_gradient.h>
#include <retracescope/engine/trace/dataset.h>
#include <retracescope/engine/trace/dataset_iterator.h>
#include <retracescope/engine/trace/dataset_loop.h>
#include <retracescope/engine/trace/deferred.h>
#include <retracescope/engine/trace/eager_switch.h>
#include <retracescope/engine/trace/function.h>
#include <retracescope/engine/trace/gradient.h>
#include <retracescope/engine/trace/gradient_tape.h>
#include <retracescope/engine/trace/host_call.h>
#include <retracescope/engine/trace/if_while.h>
#include <retracescope/engine/trace/local.h>
#include <retracescope/engine/trace/loop.h>
#include <retracescope/engine/trace/map_rows.h>
#include <retracescope/engine/trace/method.h>
#include <retracescope/engine/trace/name_scope.h>
#include <retracescope/engine/trace/neural_ops.h>
#include <retracescope/engine/trace/ops.h>
#include <retracescope/engine/trace/random.h>
#include <retracescope/engine/trace/switch_case.h>
#include <retracescope/engine/trace/tensor_array.h>
#include <retracescope/engine/trace/unrolling.h>
#include <retracescope/engine/trace/variable.h>
#include <retracescope/record/recorder.h>

namespace retracescope {

// Values and their types.
using tensor::Tensor;
using tensor::toText;
using tensor::valueText;
using trace::HostArray;
using trace::TensorSpec;
using trace::toText; ///< of concrete functions
using trace::Value;
using types::DType;
using types::Literal;
using types::Shape;
using types::toText; ///< of shapes and types of tensors

// Traced functions and their state.
using trace::arg;
using trace::ConcreteFunction;
using trace::deferred;
using trace::field;
using trace::Function;
using trace::FunctionOptions;
using trace::functionsRunEagerly;
using trace::Method;
using trace::namedOnly;
using trace::NamedRest;
using trace::ParameterName;
using trace::Policy;
using trace::positionalOnly;
using trace::Rest;
using trace::RetracingWarning;
using trace::runFunctionsEagerly;
using trace::setRetracingHandler;
using trace::setUnrollHandler;
using trace::UnrollWarning;
using trace::Variable;
using types::BindingError;
using types::CastError;
using types::RelaxError;

// Tensors written in the program.
using trace::constant;
using trace::filled;
using trace::ones;
using trace::zeros;

// Ops.
using trace::abs;
using trace::add;
using trace::argMax;
using trace::argMin;
using trace::argSort;
using trace::atan2;
using trace::averagePool;
using trace::booleanMask;
using trace::broadcastTo;
using trace::cast;
using trace::ceil;
using trace::concat;
using trace::cond;
using trace::conv2d;
using trace::cos;
using trace::crossEntropyWithLogits;
using trace::cumProd;
using trace::cumSum;
using trace::depthwiseConv2d;
using trace::divide;
using trace::equal;
using trace::erf;
using trace::exp;
using trace::expandDims;
using trace::expm1;
using trace::eye;
using trace::fill;
using trace::floor;
using trace::floorDiv;
using trace::gather;
using trace::greater;
using trace::greaterEqual;
using trace::identity;
using trace::isNan;
using trace::less;
using trace::lessEqual;
using trace::linspace;
using trace::log;
using trace::log1p;
using trace::logicalAnd;
using trace::logicalNot;
using trace::logicalOr;
using trace::logicalXor;
using trace::logSoftmax;
using trace::logSumExp;
using trace::matmul;
using trace::maximum;
using trace::maxPool;
using trace::minimum;
using trace::mod;
using trace::multiply;
using trace::negative;
using trace::notEqual;
using trace::oneHot;
using trace::onesLike;
using trace::pad;
using trace::Padding;
using trace::pow;
using trace::print;
using trace::range;
using trace::reduceAll;
using trace::reduceAny;
using trace::reduceMax;
using trace::reduceMean;
using trace::reduceMin;
using trace::reduceProd;
using trace::reduceSum;
using trace::relu;
using trace::reshape;
using trace::reverse;
using trace::round;
using trace::rsqrt;
using trace::Running;
using trace::segmentSum;
using trace::select;
using trace::shapeOf;
using trace::sigmoid;
using trace::sigmoidCrossEntropyWithLogits;
using trace::sign;
using trace::sin;
using trace::slice;
using trace::Slice;
using trace::softmax;
using trace::softplus;
using trace::sort;
using trace::sparseCrossEntropyWithLogits;
using trace::split;
using trace::sqrt;
using trace::square;
using trace::squeeze;
using trace::stack;
using trace::stridedSlice;
using trace::subtract;
using trace::tan;
using trace::tanh;
using trace::tile;
using trace::topK;
using trace::TopK;
using trace::transpose;
using trace::unstack;
using trace::where;
using trace::Window;
using trace::WindowEdges;
using trace::zerosLike;

// Checks that end a run, and calls of host code in graphs.
using trace::assertTrue;
using trace::checkNumerics;
using trace::CheckNumericsScope;
using trace::enableCheckNumerics;
using trace::hostCall;

// Random numbers.
using trace::defaultGenerator;
using trace::dropout;
using trace::Extent;
using trace::Generator;
using trace::randomIntegers;
using trace::randomNormal;
using trace::randomShuffle;
using trace::randomTruncatedNormal;
using trace::randomUniform;
using trace::setSeed;
using trace::statelessDropout;
using trace::statelessIntegers;
using trace::statelessNormal;
using trace::statelessShuffle;
using trace::statelessTruncatedNormal;
using trace::statelessUniform;

// Sequences of elements, and walks over them.
using trace::Dataset;
using trace::DatasetIterator;
using trace::OptionalElement;

// Gradients: by a tape, or inside a traced function.
using trace::CustomGradient;
using trace::GradientOptions;
using trace::gradients;
using trace::GradientSource;
using trace::GradientTape;
using trace::stopGradient;
using trace::TapeOptions;
using trace::Unconnected;
using trace::WithGradient;
using trace::withGradient;

// if and while over tensors, and the variables that they assign.
using trace::For;
using trace::ForEach;
using trace::If;
using trace::Local;
using trace::Loop;
using trace::switchCase;
using trace::While;
using trace::WhileOptions;

// Loops, staged inside a traced function, and what they collect.
using trace::fold;
using trace::forEach;
using trace::forRange;
using trace::hostRows;
using trace::LoopOptions;
using trace::mapRows;
using trace::scan;
using trace::TensorArray;
using trace::TensorArrayOptions;
using trace::whileLoop;

// Names of nodes.
using trace::named;
using trace::NameScope;

/// While alive, ops of this thread compute at once even inside a traced function.
using trace::EagerScope;

} // namespace retracescope
