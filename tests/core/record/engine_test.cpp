#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <retracescope/diagnose/overview.h>
#include <retracescope/retracescope.h>
#include <retracescope/session/compared.h>
#include <retracescope/session/file.h>

#include "tests/support/error_of.h"
#include "tests/support/rounds.h"
#include "tests/support/test_main.h"

using namespace retracescope::session;
namespace rs = retracescope;

namespace {

std::string outcomeName(Outcome outcome) {
    constexpr std::string_view kNames[] = {"hit", "traced", "eager", "error", "unknown"};
    return std::string(kNames[static_cast<std::size_t>(outcome)]);
}

/// Calls in order, and below a traced one what kept each entry from serving.
std::string describe(const Session& s) {
    const Index index = buildIndex(s);
    std::string text;
    for (std::size_t row = 0; row < s.calls.size(); ++row) {
        const EntryId entry = s.calls.entry[row];
        text += fmt::format("{} {}: {} {}\n", s.text(s[s.calls.function[row]].name), s.calls.number[row],
                            outcomeName(s.calls.outcome[row]), entry.isValid() ? s.text(s[entry].name) : "-");
        for (const Miss& miss : s.misses) {
            if (miss.call.value != row)
                continue;
            for (const auto kind : miss.otherKinds)
                text += fmt::format("  {}\n", rs::types::missKindName(kind));
            for (const EntryId compared : comparedWith(s, index, miss))
                for (const auto& d : differencesTo(s, miss, compared))
                    text += fmt::format("  {}: {} {} -> {}\n", s.text(s[compared].name), d.path, d.before,
                                        d.after);
        }
    }
    return text;
}

/// Names are unique within a function: number n made the n-th.
bool hasEntryTwice(const Session& s) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    return !std::ranges::all_of(s.entries, [&](const Entry& entry) {
        return seen.insert({entry.function.value, entry.name.value}).second;
    });
}

} // namespace

/// Real functions under a recorder.
class EngineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void recordsRealFunctionsCallByCall() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("engine.retrace").toStdString();
        {
            const rs::Recorder recorder(path, {.nodeTimes = true});
            rs::Function inner("inner", {"y"}, [](rs::Tensor y) { return y + 1.0f; });
            rs::Function outer("outer", {"x", "twice"}, [&](rs::Tensor x, bool twice) {
                const rs::Tensor y = rs::Tensor(inner(x)) * 2.0f;
                return twice ? y * 2.0f : y;
            });
            outer(rs::constant({1.0f, 2.0f}), false);
            outer(rs::constant({1.0f, 2.0f}), true);
            outer(rs::constant({3.0f, 4.0f}), false);
        }
        const auto read = readSession(path);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const Session& s = **read;
        QVERIFY(s.warnings.empty() && s.closedProperly);
        const std::string text = describe(s);
        QVERIFY2(text.find("outer 1: traced outer_1\n  first_call\n") != std::string::npos, text.c_str());
        QVERIFY2(text.find("outer 2: traced outer_2\n  outer_1: twice.value False -> True\n") !=
                     std::string::npos,
                 text.c_str());
        QVERIFY2(text.find("outer 3: hit outer_1\n") != std::string::npos, text.c_str());
        QVERIFY(s.kernels.size() > 0);
        for (const Entry& entry : s.entries) {
            QVERIFY(entry.graph.isValid());
            QVERIFY(!s[entry.graph].nodes.empty());
            QVERIFY(entry.traceNs > 0);
        }
        std::map<std::string, std::size_t> spans;
        for (std::size_t row = 0; row < s.spans.size(); ++row) {
            ++spans[std::string(s.text(s.spans.category[row]))];
            QVERIFY(s.spans.entry[row].isValid());
        }
        QCOMPARE(s.entries.size(), std::size_t{3});
        QCOMPARE(spans["body"], s.entries.size()); // both stages of every call that traced
        QCOMPARE(spans["execute"], s.entries.size());
    }

    void recordsCallsThatLookNothingUp() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("direct.retrace").toStdString();
        rs::Function half("half", {"x"}, [](rs::Tensor x) { return x / 2.0f; });
        const rs::Tensor one = rs::constant(1.0f);
        const rs::ConcreteFunction& concrete = half.concrete(one); // before anyone records
        {
            const rs::Recorder recorder(path);
            concrete(one);
            concrete.callFlat(std::array{one});
            QVERIFY(rs::test::errorOf([&] { concrete(one, one); }) != "no error");
            rs::runFunctionsEagerly(true);
            half(one);
            rs::runFunctionsEagerly(false);
            half.callBody(one); // no call of the function
            half(one);
        }
        const auto read = readSession(path);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const Session& s = **read;
        QVERIFY(s.warnings.empty() && s.closedProperly);
        QCOMPARE(describe(s), "half 1: hit half_1\n"
                              "half 2: hit half_1\n"
                              "half 3: error half_1\n"
                              "half 4: eager -\n"
                              "half 5: hit half_1\n");
        QCOMPARE(half.traceCount(), std::size_t{1});
    }

    void explainsARetraceByTheShapeOfElements() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("datasets.retrace").toStdString();
        {
            const rs::Recorder recorder(path);
            rs::Function f("f", {"ds"}, [](rs::Dataset ds) {
                return rs::forEach(
                    ds, [](rs::Tensor x, rs::Tensor sum) { return sum + rs::reduceSum(x); },
                    rs::constant(0.0f));
            });
            for (const std::int64_t size : {2, 3})
                f(rs::Dataset::fromTensors(rs::ones({size})).repeat(2));
        }
        const auto read = readSession(path);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const Session& s = **read;
        QVERIFY(s.warnings.empty() && s.closedProperly);
        const std::string text = describe(s);
        QVERIFY2(text.find("f 2: traced f_2\n  f_1: ds.element.shape[0] 2 -> 3\n") != std::string::npos,
                 text.c_str());
        const rs::diagnose::DiagnosisPtr diagnosis = rs::diagnose::diagnose(*read);
        QCOMPARE(diagnosis->explanations.size(), std::size_t{2});
        QCOMPARE(QString::fromStdString(diagnosis->explanations[1].sentence),
                 QStringLiteral("ds.element axis 0 was 2, is 3: a new shape is a new graph."));
    }

    /// Threads begin and end, functions get new shapes and lose their entries, and recordings come and go.
    void recordingsMayComeAndGoUnderRunningThreads() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("busy.retrace").toStdString();
        rs::Function f("f", {"x"}, [](rs::Tensor x) { return x * 2.0f; });
        std::atomic<bool> stop{false};
        const auto briefThreads = [&] {
            for (int round = 0; !stop; ++round)
                std::thread([&] {
                    rs::Function own("own", {"x"}, [&](rs::Tensor x) { return rs::Tensor(f(x)) + 1.0f; });
                    for (int i = 0; i < 30; ++i)
                        own(rs::ones({1 + (round + i) % 4}));
                    if (round % 10 == 0)
                        f.clear();
                }).join();
        };
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back(briefThreads);
        std::vector<std::string> wrong;
        std::size_t calls = 0;
        for (int i = 0; i < rs::test::rounds(24) || (calls <= 100 && i < 500); ++i) {
            {
                rs::Recorder recorder(path, {.nodeTimes = i % 2 == 0});
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                recorder.mark("before the end");
            }
            const auto read = readSession(path);
            if (!read || !(*read)->closedProperly || !(*read)->warnings.empty())
                wrong.push_back(read ? "not whole" : read.error().message);
            else
                calls += (*read)->calls.size();
            if (read && hasEntryTwice(**read))
                wrong.push_back("an entry twice");
        }
        stop = true;
        for (std::thread& thread : threads)
            thread.join();
        QVERIFY2(wrong.empty(), wrong.empty() ? "" : wrong.front().c_str());
        QVERIFY(calls > 100);
    }

    void bothTracesOfACallThatCreatesAVariableAreEntriesOnceItSucceeds() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("creates.retrace").toStdString();
        {
            const rs::Recorder recorder(path);
            std::optional<rs::Variable> kept;
            rs::Function f("f", {"x"}, [&](rs::Tensor x) {
                if (!kept)
                    kept.emplace(rs::constant(1.0f));
                return *kept + x;
            });
            f(rs::constant(1.0f));
            f(rs::constant(2.0f));
        }
        const auto read = readSession(path);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const Session& s = **read;
        QCOMPARE(QString::fromStdString(describe(s)),
                 "f 1: traced f_2\n  first_call\n  phase\nf 2: hit f_2\n");
        QCOMPARE(s.entries.size(), std::size_t{2});
        std::int64_t tracedNs = 0;
        for (std::uint32_t i = 0; i < 2; ++i) {
            QCOMPARE(s.misses[i].entry, EntryId(i));
            QVERIFY(!s.misses[i].withdrawn);
            QCOMPARE(s.entries[i].number, i + 1);
            QCOMPARE(QString::fromStdString(std::string(s.text(s.entries[i].name))),
                     QString("f_%1").arg(i + 1));
            tracedNs += s.entries[i].traceNs;
        }
        QVERIFY(s.entries[0].traceNs > 0 && s.entries[1].traceNs > 0);
        QVERIFY(std::abs(tracedNs - s.calls.traceNs[0]) <= 2);
        for (const EntryId entry : s.spans.entry)
            QVERIFY(entry.isValid());
        QCOMPARE(s.functions[0].bodyRuns, 2);
    }

    void aFunctionIsDefinedAtItsFirstLineInEveryLayout_data() {
        QTest::addColumn<bool>("keepSource");
        QTest::newRow("with its source in the session") << true;
        QTest::newRow("without") << false;
    }
    void aFunctionIsDefinedAtItsFirstLineInEveryLayout() {
        QFETCH(const bool, keepSource);
        QTemporaryDir folder;
        const std::string path = folder.filePath("layouts.retrace").toStdString();
        std::map<std::string, std::int64_t> lines;
        {
            const rs::Recorder recorder(path, {.keepSource = keepSource});
            const rs::Tensor one = rs::constant(1.0f);
            // clang-format off
            lines["one line"] = __LINE__ + 1;
            rs::Function("one line", {"x"}, [](rs::Tensor x) { return x; })(one);
            lines["many lines"] = __LINE__ + 1;
            rs::Function manyLines("many lines", {"x"}, [](rs::Tensor x) {
                // ) is no bracket of the code
                return x + 1.0f;
            });
            manyLines(one);
            lines["all apart"] = __LINE__ + 1;
            rs::Function allApart(
                "all apart",
                {"x"},
                [](rs::Tensor x)
                {
                    return x;
                },
                rs::FunctionOptions{}
            );
            allApart(one);
            const auto body = [](rs::Tensor x) {
                return x;
            };
            const std::string name = "a name";
            lines[name] = __LINE__ + 1;
            rs::Function aName(name,
                               {"x"}, body);
            aName(one);
            std::vector<rs::Function<rs::Tensor(rs::Tensor)>> all;
            all.push_back(
                rs::Function("in a call", {"x"}, [](rs::Tensor x) {
                    return x;
                }));
            lines["in a call"] = __LINE__ - 3;
            all.back()(one);
            struct Model {
                int before = 0;
                rs::Function<rs::Tensor(rs::Tensor)> step{"a member", {"x"}, [](rs::Tensor x) {
                    return x;
                }};
            } model;
            lines["a member"] = __LINE__ - 4;
            model.step(one);
            lines["braces"] = __LINE__ + 2;
            const auto braces =
                rs::Function{"braces", {"x"}, [](rs::Tensor x) {
                    return x;
                }};
            braces(one);
            // clang-format on
        }
        const auto read = readSession(path);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        std::map<std::string, std::int64_t> found;
        for (const auto& function : (*read)->functions)
            found[std::string((*read)->text(function.name))] = function.line;
        for (const auto& [name, line] : lines)
            QVERIFY2(found[name] == line,
                     fmt::format("{}: {}, expected {}", name, found[name], line).c_str());
        QCOMPARE(found.size(), lines.size());
        QCOMPARE((*read)->sources.size(), keepSource ? std::size_t{1} : std::size_t{0});
    }

    void everyTraceInsideAnotherHasItsMiss() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("nested.retrace").toStdString();
        std::size_t traces = 0;
        std::size_t bodies = 0;
        {
            const rs::Recorder recorder(path);
            std::optional<rs::Variable> ofInner;
            std::optional<rs::Variable> ofOuter;
            rs::Function inner("inner", {"x"}, [&](rs::Tensor x) {
                if (!ofInner)
                    ofInner.emplace(rs::constant(1.0f));
                return *ofInner + x;
            });
            rs::Function outer("outer", {"x"}, [&](rs::Tensor x) {
                if (!ofOuter)
                    ofOuter.emplace(rs::constant(1.0f));
                return inner(x) + *ofOuter;
            });
            outer(rs::constant(1.0f));
            outer(rs::constant({1.0f, 2.0f}));
            traces = inner.traceCount() + outer.traceCount();
            bodies = inner.bodyRuns() + outer.bodyRuns();
        }
        const auto read = readSession(path);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const Session& s = **read;
        QCOMPARE(s.misses.size(), traces);
        QCOMPARE(s.entries.size(), traces);
        QCOMPARE(static_cast<std::size_t>(s.functions[0].bodyRuns + s.functions[1].bodyRuns), bodies);
        std::string told;
        for (const Miss& miss : s.misses) {
            QVERIFY(miss.entry.isValid());
            QCOMPARE(s[miss.entry].function, miss.function);
            told += fmt::format("{} {} {}:", s.text(s[miss.function].name), miss.callNumber,
                                s[miss.entry].number);
            for (const auto kind : miss.otherKinds)
                told += fmt::format(" {}", rs::types::missKindName(kind));
            told += '\n';
        }
        QCOMPARE(QString::fromStdString(told), "outer 1 1: first_call\n"
                                               "inner 1 1: first_call\n"
                                               "inner 1 2: phase\n"
                                               "outer 1 2: phase\n"
                                               "outer 2 3:\n"
                                               "inner 3 3:\n");
    }

    void aCallThatCreatesAVariableEachTimeLeavesNothingAndSaysSo() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("withdrawn.retrace").toStdString();
        {
            const rs::Recorder recorder(path);
            rs::Function inner("inner", {"x"},
                               [](rs::Tensor x) { return rs::Variable(rs::constant(1.0f)) + x; });
            for (int call = 0; call < 2; ++call)
                QVERIFY_THROWS_EXCEPTION(rs::UsageError, inner(rs::constant(1.0f)));
        }
        const auto read = readSession(path);
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        const Session& s = **read;
        QVERIFY(s.entries.empty());
        QCOMPARE(s.misses.size(), std::size_t{4});
        for (std::size_t i : {0, 2}) {
            QVERIFY(s.misses[i].withdrawn && s.text(s.misses[i].exception).empty());
            QVERIFY(s.misses[i].traceNs > 0);
            QVERIFY(!s.misses[i + 1].withdrawn && !s.text(s.misses[i + 1].exception).empty());
        }
        const auto functions = summarizeFunctions(s, buildIndex(s));
        QCOMPARE(functions[0].traces, 2);
        QCOMPARE(functions[0].failedTraces, 2);
        QCOMPARE(functions[0].withdrawnTraces, 2);
        QCOMPARE(functions[0].entries, 0);
        QCOMPARE(s.functions[0].bodyRuns, 4);
        // What both traces of a call took is what the call says it traced.
        const std::int64_t partsNs = s.misses[2].traceNs + s.misses[3].traceNs;
        QVERIFY(std::abs(partsNs - s.calls.traceNs[1]) <= 2);
    }
};

RETRACESCOPE_TEST(EngineTest);

#include "engine_test.moc"
