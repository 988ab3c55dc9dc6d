#include <QTest>

#include <retracescope/engine/ir/parse.h>
#include <retracescope/engine/ir/print.h>
#include <retracescope/engine/passes/pipeline.h>
#include <retracescope/engine/passes/remove_dead_nodes.h>
#include <retracescope/engine/runtime/eager.h>
#include <retracescope/engine/runtime/variable.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using ir::Graph;

namespace {

std::optional<tensor::Tensor> evaluate(ir::Op op, std::span<const tensor::Tensor> inputs,
                                       ir::AttributeView attributes) {
    try {
        return runtime::runOp(op, inputs, attributes);
    } catch (const UsageError&) {
        return std::nullopt;
    }
}

Graph parsed(const std::string& body) {
    static const auto variable =
        runtime::Variable::make("v", *ir::parseType("float32[]"), tensor::constant(1.0f));
    const ir::ParseContext context{{}, [](std::string_view) { return tensor::Tensor::resource(variable); }};
    Result<Graph> graph = ir::parseGraph("graph \"g\" {\n" + body + "}\n", context);
    if (!graph)
        qFatal("%s", graph.error().message.c_str());
    return std::move(*graph);
}

/// The nodes alone, without the frame of the graph.
std::string bodyOf(const Graph& graph) {
    const std::string text = ir::toText(graph);
    return text.substr(12, text.size() - 14);
}

std::string folded(const std::string& body) {
    return bodyOf(passes::foldConstants(parsed(body), &evaluate));
}

std::string withoutDead(const std::string& body) {
    return bodyOf(passes::removeDeadNodes(parsed(body)));
}

} // namespace

class PipelineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foldsWhatFollowsFromConstants() {
        QCOMPARE(folded("  %0 = input \"x\" : float32[2]\n"
                        "  %1 = constant 2 : float32[]\n"
                        "  %2 = constant 3 : float32[]\n"
                        "  %3 = mul(%1, %2) : float32[] @ \"a.cpp\":7 \"main\" named \"six\"\n"
                        "  %4 = add(%0, %3) : float32[2]\n"
                        "  return %4\n"),
                 std::string("  %0 = input \"x\" : float32[2]\n"
                             "  %1 = constant 2 : float32[]\n"
                             "  %2 = constant 3 : float32[]\n"
                             "  %3 = constant 6 : float32[] @ \"a.cpp\":7 \"main\" named \"six\"\n"
                             "  %4 = add(%0, %3) : float32[2]\n"
                             "  return %4\n"));
    }

    void foldsWhatFollowsFromTypes() {
        QCOMPARE(folded("  %0 = input \"x\" : float32[2,3]\n"
                        "  %1 = input \"y\" : float32[None]\n"
                        "  %2 = shape_of(%0) : int64[2]\n"
                        "  %3 = shape_of(%1) : int64[1]\n"
                        "  %4 = zeros_like(%0) : float32[2,3]\n"
                        "  return %2, %3, %4\n"),
                 std::string("  %0 = input \"x\" : float32[2,3]\n"
                             "  %1 = input \"y\" : float32[None]\n"
                             "  %2 = constant [2, 3] : int64[2]\n"
                             "  %3 = shape_of(%1) : int64[1]\n"
                             "  %4 = constant [[0, 0, 0], [0, 0, 0]] : float32[2,3]\n"
                             "  return %2, %3, %4\n"));
    }

    void leavesWhatFailsForTheRun() {
        const std::string body = "  %0 = constant 1 : int32[]\n"
                                 "  %1 = constant 0 : int32[]\n"
                                 "  %2 = div(%0, %1) : int32[]\n"
                                 "  return %2\n";
        QCOMPARE(folded(body), body);
    }

    void leavesWhatWouldBeLarge() {
        const std::string body = "  %0 = constant 1 : float32[]\n"
                                 "  %1 = broadcast_to(%0) {shape=[200,200]} : float32[200,200]\n"
                                 "  return %1\n";
        QCOMPARE(folded(body), body);
    }

    void dropsUnusedNodesButKeepsArgumentsAndEffects() {
        QCOMPARE(withoutDead("  %0 = input \"x\" : float32[]\n"
                             "  %1 = input \"unused\" : float32[]\n"
                             "  %2 = capture \"v\" : resource[]\n"
                             "  %3 = neg(%0) : float32[]\n"
                             "  %4 = exp(%0) : float32[]\n"
                             "  %5 = read_variable(%2) {type=float32[]} : float32[]\n"
                             "  assign_add_variable(%2, %3) {type=float32[]}\n"
                             "  print(%4) {text=\"e\"}\n"
                             "  %8 = sqrt(%4) : float32[]\n"
                             "  return %0\n"),
                 std::string("  %0 = input \"x\" : float32[]\n"
                             "  %1 = input \"unused\" : float32[]\n"
                             "  %2 = capture \"v\" : resource[]\n"
                             "  %3 = neg(%0) : float32[]\n"
                             "  %4 = exp(%0) : float32[]\n"
                             "  assign_add_variable(%2, %3) {type=float32[]}\n"
                             "  print(%4) {text=\"e\"}\n"
                             "  return %0\n"));
    }

    void keepsABranchesEffectAndCleansItsInside() {
        const std::string body = "  %0 = input \"p\" : bool[]\n"
                                 "  %1 = input \"x\" : float32[]\n"
                                 "  cond(%0, %1) then graph \"a\" {\n"
                                 "    %0 = input \"x\" : float32[]\n"
                                 "    %1 = neg(%0) : float32[]\n"
                                 "    print(%0)\n"
                                 "    return\n"
                                 "  } else graph \"b\" {\n"
                                 "    %0 = input \"x\" : float32[]\n"
                                 "    return\n"
                                 "  }\n"
                                 "  return %1\n";
        std::string cleaned = body;
        const std::string dead = "    %1 = neg(%0) : float32[]\n";
        cleaned.erase(cleaned.find(dead), dead.size());
        QCOMPARE(bodyOf(passes::runPipeline(parsed(body),
                                            {.evaluate = &evaluate, .off = {}, .report = {}, .dump = {}})),
                 cleaned);
    }

    void reportsEveryPassAndLeavesOutWhatIsOff() {
        const std::string body = "  %0 = constant 2 : float32[]\n"
                                 "  %1 = neg(%0) : float32[]\n"
                                 "  return %1\n";
        std::vector<std::string> reported;
        std::vector<std::string> dumped;
        passes::Options options;
        options.evaluate = &evaluate;
        options.off = {"fold_constants"};
        options.report = [&](std::string_view pass, std::uint64_t begin, std::uint64_t end) {
            reported.push_back(std::string(pass) + (begin <= end ? "" : " ends before it begins"));
        };
        options.dump = [&](std::string_view pass, const Graph&) { dumped.emplace_back(pass); };
        QCOMPARE(bodyOf(passes::runPipeline(parsed(body), options)), body);
        QCOMPARE(reported, (std::vector<std::string>{"remove_dead_nodes"}));
        QCOMPARE(dumped, (std::vector<std::string>{"traced", "remove_dead_nodes"}));
        options.off.clear();
        QCOMPARE(bodyOf(passes::runPipeline(parsed(body), options)),
                 std::string("  %0 = constant -2 : float32[]\n  return %0\n"));
    }
};

RETRACESCOPE_TEST(PipelineTest);
#include "pipeline_test.moc"
