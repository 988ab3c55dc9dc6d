#include <QTest>

#include <random>

#include <retracescope/types/dispatch_table.h>

#include "tests/core/types/type_text.h"
#include "tests/support/test_main.h"

using namespace retracescope::types;
using retracescope::test::type;

namespace {

using Scope = FunctionContext::Scope;

FunctionType call(const std::vector<std::string>& arguments) {
    FunctionType result;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        result.parameters.push_back({std::string(1, static_cast<char>('a' + i)),
                                     ParameterKind::PositionalOrKeyword, false, type(arguments[i])});
    return result;
}

FunctionType randomCall(std::mt19937& random) {
    const auto pick = [&random](unsigned n) { return random() % n; };
    std::vector<std::string> arguments;
    for (unsigned i = 0; i < 1 + pick(10) / 9; ++i) {
        std::string shape;
        for (unsigned rank = 1 + pick(2); rank > 0; --rank)
            shape += (shape.empty() ? "" : ",") + std::string(pick(3) == 0 ? "?" : std::to_string(pick(3)));
        arguments.push_back(pick(8) == 0 ? "f32*" : (pick(5) == 0 ? "i32[" : "f32[") + shape + "]");
    }
    return call(arguments);
}

/// The rules of features.md, rows 16 and 17, written down without any table: exact, else the most specific by
/// pairwise comparison in insertion order.
std::optional<std::uint32_t> bruteForce(const std::vector<DispatchTable::Target>& targets,
                                        const FunctionContext& context, const FunctionType& request) {
    const DispatchTable::Target* best = nullptr;
    for (const auto& target : targets) {
        if (!(target.context == context))
            continue;
        if (target.type == request)
            return target.value;
        if (!canServe(target.type, request))
            continue;
        bool moreSpecific = best != nullptr;
        for (std::size_t i = 0; moreSpecific && i < request.parameters.size(); ++i)
            moreSpecific = isSubtype(target.type.parameters[i].type, best->type.parameters[i].type);
        if (best == nullptr || moreSpecific)
            best = &target;
    }
    return best == nullptr ? std::nullopt : std::optional(best->value);
}

} // namespace

class DispatchTableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mostSpecificWinsAndTheEarliestOnTies() {
        DispatchTable table;
        table.add({}, call({"f32[?,1,2]"}), 0);
        table.add({}, call({"f32[?,2,2]"}), 1);
        table.add({}, call({"f32[?,1,?]"}), 2);
        table.add({}, call({"f32[?,?,?]"}), 3);
        const auto serves = [&](const char* text) { return table.dispatch({}, call({text})); };
        QCOMPARE(serves("f32[1,1,2]"), std::optional(0U)); // O10
        QCOMPARE(serves("f32[1,1,3]"), std::optional(2U));
        QCOMPARE(serves("f32[1,3,3]"), std::optional(3U));
        QCOMPARE(serves("f32[1,2,2]"), std::optional(1U));
        QVERIFY(!serves("f32[1,2]").has_value());
        DispatchTable late; // the general one first
        late.add({}, call({"f32[?,?]"}), 0);
        late.add({}, call({"f32[?,2]"}), 1);
        QCOMPARE(late.dispatch({}, call({"f32[1,2]"})), std::optional(1U));
        DispatchTable ties;
        ties.add({}, call({"f32[?,2]"}), 0);
        ties.add({}, call({"f32[1,?]"}), 1);
        QCOMPARE(ties.dispatch({}, call({"f32[1,2]"})), std::optional(0U));
    }

    void agreesWithBruteForceOnThousandsOfRandomTables() {
        std::mt19937 random(7);
        int found = 0;
        for (int round = 0; round < 300; ++round) {
            DispatchTable table;
            std::vector<DispatchTable::Target> targets;
            for (std::uint32_t step = 0; step < 40; ++step) {
                const FunctionContext context{random() % 4 == 0 ? Scope::NoCreation
                                                                : Scope::MayCreateVariables};
                const FunctionType request = randomCall(random);
                const auto expected = bruteForce(targets, context, request);
                QCOMPARE(table.dispatch(context, request), expected);
                QCOMPARE(table.dispatch(context, request), expected); // now from the memo
                found += expected.has_value();
                if (!expected && random() % 2 == 0) {
                    table.add(context, request, step);
                    targets.push_back({context, request, step});
                } else if (random() % 16 == 0 && !targets.empty()) {
                    const std::size_t gone = random() % targets.size();
                    table.remove(targets[gone].value);
                    targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(gone));
                }
            }
        }
        QVERIFY(found > 2000);
    }

    void remembersNoMoreThanItsCapacity() {
        DispatchTable table;
        table.add({}, call({"f32[?]"}), 5);
        for (std::size_t size = 0; size < DispatchTable::kMemoCapacity + 50; ++size)
            QCOMPARE(table.dispatch({}, call({"f32[" + std::to_string(size) + "]"})), std::optional(5U));
        QCOMPARE(table.memoSize(), DispatchTable::kMemoCapacity);
        table.remove(5);
        QCOMPARE(table.memoSize(), std::size_t{0});
        QVERIFY(!table.dispatch({}, call({"f32[3]"})).has_value());
    }

    void contextsDoNotServeEachOther() {
        DispatchTable table;
        table.add({Scope::MayCreateVariables}, call({"f32[2]"}), 0);
        QVERIFY(!table.dispatch({Scope::NoCreation}, call({"f32[2]"})).has_value());
    }

    void capturesOfATraceDoNotPreventAMatch() {
        FunctionType stored = call({"f32[2]"});
        stored.captures.push_back({"weight", type("f32[2]")});
        QVERIFY(canServe(stored, call({"f32[2]"})));
        FunctionType asking = call({"f32[2]"});
        asking.captures.push_back({"weight", type("f32[3]")});
        QVERIFY(!canServe(stored, asking));
    }

    void subtypingOfFunctionsIsContravariant() {
        QVERIFY(canServe(call({"f32[?]"}), call({"f32[2]"})));
        QVERIFY(!canServe(call({"f32[2]"}), call({"f32[?]"})));
        QVERIFY(!canServe(call({"f32[2]"}), call({"f32[2]", "f32[2]"})));
        FunctionType renamed = call({"f32[2]"});
        renamed.parameters[0].name = "other";
        QVERIFY(!canServe(renamed, call({"f32[2]"})));
    }
};

RETRACESCOPE_TEST(DispatchTableTest);

#include "dispatch_table_test.moc"
