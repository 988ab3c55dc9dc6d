#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <retracescope/types/literal.h>
#include <retracescope/types/tensor_type.h>

/// The type of one argument for tracing: what of it is part of a signature. Written types say all that a call
/// was written with; cacheKey() of one is what caches compare, and what subtyping is defined on.
namespace retracescope::types {

/// A trace type as one word; equal types have equal ids. None = no type (an untyped parameter).
enum class TypeId : std::uint32_t { None = 0 };

enum class TypeKind : std::uint8_t {
    Tensor,   ///< `tensor`, and `name` if the user named the spec
    Literal,  ///< `literal`
    List,     ///< `items`
    Tuple,    ///< `items`
    Dict,     ///< `keys` and `items`, in the order they were written in; in a cache key, in keyOrder()
    Variable, ///< `tensor`, `trainable`, `alias`
    Named, ///< a struct: `name`, fields in `keys` (declaration order) and `items`, `identity` of its C++ type
    Object,   ///< held weakly: `name` is its class, `identity` its number (object.h)
    Dataset,  ///< `items` has one: the structure of its elements
    Iterator, ///< of a dataset; `items` as there
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
TypeId dictType(const std::vector<std::pair<Literal, TypeId>>& entries);
TypeId variableType(TensorTypeId tensor, bool trainable, int alias);
/// Fields in declaration order. `identity` tells C++ types of one spelling apart.
TypeId namedType(std::string_view name, const std::vector<std::pair<Literal, TypeId>>& fields,
                 std::uint64_t identity = 0);
TypeId objectType(std::string_view className, std::uint64_t identity);
/// `element` is the structure of every element. A dataset of a subtype of it is a subtype.
TypeId datasetType(TypeId element);
TypeId iteratorType(TypeId element);

/// What makes two written types one for a cache.
struct KeyRules {
    bool sharesLiterals = false; ///< literals as sharedLiteral() has them, else as they are
    bool namesStructs = false;   ///< structs by name and fields, else by their C++ type
};

/// What a cache compares in the place of a written type: dicts in keyOrder(), the rest as `rules` say.
TypeId cacheKey(TypeId written, KeyRules rules = {});

/// `key`, which is above cacheKey(written), with the literals and the orders of `written`: what a trace made
/// under that key for such an argument has to say about it.
TypeId asWritten(TypeId key, TypeId written);

/// True if a trace made for `wide` may serve a value of type `narrow`. Both are cache keys. Of objects, one
/// serves another as long as both live and are equal.
bool isSubtype(TypeId narrow, TypeId wide);

/// The same if objects inside `wide` that are gone were still there and equal.
bool wasSubtype(TypeId narrow, TypeId wide);

/// True if the type has an object in it: then what isSubtype() says of it may change.
bool hasObjects(TypeId type);
/// True only if no type but itself is a subtype of it: what holds tensors and variables of known
/// shapes and literals alone.
bool servesOnlyItself(TypeId type);

/// True if an object in it is gone: such a type serves nobody any more.
bool hasDeadObjects(TypeId type);

/// The most specific type above both, or None if there is none. Both are cache keys.
TypeId commonSupertype(TypeId a, TypeId b);

/// Row of each entry of a dict or struct in the order of flattening: keyOrder() for a dict, as declared else.
std::vector<std::size_t> flatteningOrder(const TraceType& type);

/// True for what is one input of a graph: tensor, variable, dataset, iterator.
bool isLeaf(TypeKind kind);

/// How many inputs a value of this type contributes to a graph.
int leafCount(TypeId type);

/// The leaves of a type in the order of flattening.
std::vector<TypeId> leavesOf(TypeId type);

/// The type with `changed` of the tensor in the place of every tensor; other leaves stay.
TypeId withTensors(TypeId type, const std::function<TensorTypeId(TensorTypeId)>& changed);

/// "TensorSpec(shape=(None, 4), dtype=tf.float32, name=None)", "Literal[3]", "Dict[['k', Literal[1]]]", as
/// TensorFlow prints them; "<untyped>" for None.
std::string toText(TypeId type);

} // namespace retracescope::types
