#pragma once

#include <string>
#include <vector>

#include <retracescope/diagnose/overview.h>
#include <retracescope/session/session.h>

#include "tests/support/session_builder.h"

namespace retracescope::test {

/// Writes graphs of models as an engine would record them: scopes, weights, constants, types, source lines.
class ModelGraph {
public:
    explicit ModelGraph(session::Session& session) : m_session(session) {}

    std::uint32_t add(const std::string& name, const std::string& op, std::vector<std::uint32_t> inputs,
                      const std::string& type = "float32[32,38,256]") {
        session::GraphNode node;
        node.name = m_session.strings.intern(name);
        node.op = m_session.strings.intern(op);
        node.type = m_session.strings.intern(type);
        node.file = m_session.strings.intern("model.py");
        node.line = 20 + static_cast<std::uint32_t>(m_graph.nodes.size() % 90);
        node.firstInput = static_cast<std::uint32_t>(m_graph.inputs.size());
        node.inputCount = static_cast<std::uint32_t>(inputs.size());
        for (const std::uint32_t from : inputs)
            m_graph.inputs.push_back({from, 0, false, {}, m_graph.nodes[from].type});
        m_graph.nodes.push_back(node);
        return static_cast<std::uint32_t>(m_graph.nodes.size() - 1);
    }

    std::uint32_t dense(const std::string& scope, std::uint32_t x) {
        const std::uint32_t w = add(scope + "/kernel", "ReadVariableOp", {}, "float32[256,256]");
        const std::uint32_t b = add(scope + "/bias", "ReadVariableOp", {}, "float32[256]");
        return add(scope + "/BiasAdd", "BiasAdd", {add(scope + "/MatMul", "MatMul", {x, w}), b});
    }

    std::uint32_t norm(const std::string& scope, std::uint32_t x) {
        const std::uint32_t mean = add(scope + "/mean", "Mean", {x}, "float32[32,38,1]");
        const std::uint32_t centred = add(scope + "/sub", "Sub", {x, mean});
        const std::uint32_t variance = add(scope + "/variance", "Mean",
                                           {add(scope + "/square", "Square", {centred})}, "float32[32,38,1]");
        const std::uint32_t epsilon = add(scope + "/epsilon", "Const", {}, "float32[]");
        const std::uint32_t inverse =
            add(scope + "/rsqrt", "Rsqrt", {add(scope + "/add", "AddV2", {variance, epsilon})});
        return add(scope + "/mul", "Mul", {centred, inverse});
    }

    std::uint32_t block(const std::string& scope, std::uint32_t x, std::uint32_t mask) {
        const std::uint32_t n = norm(scope + "/ln_1", x);
        const std::string a = scope + "/attention";
        const std::uint32_t q = dense(a + "/query", n);
        const std::uint32_t k = dense(a + "/key", n);
        const std::uint32_t v = dense(a + "/value", n);
        const std::uint32_t s = add(a + "/scores", "BatchMatMulV2", {q, k}, "float32[32,8,38,38]");
        const std::uint32_t m = add(a + "/masked", "AddV2", {s, mask}, "float32[32,8,38,38]");
        const std::uint32_t p = add(a + "/Softmax", "Softmax", {m}, "float32[32,8,38,38]");
        const std::uint32_t c = add(a + "/context", "BatchMatMulV2", {p, v});
        const std::uint32_t first = add(scope + "/Add", "AddV2", {dense(a + "/project", c), x});
        const std::uint32_t f = dense(scope + "/ffn/in", norm(scope + "/ln_2", first));
        const std::uint32_t g = add(scope + "/ffn/Gelu", "Gelu", {f});
        return add(scope + "/Add_1", "AddV2", {dense(scope + "/ffn/out", g), first});
    }

    session::Graph take(std::uint32_t result) {
        m_graph.name = m_session.strings.intern("train_one_step_17");
        m_graph.outputs.push_back({result, 0, false, {}, m_graph.nodes[result].type});
        return std::move(m_graph);
    }

private:
    session::Session& m_session;
    session::Graph m_graph;
};

/// A session with one function whose one entry has a model of `blocks` blocks, with a kernel time per node.
inline diagnose::DiagnosisPtr modelDiagnosis(int blocks) {
    SessionBuilder builder;
    const auto function = builder.function("train_one_step", "x, mask", "model.py", 14);
    builder.call(function, tensorArgument("x", "float32", {32, 38}));
    builder.call(function, tensorArgument("x", "float32", {32, 38}));
    session::Session& session = builder.session();
    ModelGraph model(session);
    const std::uint32_t x = model.add("x", "Placeholder", {}, "int32[32,38]");
    const std::uint32_t mask = model.add("mask", "Placeholder", {}, "float32[32,8,38,38]");
    const std::uint32_t table = model.add("embedding/table", "ReadVariableOp", {}, "float32[8000,256]");
    std::uint32_t value = model.add("embedding/GatherV2", "GatherV2", {table, x});
    for (int b = 0; b < blocks; ++b)
        value = model.block("encoder/block_" + std::to_string(b), value, mask);
    value = model.dense("head/logits", model.add("pool/Mean", "Mean", {value}, "float32[32,256]"));
    value = model.add("loss/SoftmaxCrossEntropy", "SoftmaxCrossEntropyWithLogits", {value}, "float32[32]");
    session.graphs[0] = model.take(model.add("loss/Mean", "Mean", {value}, "float32[]"));
    session.entries[0].nodeCount = static_cast<std::int64_t>(session.graphs[0].nodes.size());
    session::Source source;
    source.path = session.strings.intern("model.py");
    std::string text;
    for (int line = 1; line <= 120; ++line)
        text += "    s = tf.matmul(q, k, transpose_b=True)  # " + std::to_string(line) + "\n";
    source.text = session.strings.intern(text);
    session.sources.push_back(source);
    for (std::uint32_t row = 0; row < session.graphs[0].nodes.size(); ++row) {
        session.kernels.startNs.push_back(session.calls.startNs[1] + row * 10);
        const bool heavy =
            session.text(session.graphs[0].nodes[row].op).find("MatMul") != std::string_view::npos;
        session.kernels.durationNs.push_back(heavy ? 180'000 + row * 37 : 7'000);
        session.kernels.lane.push_back(session::LaneId(std::uint32_t{0}));
        session.kernels.name.push_back(session.graphs[0].nodes[row].op);
        session.kernels.entry.push_back(session::EntryId(std::uint32_t{0}));
        session.kernels.node.push_back(row);
    }
    return diagnose::diagnose(builder.finish());
}

} // namespace retracescope::test
