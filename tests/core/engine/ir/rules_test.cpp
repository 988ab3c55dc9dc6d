#include <QTest>

#include <retracescope/engine/ir/op_table.h>
#include <retracescope/engine/ir/parse.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::ir;

namespace {

struct Case {
    std::string op;
    std::string inputs; ///< types, separated by blanks
    Attributes attributes;
    std::string expected; ///< a type or the message
};

const std::vector<Case>& cases() {
    using A = Attribute;
    static const std::vector<Case> all{
        {"neg", "float32[2,3]", {}, "float32[2,3]"},
        {"neg", "float32<unknown>", {}, "float32<unknown>"},
        {"neg", "bool[2]", {}, "[neg] expected numbers, got bool"},
        {"sqrt", "int32[2]", {}, "[sqrt] expected a floating dtype, got int32"},
        {"logical_not", "bool[]", {}, "bool[]"},
        {"logical_not", "int32[]", {}, "[logical_not] expected bool, got int32"},
        {"add", "float32[2,3] float32[3]", {}, "float32[2,3]"},
        {"add", "float32[2,1] float32[1,3]", {}, "float32[2,3]"},
        {"add", "float32[] float32[0]", {}, "float32[0]"},
        {"add", "float32[None] float32[1]", {}, "float32[None]"},
        {"add", "float32[None] float32[4]", {}, "float32[4]"},
        {"add", "float32[None] float32[None]", {}, "float32[None]"},
        {"add", "float32<unknown> float32[4]", {}, "float32<unknown>"},
        {"add", "string[2] string[]", {}, "string[2]"},
        {"add", "float32[2,3] float32[4]", {}, "[add] shapes do not broadcast: [2,3] with [4]"},
        {"add", "float32[2] int32[2]", {}, "[add] dtypes differ: float32 and int32; cast one of them"},
        {"add", "bool[] bool[]", {}, "[add] expected numbers or strings, got bool"},
        {"add", "float32[]", {}, "[add] expected 2 inputs, got 1"},
        {"mul", "string[] string[]", {}, "[mul] expected numbers, got string"},
        {"pow", "int32[3] int32[]", {}, "int32[3]"},
        {"pow", "bool[] bool[]", {}, "[pow] expected numbers, got bool"},
        {"less", "int64[3] int64[]", {}, "bool[3]"},
        {"less", "string[] string[]", {}, "[less] expected numbers, got string"},
        {"equal", "string[2] string[2]", {}, "bool[2]"},
        {"logical_and", "bool[2] bool[]", {}, "bool[2]"},
        {"select", "bool[2,1] float32[] float32[3]", {}, "float32[2,3]"},
        {"select", "int32[] float32[] float32[]", {}, "[select] expected a bool condition, got int32"},
        {"select",
         "bool[] float32[] int32[]",
         {},
         "[select] dtypes differ: float32 and int32; cast one of them"},
        {"cast", "int32[2]", Attributes().set(A::DType, static_cast<int>(types::DType::Float32)),
         "float32[2]"},
        {"cast", "string[]", Attributes().set(A::DType, static_cast<int>(types::DType::Float32)),
         "[cast] expected numbers or bools, got string to float32"},
        {"matmul", "float32[2,3] float32[3,4]", {}, "float32[2,4]"},
        {"matmul", "float32[None,3] float32[3,4]", {}, "float32[None,4]"},
        {"matmul", "float32<unknown> float32[3,4]", {}, "float32<unknown>"},
        {"matmul", "float32[5,2,3] float32[5,3,4]", {}, "float32[5,2,4]"},
        {"matmul", "float32[5,2,3] float32[3,4]", {}, "float32[5,2,4]"},
        {"matmul", "float32[2,3] float32[None,6,3,4]", {}, "float32[None,6,2,4]"},
        {"matmul", "float32[5,1,2,3] float32[6,4,3]", Attributes().set(A::TransposeB, 1), "float32[5,6,2,4]"},
        {"matmul",
         "float32[5,2,3] float32[4,3,4]",
         {},
         "[matmul] batches do not broadcast: [5,2,3] x [4,3,4]"},
        {"matmul", "float32[3,2] float32[4,3]", Attributes().set(A::TransposeA, 1).set(A::TransposeB, 1),
         "float32[2,4]"},
        {"matmul", "float32[2,3] float32[4,5]", {}, "[matmul] inner sizes differ: [2,3] x [4,5]"},
        {"matmul", "float32[2,3] float32[3,5]", Attributes().set(A::TransposeB, 1),
         "[matmul] inner sizes differ: [2,3] x [3,5] transposed"},
        {"matmul", "float32[2] float32[2,3]", {}, "[matmul] expected two axes or more: [2] x [2,3]"},
        {"list_reserve", "int32[]", {}, "variant[]"},
        {"list_reserve",
         "float32[]",
         {},
         "[TensorArray] expected a size as an int32 or int64 scalar, got float32[]"},
        {"list_from_tensor", "float32[3,2]", {}, "variant[]"},
        {"list_from_tensor",
         "float32[]",
         {},
         "[TensorArray.unstack] expected a tensor with a leading axis, got float32[]"},
        {"list_length", "variant[]", {}, "int64[]"},
        {"list_length", "float32[2]", {}, "[TensorArray.size] expected a list, got float32[2]"},
        {"list_get", "variant[] int64[] float32[None]", {}, "float32[None]"},
        {"list_get", "variant[] int64[]", {}, "[TensorArray.read] expected the type of an element, got none"},
        {"list_get",
         "variant[] int64[2] float32[]",
         {},
         "[TensorArray.read] expected an index as an int32 or int64 scalar, got int64[2]"},
        {"list_set", "variant[] int32[] float32[2]", {}, "variant[]"},
        {"list_set",
         "float32[] int32[] float32[2]",
         {},
         "[TensorArray.write] expected a list, got float32[]"},
        {"list_stack", "variant[] float32[None,2]", {}, "float32[None,2]"},
        {"list_stack",
         "variant[] variant[]",
         {},
         "[TensorArray.stack] expected elements that join to a tensor, got variant"},
        {"dataset_range", "int64[] int64[] int64[]", {}, "resource[]"},
        {"dataset_range",
         "int64[] int32[] int64[]",
         {},
         "[dataset_range] expected start, stop and step as int64 scalars, got int32[]"},
        {"dataset_tensors", "float32[2] string[]", {}, "resource[]"},
        {"dataset_slices", "float32[None,2] string[3] int32<unknown>", {}, "resource[]"},
        {"dataset_slices",
         "float32[2] string[3]",
         {},
         "[dataset_slices] expected tensors with equally many rows, got float32[2] and string[3]"},
        {"dataset_slices",
         "float32[2] string[]",
         {},
         "[dataset_slices] expected tensors with a leading axis, got string[]"},
        {"dataset_batch", "resource[] int32[]", Attributes().set(A::DropRemainder, 1), "resource[]"},
        {"dataset_batch", "variant[] int32[]", {}, "[dataset_batch] expected a dataset, got variant[]"},
        {"dataset_shuffle", "resource[] int64[] int64[]", Attributes().set(A::Reshuffle, 1), "resource[]"},
        {"dataset_shuffle",
         "resource[] int64[] float32[]",
         {},
         "[dataset_shuffle] expected a seed as an int32 or int64 scalar, got float32[]"},
        {"dataset_repeat",
         "resource[] int64[1]",
         {},
         "[dataset_repeat] expected a number of elements as an int32 or int64 scalar, got int64[1]"},
        {"dataset_take", "resource[] int64<unknown>", {}, "resource[]"},
        {"dataset_skip", "resource[] int64[]", {}, "resource[]"},
        {"dataset_map", "resource[] resource[] float32[2]", {}, "resource[]"},
        {"dataset_filter",
         "resource[] float32[]",
         {},
         "[dataset_filter] expected a function of elements, got float32[]"},
        {"dataset_zip", "resource[] resource[]", {}, "resource[]"},
        {"dataset_zip", "resource[] int32[]", {}, "[dataset_zip] expected a dataset, got int32[]"},
        {"dataset_cardinality", "resource[]", {}, "int64[]"},
        {"dataset_iterator", "resource[]", {}, "resource[]"},
        {"iterator_next", "resource[]", Attributes().set(A::Optional, 1), "variant[]"},
        {"iterator_next", "int64[]", {}, "[iterator_next] expected an iterator, got int64[]"},
        {"list_add", "variant[] variant[]", {}, "variant[]"},
        {"list_add", "variant[] float32[]", {}, "[list_add] expected a list, got float32[]"},
        {"transpose", "float32[2,3,4]", {}, "float32[4,3,2]"},
        {"transpose", "float32[2,None,4]", Attributes().set(A::Permutation, {1, 0, 2}), "float32[None,2,4]"},
        {"transpose", "float32<unknown>", Attributes().set(A::Permutation, {1, 0}), "float32[None,None]"},
        {"transpose", "float32[2,3]", Attributes().set(A::Permutation, {0, 0}),
         "[transpose] [0,0] does not permute the axes of [2,3]"},
        {"reshape", "float32[2,3]", Attributes().set(A::Shape, {3, -1}), "float32[3,2]"},
        {"reshape", "float32[None,3]", Attributes().set(A::Shape, {-1}), "float32[None]"},
        {"reshape", "float32[2,3]", Attributes().set(A::Shape, {4, -1}),
         "[reshape] 6 elements of [2,3] do not fill [4,None]"},
        {"reshape", "float32[2,3]", Attributes().set(A::Shape, {-1, -1}),
         "[reshape] only one size may be -1, got [None,None]"},
        {"broadcast_to", "float32[3]", Attributes().set(A::Shape, {2, 3}), "float32[2,3]"},
        {"broadcast_to", "float32[None]", Attributes().set(A::Shape, {2, 1}), "float32[2,1]"},
        {"broadcast_to", "float32<unknown>", Attributes().set(A::Shape, {2, 1}), "float32[2,1]"},
        {"broadcast_to", "float32[2]", Attributes().set(A::Shape, {-1}),
         "[broadcast_to] every size must be known, got [None]"},
        {"broadcast_to", "float32[2,3]", Attributes().set(A::Shape, {3}),
         "[broadcast_to] [2,3] does not broadcast to [3]"},
        {"concat", "float32[2,3] float32[4,3]", Attributes().set(A::Axis, 0), "float32[6,3]"},
        {"concat", "float32[2,3] float32[2,None]", Attributes().set(A::Axis, -1), "float32[2,None]"},
        {"concat", "float32[2,3] float32[2,4]", Attributes().set(A::Axis, 0),
         "[concat] sizes of axis 1 differ: [2,3] and [2,4]"},
        {"concat", "float32[2] float32[2]", Attributes().set(A::Axis, 1),
         "[concat] axis 1 is not one of the 1 axes"},
        {"reduce_sum", "float32[2,3]", {}, "float32[]"},
        {"reduce_sum", "float32[2,3]", Attributes().set(A::Axes, {-1}), "float32[2]"},
        {"reduce_sum", "float32[2,3]", Attributes().set(A::Axes, {0}).set(A::KeepDims, 1), "float32[1,3]"},
        {"reduce_sum", "float32<unknown>", {}, "float32[]"},
        {"reduce_max", "float32[2,3]", Attributes().set(A::Axes, {2}),
         "[reduce_max] axis 2 is not one of the 2 axes"},
        {"reduce_mean", "bool[2]", {}, "[reduce_mean] expected numbers, got bool"},
        {"sin", "int32[2]", {}, "[sin] expected a floating dtype, got int32"},
        {"sign", "int8[2]", {}, "int8[2]"},
        {"atan2", "int32[] int32[]", {}, "[atan2] expected a floating dtype, got int32"},
        {"floor_div", "int32[2] int32[]", {}, "int32[2]"},
        {"floor_mod", "bool[2] bool[]", {}, "[mod] expected numbers, got bool"},
        {"reduce_min", "int8[2,3]", Attributes().set(A::Axes, {0}), "int8[3]"},
        {"reduce_prod", "string[2]", {}, "[reduce_prod] expected numbers, got string"},
        {"reduce_any", "bool[2,None]", Attributes().set(A::Axes, {0}).set(A::KeepDims, 1), "bool[1,None]"},
        {"reduce_all", "float32[2]", {}, "[reduce_all] expected bool, got float32"},
        {"arg_max", "float32[2,None,4]", Attributes().set(A::Axis, -1), "int64[2,None]"},
        {"arg_max", "float32<unknown>", Attributes().set(A::Axis, 0), "int64<unknown>"},
        {"arg_max", "float32[2,0]", Attributes().set(A::Axis, 1),
         "[arg_max] axis 1 of [2,0] is empty: it has no such element"},
        {"arg_min", "uint8[2,3]", Attributes().set(A::Axis, 0).set(A::KeepDims, 1), "int64[1,3]"},
        {"arg_min", "bool[2]", Attributes().set(A::Axis, 0), "[arg_min] expected numbers, got bool"},
        {"cum_sum", "int32[None,3]", Attributes().set(A::Axis, 1), "int32[None,3]"},
        {"cum_sum", "float32<unknown>", Attributes().set(A::Axis, 1), "float32<unknown>"},
        {"cum_prod", "float32[]", Attributes().set(A::Axis, 0), "[cum_prod] axis 0 is not one of the 0 axes"},
        {"strided_slice", "string[5,4,3]",
         Attributes().set(A::Begin, {1, 0}).set(A::End, {-1, 0}).set(A::Strides, {2, 1}).set(A::EndMask, 2),
         "string[2,4,3]"},
        {"strided_slice", "float32[5,4]",
         Attributes()
             .set(A::Begin, {-1, 9})
             .set(A::End, {0, 0})
             .set(A::Strides, {-1, -3})
             .set(A::ShrinkMask, 0),
         "float32[4,1]"},
        {"strided_slice", "float32[5,None]",
         Attributes().set(A::Begin, {2, 1}).set(A::End, {0, 3}).set(A::ShrinkMask, 1), "float32[None]"},
        {"strided_slice", "float32<unknown>", Attributes().set(A::Begin, {2}).set(A::End, {3}),
         "float32<unknown>"},
        {"strided_slice", "float32[5]",
         Attributes().set(A::Begin, {5}).set(A::End, {0}).set(A::ShrinkMask, 1),
         "[strided_slice] index 5 is not one of the 5 elements of axis 0 of [5]"},
        {"strided_slice", "float32[5]", Attributes().set(A::Begin, {0}).set(A::End, {1}).set(A::Strides, {0}),
         "[strided_slice] the stride of axis 0 is 0"},
        {"strided_slice", "float32[5]", Attributes().set(A::Begin, {0, 0}).set(A::End, {1, 1}),
         "[strided_slice] expected at most 1 slice for [5], got 2"},
        {"strided_slice", "float32[5]", Attributes().set(A::Begin, {0}).set(A::End, {1, 1}),
         "[strided_slice] begins of 1 axes, ends of 2, strides of 0 do not fit [5]; give as many of each, "
         "for the leading axes"},
        {"gather", "string[5,3] int32[2,4]", Attributes().set(A::Axis, 0), "string[2,4,3]"},
        {"gather", "float32[2,5,3] int64[2,4]", Attributes().set(A::Axis, 1).set(A::BatchDims, 1),
         "float32[2,4,3]"},
        {"gather", "float32[2,None] int64[None,4]", Attributes().set(A::Axis, -1).set(A::BatchDims, -1),
         "float32[2,4]"},
        {"gather", "float32[5] int32<unknown>", Attributes().set(A::Axis, 0), "float32<unknown>"},
        {"gather", "float32[5] float32[2]", Attributes().set(A::Axis, 0),
         "[gather] expected indices of int32 or int64, got float32"},
        {"gather", "float32[5] int32[2]", Attributes().set(A::Axis, 1),
         "[gather] axis 1 is not one of the 1 axes"},
        {"gather", "float32[3,5] int32[2,2]", Attributes().set(A::Axis, 1).set(A::BatchDims, 1),
         "[gather] batch axis 0 differs: [3,5] and indices [2,2]"},
        {"gather", "float32[3,5] int32[3]", Attributes().set(A::Axis, 0).set(A::BatchDims, 1),
         "[gather] 1 batch axes do not fit axis 0 of [3,5] and indices [3]; they lead in both and lie before "
         "the "
         "axis"},
        {"expand_dims", "int8[2,3]", Attributes().set(A::Axis, -1), "int8[2,3,1]"},
        {"expand_dims", "int8[2,3]", Attributes().set(A::Axis, 3),
         "[expand_dims] axis 3 is not one of the 3 axes"},
        {"squeeze", "int8[1,3,1]", {}, "int8[3]"},
        {"squeeze", "int8[None,3,1]", Attributes().set(A::Axes, {0}), "int8[3,1]"},
        {"squeeze", "int8[None,1]", {}, "int8<unknown>"},
        {"squeeze", "int8[2,1]", Attributes().set(A::Axes, {0}),
         "[squeeze] expected axis 0 of size 1, got [2,1]"},
        {"pad", "int8[2,None] int8[]", Attributes().set(A::Paddings, {1, 2, 0, 1}), "int8[5,None]"},
        {"pad", "int8[2] int8[]", Attributes().set(A::Paddings, {1, -1}),
         "[pad] a padding is negative; slice to take elements away"},
        {"pad", "int8[2] int8[]", Attributes().set(A::Paddings, {1, 1, 1, 1}),
         "[pad] 2 paddings do not fit [2]; give as many as it has axes"},
        {"tile", "string[2,None]", Attributes().set(A::Multiples, {3, 2}), "string[6,None]"},
        {"tile", "string[2]", Attributes().set(A::Multiples, {-1}), "[tile] a multiple is negative"},
        {"arg_sort", "float32[2,3]", {}, "int32[2,3]"},
        {"arg_sort", "float32[]", {}, "[arg_sort] expected at least one axis, got a scalar"},
        {"range", "int32[] int32[] int32[]", {}, "int32[None]"},
        {"range", "int32[] int32[2] int32[]", {}, "[range] expected scalars, got [2]"},
        {"random_bits", "int64[2] int32[2]",
         Attributes().set(A::DType, static_cast<int>(types::DType::UInt32)), "uint32[None,None]"},
        {"random_bits", "int64[2] int32[3]",
         Attributes().set(A::DType, static_cast<int>(types::DType::UInt32)),
         "[random_bits] expected a vector of sizes and a seed of shape [2], got [2] and [3]"},
        {"random_bits", "int64[2] int32[2]",
         Attributes().set(A::DType, static_cast<int>(types::DType::Float32)),
         "[random_bits] expected uint32 or uint64 as result, got float32"},
        {"where", "bool[2,3]", {}, "int64[None,2]"},
        {"where", "float32[2]", {}, "[where] expected bool, got float32"},
        {"strided_slice_grad", "float32[2] float32[None]", Attributes().set(A::Begin, {1}).set(A::End, {3}),
         "float32[None]"},
        {"strided_slice_grad", "float32[3] float32[5]", Attributes().set(A::Begin, {1}).set(A::End, {3}),
         "[strided_slice_grad] the slice is [2], got [3]"},
        {"gather_grad", "float32[2,3] int32[2] float32[5,3]", Attributes().set(A::Axis, 0), "float32[5,3]"},
        {"gather_grad", "float32[2] int32[2] float32[5,3]", Attributes().set(A::Axis, 0),
         "[gather_grad] expected [2,3], got [2]"},
        {"tile_grad", "float32[4,3] float32[2,3]", Attributes().set(A::Multiples, {2, 1}), "float32[2,3]"},
        {"tile_grad", "float32[4] float32[2]", Attributes().set(A::Multiples, {3}),
         "[tile_grad] expected tiles [6], got [4]"},
        {"shape_of", "string[2,3]", {}, "int64[2]"},
        {"shape_of", "string<unknown>", {}, "int64[None]"},
        {"fill", "int64[2] float32[]", {}, "float32[None,None]"},
        {"fill", "int64[None] float32[]", {}, "float32<unknown>"},
        {"fill", "float32[2] float32[]", {}, "[fill] expected sizes of int32 or int64, got float32"},
        {"fill", "int64[] float32[]", {}, "[fill] expected a vector of sizes and a scalar, got [] and []"},
        {"zeros_like", "int8[2]", {}, "int8[2]"},
        {"reshape_like", "int8[6] string[2,None]", {}, "int8[2,None]"},
        {"reshape_like", "int8[6] int8[2,2]", {}, "[reshape_like] 6 elements of [6] do not fill [2,2]"},
        {"sum_like", "float32[4,2,3] float32[2,1]", {}, "float32[2,1]"},
        {"sum_like", "float32[None,3] float32[2,3]", {}, "float32[2,3]"},
        {"sum_like", "float32[2,3] float32[2]", {}, "[sum_like] [2] does not broadcast to [2,3]"},
        {"concat_part", "string[5] string[2] string[3]", Attributes().set(A::Axis, 0).set(A::Index, 1),
         "string[3]"},
        {"concat_part", "int8[5] int8[2] int8[2]", Attributes().set(A::Axis, 0).set(A::Index, 1),
         "[concat_part] the parts join to [4], not to [5]"},
        {"concat_part", "int8[5] int8[5]", Attributes().set(A::Axis, 0).set(A::Index, 1),
         "[concat_part] index 1 is not one of 1 parts"},
        {"read_variable", "resource[]", Attributes().set(A::Type, static_cast<int>(*parseType("float32[2]"))),
         "float32[2]"},
        {"read_variable", "float32[]", Attributes().set(A::Type, static_cast<int>(*parseType("float32[2]"))),
         "[read] expected a variable, got float32"},
        {"assign_variable", "resource[] float32[3]",
         Attributes().set(A::Type, static_cast<int>(*parseType("float32[2]"))),
         "[assign] the variable holds float32[2], got float32[3]"},
        {"assign_variable", "resource[] float32[None]",
         Attributes().set(A::Type, static_cast<int>(*parseType("float32[2]"))), "none"},
        {"print", "float32[] string[]", {}, "none"},
        {"assert", "bool[] float32[2]", {}, "none"},
        {"assert", "bool<unknown>", {}, "none"},
        {"assert", "bool[1]", {}, "[assert] expected a bool scalar, got bool[1]"},
        {"check_numerics", "float32[2,None]", {}, "float32[2,None]"},
        {"check_numerics", "int32[]", {}, "[check_numerics] expected a floating dtype, got int32"},
    };
    return all;
}

std::string inferred(const Case& which) {
    std::vector<types::TensorTypeId> inputs;
    for (const QString& text : QString::fromStdString(which.inputs).split(' ')) {
        const auto type = parseType(text.toStdString());
        if (!type)
            return "unreadable type " + text.toStdString();
        inputs.push_back(*type);
    }
    try {
        const auto type = inferType({*opFromName(which.op), inputs, which.attributes.view(), {}});
        return type == types::TensorTypeId::None ? "none" : types::toText(type);
    } catch (const UsageError& error) {
        return error.what();
    }
}

} // namespace

class RulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void infersTypes_data() {
        QTest::addColumn<int>("row");
        for (std::size_t i = 0; i < cases().size(); ++i)
            QTest::addRow("%zu %s(%s)", i, cases()[i].op.c_str(), cases()[i].inputs.c_str())
                << static_cast<int>(i);
    }

    void infersTypes() {
        QFETCH(int, row);
        const Case& which = cases()[static_cast<std::size_t>(row)];
        QCOMPARE(inferred(which), which.expected);
    }

    void everyOpHasACase() {
        std::string missing;
        for (int op = static_cast<int>(Op::Identity); op <= static_cast<int>(Op::Assert); ++op) {
            const std::string_view name = opName(static_cast<Op>(op));
            const bool isLike = opInfo(static_cast<Op>(op)).elementwise || name == "ones_like" ||
                                name == "identity" || name == "stop_gradient" || name.starts_with("assign");
            const bool hasCase =
                std::ranges::any_of(cases(), [&](const Case& each) { return name == each.op; });
            if (!isLike && !hasCase)
                missing += std::string(name) + ' ';
        }
        QCOMPARE(missing, std::string());
    }

    void everyOpIsFoundByItsName() {
        for (int op = 0; op < kOpCount; ++op)
            QCOMPARE(opFromName(opName(static_cast<Op>(op))), std::optional(static_cast<Op>(op)));
    }

    /// A result inferred from open types must hold for every known type below them.
    void openTypesPromiseNoMoreThanKnownOnes() {
        const std::vector<std::string> known{"float32[2,3]", "float32[3]", "float32[1,3]", "float32[]",
                                             "float32[3,3]"};
        const std::vector<std::string> open{"float32<unknown>", "float32[None]", "float32[None,3]",
                                            "float32[None,None]"};
        for (const char* op : {"add", "matmul", "less"}) {
            for (const auto& a : known) {
                for (const auto& b : known) {
                    for (const auto& wide : open) {
                        if (!types::isSubtype(*parseType(a), *parseType(wide)))
                            continue;
                        const std::string exact = inferred({op, a + ' ' + b, {}, ""});
                        const std::string general = inferred({op, wide + ' ' + b, {}, ""});
                        if (exact[0] == '[')
                            continue;
                        QVERIFY2(general[0] != '[', general.c_str());
                        QVERIFY2(types::isSubtype(*parseType(exact), *parseType(general)),
                                 (a + ' ' + b + ": " + exact + " below " + general).c_str());
                    }
                }
            }
        }
    }
};

RETRACESCOPE_TEST(RulesTest);
#include "rules_test.moc"
