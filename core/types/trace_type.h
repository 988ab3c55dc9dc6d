#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <retracescope/types/literal.h>
#include <retracescope/types/tensor_type.h>

/// The type of one argument for tracing (tracing_semantics.md 4 and 5): what of it is part of a signature.
namespace retracescope::types {

/// A trace type as one word; equal types have equal ids. None = no type (an untyped parameter).
enum class TypeId : std::uint32_t { None = 0 };

enum class TypeKind : std::uint8_t {
    Tensor,   ///< `tensor`, and `name` if the user named the spec
    Literal,  ///< `literal`
    List,     ///< `items`
    Tuple,    ///< `items`
    Dict,     ///< `keys` and `items`, sorted by the text of the key
    Variable, ///< `tensor`, `trainable`, `alias`
    Named,    ///< a struct: `name`, fields in `keys` (declaration order) and `items`
    Object,   ///< compared by identity: `name` is its class, `identity` a number never reused
};

/// The parts of a type; only those its kind lists mean anything.
struct TraceType {
    TypeKind kind = TypeKind::Literal;
    TensorTypeId tensor = TensorTypeId::None;
    bool trainable = false;
    std::int32_t alias = 0; ///< the n-th distinct variable among all arguments of a call has alias n, from 0
    std::uint64_t identity = 0;
    std::string name;
    Literal literal;
    std::vector<Literal> keys;
    std::vector<TypeId> items;

    bool operator==(const TraceType&) const = default;
};

/// `type` must not be None.
const TraceType& typeOf(TypeId type);

TypeId tensorSpec(TensorTypeId tensor, std::string_view name = {});
TypeId literalType(const Literal& literal);
TypeId listType(std::span<const TypeId> items);
TypeId tupleType(std::span<const TypeId> items);
/// Keys in any order, none twice.
TypeId dictType(std::vector<std::pair<Literal, TypeId>> entries);
TypeId variableType(TensorTypeId tensor, bool trainable, int alias);
/// Fields in declaration order. `name` stands for the C++ type, not only for how it is spelled.
TypeId namedType(std::string_view name, std::vector<std::pair<Literal, TypeId>> fields);
TypeId objectType(std::string_view className, std::uint64_t identity);

/// True if a trace made for `wide` may serve a value of type `narrow`.
bool isSubtype(TypeId narrow, TypeId wide);

/// The most specific type above both, or None if there is none.
TypeId commonSupertype(TypeId a, TypeId b);

/// How many tensors and variables a value of this type contributes to the inputs of a graph.
int leafCount(TypeId type);

/// "TensorSpec(shape=(None, 4), dtype=tf.float32, name=None)", "Literal[3]", "Dict[['k', Literal[1]]]"
/// (tracing_semantics.md 15.5); "<untyped>" for None.
std::string toText(TypeId type);

} // namespace retracescope::types
