#include <QProcess>
#include <QTest>

#include <map>
#include <random>
#include <thread>

#include <retracescope/engine/runtime/executable.h>
#include <retracescope/engine/runtime/slab_layout.h>
#include <retracescope/engine/tensor/buffer.h>
#include <retracescope/engine/tensor/constant.h>

#include "tests/support/allocations.h"
#include "tests/support/test_main.h"

using namespace retracescope;
using ir::Graph;
using ir::NodeId;
using ir::Op;
using runtime::Executable;
using runtime::SlabLayout;

namespace {

types::TensorTypeId floats(const types::Shape& shape) {
    return types::tensorType(types::DType::Float32, shape);
}

} // namespace

class MemoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void livingValuesNeverOverlap() {
        std::mt19937_64 random(7);
        for (int round = 0; round < 50; ++round) {
            SlabLayout layout;
            std::map<std::size_t, std::size_t> alive; // offset to rounded bytes
            std::vector<std::pair<std::size_t, std::size_t>> placed;
            for (int step = 0; step < 300; ++step) {
                if (!placed.empty() && random() % 2 == 0) {
                    const std::size_t which = random() % placed.size();
                    layout.release(placed[which].first, placed[which].second);
                    alive.erase(placed[which].first);
                    placed.erase(placed.begin() + static_cast<std::ptrdiff_t>(which));
                    continue;
                }
                const std::size_t bytes = 1 + random() % 3000;
                const std::size_t offset = layout.place(bytes);
                QCOMPARE(offset % 64, std::size_t{0});
                const std::size_t end = offset + SlabLayout::rounded(bytes);
                const auto next = alive.lower_bound(offset);
                QVERIFY(next == alive.end() || next->first >= end);
                QVERIFY(next == alive.begin() || std::prev(next)->first + std::prev(next)->second <= offset);
                QVERIFY(end <= layout.slabBytes());
                alive[offset] = SlabLayout::rounded(bytes);
                placed.emplace_back(offset, bytes);
            }
            QVERIFY(layout.leastBytes() <= layout.slabBytes());
        }
    }

    void aChainRunsInOneBuffer() {
        Graph graph("chain");
        NodeId at = graph.addInput(floats({1000}), "x");
        const NodeId y = graph.addInput(floats({1000}), "y");
        for (int i = 0; i < 20; ++i)
            at = graph.append(i % 2 == 0 ? Op::Mul : Op::Sub, {at, y});
        graph.setOutputs(std::array{graph.append(Op::ReduceSum, {at})});
        QCOMPARE(Executable::compile(graph)->memory().slabBytes, std::size_t{4032});
    }

    void viewsCostNothing() {
        Graph graph("views");
        const NodeId x = graph.addInput(floats({1000}), "x");
        const NodeId y = graph.append(Op::Neg, {x});
        const NodeId view =
            graph.append(Op::Reshape, {y}, ir::Attributes().set(ir::Attribute::Shape, {10, 100}));
        const NodeId again = graph.append(Op::Identity, {view});
        graph.setOutputs(std::array{graph.append(Op::ReduceSum, {graph.append(Op::Exp, {again})})});
        QCOMPARE(Executable::compile(graph)->memory().slabBytes, std::size_t{4032});
    }

    void aValueReadThroughAViewOutlivesItsName() {
        // y is read by nobody after its view was made, but the view is.
        Graph graph("views");
        const NodeId x = graph.addInput(floats({4}), "x");
        const NodeId y = graph.append(Op::Neg, {x});
        const NodeId view =
            graph.append(Op::Reshape, {y}, ir::Attributes().set(ir::Attribute::Shape, {2, 2}));
        const NodeId other = graph.append(Op::ReduceSum, {graph.append(Op::Exp, {x})});
        const NodeId sum = graph.append(Op::Add, {view, other});
        graph.setOutputs(std::array{graph.append(Op::Neg, {graph.append(Op::Sub, {sum, other})})});
        const auto results =
            Executable::compile(graph)->run(std::array{tensor::constant({0.0f, 0.0f, 0.0f, 0.0f})});
        QCOMPARE(results[0].values<float>(), (std::vector<float>{0, 0, 0, 0}));
    }

    void aThreadKeepsWhatItReleasesUnlessToldNotTo() {
        if (!tests::kCountsAllocations)
            QSKIP("not counted under sanitizers");
        const auto allocationsFor = [](bool keeps) {
            std::uint64_t count = 0;
            std::thread([&] {
                if (!keeps)
                    tensor::Buffer::keepNothingInThisThread();
                tensor::Buffer::make(types::DType::Float32, 1000)->release();
                const std::uint64_t before = tests::allocations();
                tensor::Buffer::make(types::DType::Float32, 1000)->release();
                count = tests::allocations() - before;
            }).join();
            return count;
        };
        QCOMPARE(allocationsFor(true), std::uint64_t{0});
        QCOMPARE(allocationsFor(false), std::uint64_t{1});
    }

    /// A symbol of one instruction set that another object may call by the same name would run on CPUs that
    /// lack it.
    void instructionSetsShareNoSymbol() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers add symbols of their own");
#endif
        QProcess nm;
        nm.start("nm", {"-C", "--defined-only", RETRACESCOPE_RUNTIME_LIBRARY});
        QVERIFY(nm.waitForFinished());
        QString member;
        QStringList foreign;
        int seen = 0;
        for (const QString& line : QString::fromUtf8(nm.readAllStandardOutput()).split('\n')) {
            if (line.endsWith(".o:"))
                member = line;
            const QString kind = line.section(' ', 1, 1);
            const bool isShared = kind == "W" || kind == "V" || kind == "u" || kind == "T";
            if (!member.startsWith("vector_kernels") || !isShared)
                continue;
            ++seen;
            const QString name = line.section(' ', 2);
            const bool isOwn = name.contains("retracescope::runtime::baseline::") ||
                               name.contains("retracescope::runtime::avx2::") ||
                               name.contains("retracescope::runtime::avx512::") ||
                               name.contains("retracescope_eigen_") || name.startsWith("DW.ref.");
            if (!isOwn)
                foreign += name;
        }
        QVERIFY2(seen > 100, "the kernels were not found in the library");
        QCOMPARE(foreign, QStringList());
    }
};

RETRACESCOPE_TEST(MemoryTest);
#include "memory_test.moc"
