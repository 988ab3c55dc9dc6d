#include <QTest>
#include <fmt/format.h>

#include <retracescope/importers/importer.h>

#include "tests/support/test_main.h"

namespace retracescope::importers {

namespace {

session::Session read(std::string text) {
    for (char& c : text)
        c = c == '\'' ? '"' : c;
    auto session = importContent({"t.json", text, text});
    return session ? std::move(*session) : session::Session();
}

/// One line per span: "lane row name start+duration".
std::string spans(const session::Session& s) {
    std::string text;
    for (std::size_t i = 0; i < s.spans.size(); ++i)
        text += fmt::format("{} {} {} {}+{}\n", s.spans.lane[i].value, s.spans.row[i],
                            s.text(s.spans.name[i]), s.spans.startNs[i], s.spans.durationNs[i]);
    return text;
}

} // namespace

class ChromeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPartialOverlapGoesToTheNextRow();
    void spansThatTouchShareARow();
    void namesOfProcessesAndThreadsMayComeLast();
    void counterArgumentsBecomeLanes();
    void argumentsOfBeginAndEndAreMerged();
    void argumentsAreKeptAsValidJson();
    void aSpanThatNeverEndsIsMarked();
    void tensorFlowCallsBecomeCallsOfAFunction();
    void noCauseIsInventedForATensorFlowTrace();
    void anEmptyObjectIsNoDoubt();
    void tracesBeforeTheProfileAreTold();
};

void ChromeTest::aPartialOverlapGoesToTheNextRow() {
    const auto s = read("[{'ph':'X','name':'a','ts':0,'dur':10},{'ph':'X','name':'b','ts':5,'dur':10},"
                        "{'ph':'X','name':'c','ts':6,'dur':2},{'ph':'X','name':'d','ts':7,'dur':9}]");
    QCOMPARE(spans(s), std::string("0 0 a 0+10000\n0 1 b 5000+10000\n0 0 c 6000+2000\n0 2 d 7000+9000\n"));
}

void ChromeTest::spansThatTouchShareARow() {
    const auto s = read("[{'ph':'X','name':'b','ts':10,'dur':5},{'ph':'X','name':'a','ts':0,'dur':10},{'ph':'"
                        "X','name':'outer','ts':0,'dur':20}]");
    QCOMPARE(spans(s), std::string("0 0 outer 0+20000\n0 0 a 0+10000\n0 0 b 10000+5000\n"));
}

void ChromeTest::namesOfProcessesAndThreadsMayComeLast() {
    const auto s = read("[{'ph':'X','name':'a','ts':0,'dur':1,'pid':7,'tid':8},{'ph':'M','name':'thread_name'"
                        ",'pid':7,'tid':8,'args':{'name':'old'}},"
                        "{'ph':'M','name':'thread_name','pid':7,'tid':8,'args':{'name':'main'}},{'ph':'M','"
                        "name':'process_name','pid':'7','args':{'name':'trainer'}},"
                        "{'ph':'M','name':'process_labels','pid':7,'args':{'labels':'GPU 0'}}]");
    QCOMPARE(s.lanes.size(), 1u);
    QCOMPARE(s.text(s.lanes[0].name), std::string_view("main"));
    QCOMPARE(s.text(s.lanes[0].process), std::string_view("trainer (GPU 0)"));
    QCOMPARE(s.text(s.lanes[0].processId), std::string_view("7"));
}

void ChromeTest::counterArgumentsBecomeLanes() {
    const auto s = read("[{'ph':'C','name':'mem','ts':1,'args':{'used':5,'free':'2.5'}},{'ph':'C','name':'"
                        "mem','ts':2,'args':{'used':true}}]");
    QCOMPARE(s.counters.size(), 3u);
    std::string text;
    for (std::size_t i = 0; i < s.counters.size(); ++i)
        text += fmt::format("{}={}@{} ", s.text(s[s.counters.lane[i]].name), s.counters.value[i],
                            s.counters.timeNs[i]);
    QCOMPARE(text, std::string("mem: free=2.5@1000 mem: used=5@1000 mem: used=1@2000 "));
    QVERIFY(s[s.counters.lane[0]].kind == session::LaneKind::Counter);
}

void ChromeTest::argumentsOfBeginAndEndAreMerged() {
    const auto s =
        read("[{'ph':'B','name':'a','ts':1,'args':{'in':1}},{'ph':'E','ts':2,'args':{'out':[2]}}]");
    QCOMPARE(s.text(s.spans.args[0]), std::string_view(R"({"in":1,"out":[2]})"));
}

void ChromeTest::argumentsAreKeptAsValidJson() {
    const auto s = read("[{'ph':'X','name':'a','ts':1,'args':{'x':NaN,'y':-Infinity,'z':'\x01'} }]");
    QCOMPARE(s.text(s.spans.args[0]), std::string_view(R"({"x":"NaN","y":"-Infinity","z":"\u0001"})"));
}

void ChromeTest::aSpanThatNeverEndsIsMarked() {
    const auto s = read("[{'ph':'B','name':'a','ts':1},{'ph':'i','name':'m','ts':9}]");
    QCOMPARE(spans(s), std::string("0 0 a 1000+8000\n"));
    QCOMPARE(s.marks.size(), 1u);
    QCOMPARE(s.text(s.marks[0].text), std::string_view("\"a\" begins here and is never ended"));
}

namespace {

constexpr const char* kTfTrace =
    "[{'ph':'X','name':'step','ts':50,'dur':5,'args':{'tf_function_call':'notTraced-xla','tracing_count':'3'}"
    "},"
    "{'ph':'X','name':'step','ts':1,'dur':40,'args':{'tf_function_call':'traced-xla','tracing_count':'3'}},"
    "{'ph':'X','name':'late','ts':60,'dur':5,'args':{'tf_function_call':'notTraced-nonXla','tracing_count':'"
    "4'}},"
    "{'ph':'X','name':'now','ts':70,'dur':5,'args':{'tf_function_call':'eager'}},"
    "{'ph':'X','name':'odd','ts':80,'dur':5,'args':{'tf_function_call':'something else'}}]";

} // namespace

void ChromeTest::tensorFlowCallsBecomeCallsOfAFunction() {
    const auto s = read(kTfTrace);
    std::string text;
    for (std::size_t i = 0; i < s.calls.size(); ++i)
        text += fmt::format("{} #{} {} ", s.text(s[s.calls.function[i]].name), s.calls.number[i],
                            static_cast<int>(s.calls.outcome[i]));
    // Outcome: 0 hit, 1 traced, 2 eager; in the order of time.
    QCOMPARE(text, std::string("step #1 1 step #2 0 late #1 0 now #1 2 "));
    QCOMPARE(s.functions[0].bodyRuns, 3);
    QCOMPARE(s.text(s.functions[0].options), std::string_view("jit_compile=True"));
    QCOMPARE(spans(s), std::string("0 0 odd 80000+5000\n"));
}

void ChromeTest::noCauseIsInventedForATensorFlowTrace() {
    const auto s = read(kTfTrace);
    QVERIFY(s.misses.empty());
    QVERIFY(s.entries.empty());
    QVERIFY(!s.fact("not_recorded", "misses").empty());
    QCOMPARE(s.calls.traceNs[0], session::kNotRecorded);
}

void ChromeTest::anEmptyObjectIsNoDoubt() {
    QVERIFY(read("[{'ph':'X','name':'a','ts':1,'dur':1},{}]").imported.warnings.empty());
}

void ChromeTest::tracesBeforeTheProfileAreTold() {
    const auto s = read(kTfTrace);
    QCOMPARE(s.marks.size(), 1u);
    QCOMPARE(s.text(s.marks[0].text), std::string_view("late was traced 4 times before this profile began"));
}

RETRACESCOPE_TEST(ChromeTest);

} // namespace retracescope::importers

#include "chrome_test.moc"
