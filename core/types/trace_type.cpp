#include <retracescope/types/trace_type.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include <retracescope/base/check.h>
#include <retracescope/types/intern_table.h>
#include <retracescope/types/object.h>

namespace retracescope::types {

namespace {

InternTable<TraceType>& table() {
    // Never destroyed, as the table of tensor types.
    static auto* types = new InternTable<TraceType>;
    return *types;
}

std::uint64_t hashOf(const TraceType& type) {
    std::uint64_t hash = static_cast<std::uint64_t>(type.kind) + 1;
    const auto add = [&hash](std::uint64_t part) { hash = mixBits(hash) + part; };
    add(static_cast<std::uint64_t>(type.tensor));
    add((static_cast<std::uint64_t>(type.alias) << 1) | (type.trainable ? 1U : 0U));
    add(type.identity);
    add(std::hash<std::string>{}(type.name));
    add(type.literal.hash());
    for (const Literal& key : type.keys)
        add(key.hash());
    for (const TypeId item : type.items)
        add(static_cast<std::uint64_t>(item));
    return hash;
}

TypeId intern(TraceType type) {
    return static_cast<TypeId>(table().intern(
        hashOf(type), [&](const TraceType& have) { return have == type; }, [&] { return std::move(type); }));
}

TypeId sequence(TypeKind kind, std::span<const TypeId> items) {
    RETRACESCOPE_CHECK(std::ranges::find(items, TypeId::None) == items.end());
    TraceType type;
    type.kind = kind;
    type.items.assign(items.begin(), items.end());
    return intern(std::move(type));
}

TraceType keyed(TypeKind kind, const std::vector<std::pair<Literal, TypeId>>& entries) {
    TraceType type;
    type.kind = kind;
    for (const auto& [key, item] : entries) {
        RETRACESCOPE_CHECK(item != TypeId::None);
        type.keys.push_back(key);
        type.items.push_back(item);
    }
    return type;
}

/// Everything but the parts that can be more or less specific.
bool sameFrame(const TraceType& a, const TraceType& b) {
    return a.kind == b.kind && a.name == b.name && a.literal == b.literal && a.trainable == b.trainable &&
           a.alias == b.alias && a.identity == b.identity && a.keys == b.keys &&
           a.items.size() == b.items.size();
}

std::string shapeText(const Shape& shape) {
    if (!shape.hasRank())
        return "<unknown>";
    std::string text = "(";
    for (int axis = 0; axis < shape.rank(); ++axis) {
        text += axis > 0 ? ", " : "";
        text += shape[axis] == Shape::kUnknown ? "None" : std::to_string(shape[axis]);
    }
    return text + (shape.rank() == 1 ? ",)" : ")");
}

/// As Python shows the structure of an element: "(TensorSpec(...), TensorSpec(...))", "{'x':
/// TensorSpec(...)}".
std::string elementText(TypeId id) {
    const TraceType& type = typeOf(id);
    const auto joined = [&](const auto& keyText) {
        std::string text;
        for (std::size_t i = 0; i < type.items.size(); ++i)
            text += (i > 0 ? ", " : "") + keyText(i) + elementText(type.items[i]);
        return text;
    };
    const auto nothing = [](std::size_t) { return std::string(); };
    switch (type.kind) {
    case TypeKind::List:
        return "[" + joined(nothing) + "]";
    case TypeKind::Tuple:
        return "(" + joined(nothing) + (type.items.size() == 1 ? ",)" : ")");
    case TypeKind::Dict:
        return "{" + joined([&](std::size_t i) { return toText(type.keys[i]) + ": "; }) + "}";
    case TypeKind::Named:
        return type.name + "(" +
               joined([&](std::size_t i) { return std::get<std::string>(type.keys[i].value()) + "="; }) + ")";
    default:
        return toText(id);
    }
}

std::string itemsText(const TraceType& type) {
    std::string text;
    for (std::size_t i = 0; i < type.items.size(); ++i) {
        if (i > 0)
            text += ", ";
        text += type.keys.empty() ? toText(type.items[i])
                                  : fmt::format("[{}, {}]", toText(type.keys[i]), toText(type.items[i]));
    }
    return text;
}

} // namespace

const TraceType& typeOf(TypeId type) {
    return table()[static_cast<std::uint32_t>(type)];
}

TypeId tensorSpec(TensorTypeId tensor, std::string_view name) {
    TraceType type;
    type.kind = TypeKind::Tensor;
    type.tensor = tensor;
    type.name = name;
    return intern(std::move(type));
}

TypeId literalType(const Literal& literal) {
    TraceType type;
    type.kind = TypeKind::Literal;
    type.literal = literal;
    return intern(std::move(type));
}

TypeId listType(std::span<const TypeId> items) {
    return sequence(TypeKind::List, items);
}

TypeId tupleType(std::span<const TypeId> items) {
    return sequence(TypeKind::Tuple, items);
}

TypeId dictType(const std::vector<std::pair<Literal, TypeId>>& entries) {
    for (std::size_t i = 1; i < entries.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (entries[k].first == entries[i].first)
                throw UsageError(
                    fmt::format("[dict] expected every key once, got {} twice", toText(entries[i].first)));
    return intern(keyed(TypeKind::Dict, entries));
}

TypeId variableType(TensorTypeId tensor, bool trainable, int alias) {
    TraceType type;
    type.kind = TypeKind::Variable;
    type.tensor = tensor;
    type.trainable = trainable;
    type.alias = alias;
    return intern(std::move(type));
}

TypeId namedType(std::string_view name, const std::vector<std::pair<Literal, TypeId>>& fields,
                 std::uint64_t identity) {
    TraceType type = keyed(TypeKind::Named, fields);
    type.name = name;
    type.identity = identity;
    return intern(std::move(type));
}

TypeId objectType(std::string_view className, std::uint64_t identity) {
    TraceType type;
    type.kind = TypeKind::Object;
    type.name = className;
    type.identity = identity;
    return intern(std::move(type));
}

TypeId datasetType(TypeId element) {
    return sequence(TypeKind::Dataset, std::span(&element, 1));
}

TypeId iteratorType(TypeId element) {
    return sequence(TypeKind::Iterator, std::span(&element, 1));
}

std::vector<std::size_t> flatteningOrder(const TraceType& type) {
    std::vector<std::size_t> order(type.items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (type.kind == TypeKind::Dict)
        std::ranges::sort(
            order, [&](std::size_t a, std::size_t b) { return keyOrder(type.keys[a], type.keys[b]) < 0; });
    return order;
}

TypeId cacheKey(TypeId written, KeyRules rules) {
    const TraceType& facts = typeOf(written);
    if (facts.kind == TypeKind::Literal)
        return rules.sharesLiterals ? literalType(sharedLiteral(facts.literal)) : written;
    if (facts.items.empty() && facts.kind != TypeKind::Named)
        return written;
    TraceType key = facts;
    const bool sharesKeys = rules.sharesLiterals && facts.kind == TypeKind::Dict;
    if (sharesKeys)
        std::ranges::transform(key.keys, key.keys.begin(), sharedLiteral);
    const std::vector<std::size_t> order = flatteningOrder(key);
    TraceType result = key;
    for (std::size_t i = 0; i < order.size(); ++i) {
        result.items[i] = cacheKey(key.items[order[i]], rules);
        if (!key.keys.empty())
            result.keys[i] = key.keys[order[i]];
    }
    if (facts.kind == TypeKind::Named && rules.namesStructs)
        result.identity = 0;
    return intern(std::move(result));
}

TypeId asWritten(TypeId key, TypeId written) {
    const TraceType& facts = typeOf(written);
    if (facts.kind == TypeKind::Literal)
        return written;
    if (facts.items.empty())
        return facts.kind == TypeKind::Named ? written : key;
    TraceType result = facts;
    const std::vector<std::size_t> order = flatteningOrder(facts);
    for (std::size_t i = 0; i < order.size(); ++i)
        result.items[order[i]] = asWritten(typeOf(key).items[i], facts.items[order[i]]);
    return intern(std::move(result));
}

namespace {

using ObjectsFit = bool (*)(const TraceType& narrow, const TraceType& wide);

bool areEqualObjects(const TraceType& a, const TraceType& b) {
    return a.name == b.name && areEqual(a.identity, b.identity);
}

bool fitsBelow(TypeId narrow, TypeId wide, ObjectsFit objectsFit) {
    if (narrow == wide)
        return true;
    const TraceType& a = typeOf(narrow);
    const TraceType& b = typeOf(wide);
    if (a.kind == TypeKind::Tensor)
        // An unnamed request matches a named target, not the other way round.
        return b.kind == TypeKind::Tensor && (a.name.empty() || a.name == b.name) &&
               isSubtype(a.tensor, b.tensor);
    if (a.kind == TypeKind::Object)
        return b.kind == TypeKind::Object && objectsFit(a, b);
    if (!sameFrame(a, b))
        return false;
    if (a.kind == TypeKind::Variable)
        return isSubtype(a.tensor, b.tensor);
    if (a.items.empty())
        return false; // same frame, no items, yet not the same type: nothing left that could be more specific
    return std::ranges::equal(a.items, b.items,
                              [&](TypeId x, TypeId y) { return fitsBelow(x, y, objectsFit); });
}

} // namespace

bool isSubtype(TypeId narrow, TypeId wide) {
    return fitsBelow(narrow, wide, areEqualObjects);
}

bool wasSubtype(TypeId narrow, TypeId wide) {
    return fitsBelow(narrow, wide, [](const TraceType& a, const TraceType& b) {
        return a.name == b.name && (!isAlive(b.identity) || areEqual(a.identity, b.identity));
    });
}

bool hasObjects(TypeId type) {
    const TraceType& facts = typeOf(type);
    return facts.kind == TypeKind::Object || std::ranges::any_of(facts.items, hasObjects);
}

bool servesOnlyItself(TypeId type) {
    const TraceType& facts = typeOf(type);
    switch (facts.kind) {
    case TypeKind::Tensor: // an unnamed request matches a named one
        return facts.name.empty() && shapeOf(facts.tensor).isKnown();
    case TypeKind::Variable:
        return shapeOf(facts.tensor).isKnown();
    case TypeKind::Literal:
        return true;
    case TypeKind::List:
    case TypeKind::Tuple:
    case TypeKind::Dict:
    case TypeKind::Named:
        return std::ranges::all_of(facts.items, servesOnlyItself);
    case TypeKind::Object:
    case TypeKind::Dataset:
    case TypeKind::Iterator:
        break;
    }
    return false;
}

bool hasDeadObjects(TypeId type) {
    const TraceType& facts = typeOf(type);
    return (facts.kind == TypeKind::Object && !isAlive(facts.identity)) ||
           std::ranges::any_of(facts.items, hasDeadObjects);
}

TypeId commonSupertype(TypeId a, TypeId b) {
    if (a == b)
        return a;
    const TraceType& left = typeOf(a);
    if (left.kind == TypeKind::Object)
        return isSubtype(a, b) ? a : TypeId::None;
    if (!sameFrame(left, typeOf(b)))
        return TypeId::None;
    TraceType result = left;
    if (left.kind == TypeKind::Tensor || left.kind == TypeKind::Variable) {
        result.tensor = commonSupertype(left.tensor, typeOf(b).tensor);
        return result.tensor == TensorTypeId::None ? TypeId::None : intern(std::move(result));
    }
    for (std::size_t i = 0; i < result.items.size(); ++i) {
        result.items[i] = commonSupertype(left.items[i], typeOf(b).items[i]);
        if (result.items[i] == TypeId::None)
            return TypeId::None;
    }
    return intern(std::move(result));
}

bool isLeaf(TypeKind kind) {
    return kind == TypeKind::Tensor || kind == TypeKind::Variable || kind == TypeKind::Dataset ||
           kind == TypeKind::Iterator;
}

int leafCount(TypeId type) {
    const TraceType& facts = typeOf(type);
    if (isLeaf(facts.kind))
        return 1;
    int count = 0;
    for (const TypeId item : facts.items)
        count += leafCount(item);
    return count;
}

namespace {

void appendLeaves(TypeId type, std::vector<TypeId>& leaves) {
    const TraceType& facts = typeOf(type);
    if (isLeaf(facts.kind)) {
        leaves.push_back(type);
        return;
    }
    for (const std::size_t at : flatteningOrder(facts))
        appendLeaves(facts.items[at], leaves);
}

} // namespace

std::vector<TypeId> leavesOf(TypeId type) {
    std::vector<TypeId> leaves;
    appendLeaves(type, leaves);
    return leaves;
}

TypeId withTensors(TypeId type, const std::function<TensorTypeId(TensorTypeId)>& changed) {
    const TraceType& facts = typeOf(type);
    if (facts.kind == TypeKind::Tensor)
        return tensorSpec(changed(facts.tensor), facts.name);
    if (isLeaf(facts.kind) || facts.items.empty())
        return type;
    TraceType result = facts;
    for (TypeId& item : result.items)
        item = withTensors(item, changed);
    return intern(std::move(result));
}

std::string toText(TypeId type) {
    if (type == TypeId::None)
        return "<untyped>";
    const TraceType& facts = typeOf(type);
    switch (facts.kind) {
    case TypeKind::Tensor:
        return "TensorSpec(shape=" + shapeText(shapeOf(facts.tensor)) + ", dtype=tf." +
               std::string(dtypeName(dtypeOf(facts.tensor))) +
               (facts.name.empty() ? ", name=None)" : ", name='" + facts.name + "')");
    case TypeKind::Variable:
        return fmt::format("VariableSpec(shape={}, dtype=tf.{}, trainable={}, alias_id={})",
                           shapeText(shapeOf(facts.tensor)), dtypeName(dtypeOf(facts.tensor)),
                           facts.trainable ? "True" : "False", facts.alias);
    case TypeKind::Literal:
        return fmt::format("Literal[{}]", toText(facts.literal));
    case TypeKind::List:
        return fmt::format("List[{}]", itemsText(facts));
    case TypeKind::Tuple:
        return fmt::format("Tuple[{}]", itemsText(facts));
    case TypeKind::Dict:
        return fmt::format("Dict[{}]", itemsText(facts));
    case TypeKind::Named:
        return fmt::format("{}[{}]", facts.name, itemsText(facts));
    case TypeKind::Object:
        return fmt::format("Weakref[<{} #{}>]", facts.name, facts.identity);
    case TypeKind::Dataset:
        return fmt::format("DatasetSpec({}, TensorShape([]))", elementText(facts.items[0]));
    case TypeKind::Iterator:
        return fmt::format("IteratorSpec({},)", elementText(facts.items[0]));
    }
    return {};
}

} // namespace retracescope::types
