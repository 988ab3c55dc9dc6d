#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <retracescope/session/compared.h>
#include <retracescope/session/file.h>

#include "tests/support/test_main.h"

using namespace retracescope;
using namespace retracescope::session;

class ForeignWriterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsASessionWrittenWithPythonsStandardLibraryAlone() {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty())
            QSKIP("needs python3, which is not installed");
        QTemporaryDir folder;
        const QString path = folder.filePath("foreign.retrace");
        QProcess process;
        process.start(python, {RETRACESCOPE_SOURCE_DIR "/tests/core/session/write_session.py", path});
        QVERIFY(process.waitForFinished());
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        QVERIFY(isSessionFile(path.toStdString()));
        const auto read = readSession(path.toStdString());
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const Session& session = **read;
        QVERIFY2(session.warnings.empty(), session.warnings.empty() ? "" : session.warnings[0].c_str());
        QVERIFY(session.closedProperly);
        QCOMPARE(QString::fromStdString(describe(session)),
                 "step(x) jax train.py:12\n"
                 "miss 1 at call 0, first_call, 900 ns -> step_1 (f32[2])\n"
                 "miss 3 at call 2, x.shape[0] 2 -> 3, 800 ns -> step_2 (f32[3])\n"
                 "call 1000+1000 step_1\ncall 3000+100 step_1\ncall 4000+900 step_2\n"
                 "graph step: x=parameter() double=add(x,x)\n"
                 "instant 3500 epoch\nfrom 1000 to 4900\n");
    }

private:
    static std::string describe(const Session& s) {
        const Function& f = s.functions.at(0);
        std::string text = fmt::format("{}({}) {} {}:{}\n", s.text(f.name), s.text(f.parameters),
                                       s.text(f.engine), s.text(f.file), f.line);
        const Index index = buildIndex(s);
        for (const Miss& miss : s.misses) {
            text += fmt::format("miss {} at call {}, ", miss.callNumber, miss.call.value);
            for (const types::MissKind kind : miss.otherKinds)
                text += fmt::format("{}, ", types::missKindName(kind));
            for (const EntryId compared : comparedWith(s, index, miss)) {
                for (const types::Difference& d : differencesTo(s, miss, compared))
                    text += fmt::format("{} {} -> {}, ", d.path, d.before, d.after);
            }
            text += fmt::format("{} ns -> {} ({})\n", miss.traceNs, s.text(s[miss.entry].name),
                                s.text(s[miss.request].text));
        }
        for (std::size_t row = 0; row < s.calls.size(); ++row)
            text += fmt::format("call {}+{} {}\n", s.calls.startNs[row], s.calls.durationNs[row],
                                s.text(s[s.calls.entry[row]].name));
        for (const Graph& graph : s.graphs)
            text += describe(s, graph);
        for (std::size_t row = 0; row < s.instants.size(); ++row)
            text += fmt::format("instant {} {}\n", s.instants.timeNs[row], s.text(s.instants.name[row]));
        return text + fmt::format("from {} to {}\n", s.originNs, s.endNs);
    }

    static std::string describe(const Session& s, const Graph& graph) {
        std::string text = fmt::format("graph {}:", s.text(graph.name));
        for (const GraphNode& node : graph.nodes) {
            text += fmt::format(" {}={}(", s.text(node.name), s.text(node.op));
            for (std::uint32_t i = 0; i < node.inputCount; ++i)
                text += fmt::format("{}{}", i == 0 ? "" : ",",
                                    s.text(graph.nodes[graph.inputs[node.firstInput + i].from].name));
            text += ")";
        }
        return text + "\n";
    }
};

RETRACESCOPE_TEST(ForeignWriterTest);

#include "foreign_writer_test.moc"
