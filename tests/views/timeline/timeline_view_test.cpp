#include <sstream>

#include <QApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include "tests/support/test_main.h"
#include "tests/views/timeline/training_session.h"
#include "views/shared/widgets.h"
#include "views/timeline/fitting_text.h"
#include "views/timeline/lane_colours.h"
#include "views/timeline/range_panel.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_target.h"
#include "views/timeline/timeline_view.h"

using namespace retracescope;
using namespace retracescope::views;
using namespace retracescope::test;

class TimelineViewTest : public QObject {
    Q_OBJECT

    struct Opened {
        ViewState state;
        std::unique_ptr<TimelineView> view;

        explicit Opened(const session::SessionPtr& session, QSize size = {1200, 700}) {
            view = std::make_unique<TimelineView>(state);
            view->resize(size);
            view->show();
            if (session)
                state.setDiagnosis(diagnose::diagnose(session));
            QTRY_VERIFY_WITH_TIMEOUT(view->isSettled(), 20'000);
        }
        ~Opened() { view.reset(); }

        TimelineCanvas& canvas() { return view->canvas(); }
        const TimelineModel& model() { return *canvas().model(); }
        const session::CallTable& calls() { return state.session()->calls; }
        const layout::TimeScale& scale() { return canvas().scale(); }

        int laneTop(std::size_t lane) {
            return kTopHeight + canvas().frame().topOf(*canvas().stack().lineOf(lane));
        }
        /// Middle of a call's bar in its function's lane.
        QPoint barOf(session::CallId call) {
            const std::size_t lane = *model().laneOf(calls().function[call.value]);
            const double middle = static_cast<double>(calls().startNs[call.value]) +
                                  static_cast<double>(calls().durationNs[call.value]) / 2;
            return {kHeaderWidth + static_cast<int>(scale().toX(middle)),
                    laneTop(lane) + rowTop(model().lanes[lane], 0) + 8};
        }
        void key(int code, Qt::KeyboardModifiers modifiers = {}) {
            QTest::keyClick(&canvas(), static_cast<Qt::Key>(code), modifiers);
        }
        void wheel(const QPointF& at, int delta, Qt::KeyboardModifiers modifiers) {
            QWheelEvent event(at, canvas().mapToGlobal(at), {}, {0, delta}, Qt::NoButton, modifiers,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&canvas(), &event);
        }
        void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {}) {
            QTest::mousePress(&canvas(), Qt::LeftButton, modifiers, from);
            QTest::mouseMove(&canvas(), (from + to) / 2);
            QTest::mouseMove(&canvas(), to);
            QTest::mouseRelease(&canvas(), Qt::LeftButton, modifiers, to);
        }
        double length() { return scale().endNs - scale().beginNs; }
    };

    static session::CallId nthTrace(const session::Session& session, std::size_t n) {
        for (std::uint32_t row = 0; row < session.calls.size(); ++row) {
            if (session.calls.outcome[row] == session::Outcome::Traced && n-- == 0)
                return session::CallId(row);
        }
        return {};
    }

private Q_SLOTS:
    void labelsOfTheRulerAreNeitherCutNorOnOneAnother() {
        const QFontMetricsF metrics(textFont(TextSize::Axis));
        for (const double width : {300.0, 801.0, 1300.0}) {
            for (double begin = 0; begin < 3e9; begin += 0.13e9) {
                const layout::TimeScale scale{begin, begin + 1.07e9, width};
                const auto ticks = layout::ticks(scale, 0, 80);
                const auto labels = rulerLabels(ticks, width, metrics);
                QVERIFY(labels.size() + 1 >= static_cast<std::size_t>(std::ranges::count_if(
                                                 ticks, [](const auto& tick) { return tick.isMajor; })));
                double free = 0;
                for (const RulerLabel& label : labels) {
                    QVERIFY(label.left >= free);
                    free = label.left + metrics.horizontalAdvance(label.text);
                    QVERIFY2(free <= width, qPrintable(label.text));
                }
            }
        }
    }

    void aNameIsWholeOrTellingOrNotThere() {
        const QFontMetricsF metrics(codeFont(TextSize::Axis));
        const double letter = metrics.horizontalAdvance(QLatin1Char('m'));
        const QString name = QStringLiteral("train_step");
        QCOMPARE(nameThatFits(metrics, name, 10.5 * letter), name);
        QCOMPARE(nameThatFits(metrics, name, 9.5 * letter), QStringLiteral("trai\u2026step"));
        QCOMPARE(nameThatFits(metrics, name, 8 * letter), QString());
        QCOMPARE(nameThatFits(metrics, name, 5 * letter), QString());
        QVERIFY(!nameThatFits(metrics, name.repeated(9), 20 * letter).isEmpty());
    }

    void aHitRightBesideATraceStaysVisible() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}), 200'000, 0);
        builder.call(f, tensorArgument("x", "float32", {2}), 0, 60'000'000);
        Opened open(builder.finish());
        const std::size_t lane = *open.model().laneOf(f);
        const int x =
            kHeaderWidth +
            static_cast<int>(std::floor(open.scale().toX(static_cast<double>(open.calls().startNs[1]))));
        const int traceX =
            kHeaderWidth + static_cast<int>(open.scale().toX(static_cast<double>(open.calls().startNs[0])));
        QVERIFY(std::abs(x - traceX) <= kGlyphSize / 2);
        const QImage picture = open.canvas().grab().toImage();
        QCOMPARE(picture.pixelColor(x, open.laneTop(lane) + kLanePadding + kGlyphHeight + 3),
                 open.state.theme().hit.fill);
    }

    /// Calls of f as text: "a 0-50 hit, b 10-80 traced": thread, start and end in ms.
    static session::SessionPtr threadsSession(const std::string& text) {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        session::Session& s = builder.session();
        s.lanes.push_back(s.lanes.front());
        for (std::size_t i = 0; i < 2; ++i) {
            s.lanes[i].name = session::StringId();
            s.lanes[i].processId = s.strings.intern("70");
            s.lanes[i].threadId = s.strings.intern(i == 0 ? "70" : "71");
        }
        std::istringstream in(text);
        char thread = 0;
        char skipped = 0;
        std::int64_t start = 0;
        std::int64_t end = 0;
        std::string outcome;
        while (in >> thread >> start >> skipped >> end >> outcome) {
            const bool traced = outcome.starts_with("traced");
            const auto call = builder.call(
                f, tensorArgument("x", "float32", {traced ? static_cast<int>(start) + 2 : 2}), 0, 0);
            s.calls.startNs[call.value] = start * 1'000'000;
            s.calls.durationNs[call.value] = (end - start) * 1'000'000;
            s.calls.lane[call.value] = session::LaneId(static_cast<std::uint32_t>(thread - 'a'));
            s.calls.traceNs[call.value] = traced ? (end - start) * 500'000 : 0;
        }
        s.originNs = 0;
        s.endNs = end * 1'000'000;
        return builder.finish();
    }

    void callsOfTwoThreadsLieInRowsOfTheirOwn() {
        Opened opened(threadsSession("a 0-50 traced, b 10-20 hit, b 30-100 traced, a 60-70 hit"));
        const TimelineLane& lane = opened.model().lanes[*opened.model().laneOf(session::FunctionId(0u))];
        QCOMPARE(lane.rows.size(), std::size_t{2});
        const auto callsIn = [&](std::size_t row) {
            std::vector<std::uint32_t> calls;
            for (const session::EventRef& event : lane.rows[row]->event) {
                if (calls.empty() || calls.back() != event.row)
                    calls.push_back(event.row);
            }
            return calls;
        };
        QCOMPARE(callsIn(0), (std::vector<std::uint32_t>{0, 3})); // each call whole in one row
        QCOMPARE(callsIn(1), (std::vector<std::uint32_t>{1, 2}));
        const session::CallId second(std::uint32_t{2});
        const QPoint bar = opened.barOf(second) + QPoint(0, kBarStep);
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, bar);
        QCOMPARE(opened.state.selection().call, second);
        const QImage picture =
            opened.canvas().grab().toImage(); // the frame is round its bar, not round the first row
        const int left = kHeaderWidth + static_cast<int>(std::lround(opened.scale().toX(30e6)));
        QCOMPARE(picture.pixelColor(left - 2, bar.y()), opened.state.theme().accent);
        QCOMPARE(opened.model().lanes[1].name, QStringLiteral("main"));
        QCOMPARE(opened.model().lanes[2].name, QStringLiteral("worker 1 (tid 71)"));
    }

    void theMinimapHoldsWhatAnyThreadDoes() {
        Opened opened(threadsSession("a 0-50 hit, b 10-100 hit"));
        const QImage picture = opened.canvas().grab().toImage();
        const int x = kHeaderWidth + static_cast<int>(opened.scale().toX(80e6));
        QCOMPARE(picture.pixelColor(x, 40), opened.state.theme().execute.fill);
    }

    void theMinimapOfAFileWithoutFunctionsHoldsEveryLayerAndPoint() {
        auto s = std::make_shared<session::Session>();
        s->lanes.push_back({});
        const auto span = [&](std::int64_t start, std::int64_t end) {
            s->spans.startNs.push_back(start);
            s->spans.durationNs.push_back(end - start);
            s->spans.lane.push_back(session::LaneId(0u));
            s->spans.name.push_back(s->strings.intern("work"));
            s->spans.category.push_back({});
            s->spans.function.push_back({});
            s->spans.entry.push_back({});
            s->spans.args.push_back({});
            s->spans.row.push_back(0);
        };
        span(0, 500);
        span(400, 900); // overlaps in part
        s->instants.timeNs.push_back(1000);
        s->instants.lane.push_back(session::LaneId(0u));
        s->instants.name.push_back({});
        s->instants.args.push_back({});
        session::updateExtent(*s);
        Opened opened(s);
        const QImage picture = opened.canvas().grab().toImage();
        const QColor ink = opened.state.theme().execute.fill;
        const auto colourAt = [&](double ns, int y) {
            return picture.pixelColor(kHeaderWidth + static_cast<int>(opened.scale().toX(ns)), y);
        };
        QCOMPARE(colourAt(800, 30), ink); // the second span alone: half as high as both
        QVERIFY(colourAt(800, 16) != ink);
        QCOMPARE(colourAt(450, 16), ink);
        QCOMPARE(colourAt(1000, 38), ink); // the point
        QVERIFY(colourAt(950, 38) != ink);
        QCOMPARE(opened.model().lanes[0].outermost, (std::vector<std::size_t>{0, 1}));
    }

    void aDeepLaneSharesAStripUntilItIsOpened() {
        auto s = std::make_shared<session::Session>();
        s->lanes.push_back({});
        for (std::int64_t depth = 0; depth < 40; ++depth) {
            s->spans.startNs.push_back(depth);
            s->spans.durationNs.push_back(1000 - 2 * depth);
            s->spans.lane.push_back(session::LaneId(0u));
            s->spans.name.push_back(s->strings.intern("level " + std::to_string(depth)));
            s->spans.category.push_back({});
            s->spans.function.push_back({});
            s->spans.entry.push_back({});
            s->spans.args.push_back({});
            s->spans.row.push_back(0);
        }
        session::updateExtent(*s);
        Opened opened(s);
        const auto line = [&] { return *opened.canvas().stack().lineOf(0); };
        QCOMPARE(line().rows, kMostRows);
        QCOMPARE(line().moreRows, 40 - kMostRows);
        const auto strip = [&] {
            return QPoint(60, opened.laneTop(0) + rowTop(opened.model().lanes[0], line().rows) +
                                  kStripHeight / 2);
        };
        // What is deeper is painted all the same.
        const QImage picture = opened.canvas().grab().toImage();
        const QPoint ink(kHeaderWidth + static_cast<int>(opened.scale().toX(500)), strip().y());
        QVERIFY(picture.pixelColor(ink) != opened.state.theme().view);
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, strip());
        QCOMPARE(line().rows, std::size_t{40});
        opened.canvas().grab();
        QVERIFY(line().height > 40 * kIcicleStep);
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, {60, opened.laneTop(0) + 12});
        opened.canvas().openLane(0, false);
        QCOMPARE(line().rows, kMostRows);
    }

    void eachKindOfAClusterTellsItsOwnCount() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        for (int i = 0; i < 5; ++i)
            builder.call(f, tensorArgument("x", "float32", {2 + i}), 100, 100);
        builder.session().misses[3].entry = {};
        builder.session().calls.outcome[3] = session::Outcome::Error;
        builder.wait(1'000'000'000);
        builder.call(f, tensorArgument("x", "float32", {2}), 0, 100);
        Opened opened(builder.finish());
        const std::size_t lane = *opened.model().laneOf(f);
        const auto clusters = arrangeGlyphs(opened.model().lanes[lane], opened.scale());
        QCOMPARE(clusters.size(), std::size_t{1});
        const auto& parts = clusters[0].parts;
        QCOMPARE(parts.size(), std::size_t{3});
        QCOMPARE(parts[0].glyph, Glyph::Error);
        QCOMPARE(parts[0].count, std::size_t{1});
        QCOMPARE(parts[1].glyph, Glyph::Trace);
        QCOMPARE(parts[1].count, std::size_t{3});
        QCOMPARE(parts[2].glyph, Glyph::Expected);
        QCOMPARE(parts[2].count, std::size_t{1});
        const QPointF at(kHeaderWidth + parts[1].x, opened.laneTop(lane) + kLanePadding + 8);
        const TimelineTarget target =
            findTarget(opened.model(), opened.canvas().stack(), opened.canvas().frame(), at);
        QCOMPARE(target.glyph, Glyph::Trace);
        QCOMPARE(describe(opened.model(), target),
                 QStringLiteral("f\n3 traced, 1 failed, 1 traced, first call"));
    }

    void lanesPinHideMoveAndUndo() {
        Opened opened(trainingSession());
        const auto order = [&] {
            QStringList names;
            for (const StackLine& line : opened.canvas().stack().lines()) {
                if (!line.isGroup)
                    names += opened.model().lanes[line.index].name;
            }
            return names;
        };
        const QStringList before = order();
        // P and H act on the lane under the pointer.
        const std::size_t memory = *opened.model().laneOf(session::LaneId(3u));
        QTest::mouseMove(&opened.canvas(), {60, opened.laneTop(memory) + 10});
        opened.canvas().pinLane(memory, true);
        QCOMPARE(order().front(), QStringLiteral("memory in use"));
        QCOMPARE(opened.laneTop(memory), kTopHeight);
        for (int i = 0; i < 40; ++i)
            opened.key(Qt::Key_Down); // scrolls the others
        QCOMPARE(opened.laneTop(memory), kTopHeight);
        QVERIFY(findTarget(opened.model(), opened.canvas().stack(), opened.canvas().frame(),
                           {60, double(kTopHeight + 10)})
                    .lane == memory);
        opened.canvas().hideLane(0, true);
        QVERIFY(!order().contains(QStringLiteral("train_one_step")));
        const auto* link = opened.view->findChild<Link*>();
        QVERIFY(link->isVisible());
        QCOMPARE(link->accessibleName(), QStringLiteral("1 lane hidden: show"));
        opened.state.selectFunction(opened.model().lanes[0].function); // a selection brings it back
        QVERIFY(order().contains(QStringLiteral("train_one_step")));
        opened.key(Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!order().contains(QStringLiteral("train_one_step")));
        opened.key(Qt::Key_Z, Qt::ControlModifier);
        opened.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(order(), before);
        opened.key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(order().front(), QStringLiteral("memory in use"));
        opened.key(Qt::Key_Z, Qt::ControlModifier);
        // A drag of the header moves a lane within its group, as one step.
        opened.drag({60, opened.laneTop(2) + 10}, {60, opened.laneTop(0) + 10});
        QCOMPARE(order().front(), QStringLiteral("process_data"));
        opened.key(Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(order(), before);
        // Not into another one.
        opened.drag({60, opened.laneTop(2) + 10},
                    {60, opened.laneTop(*opened.model().laneOf(session::LaneId(0u))) + 10});
        QCOMPARE(order(), before);
    }

    void pinnedLanesLeaveRoomForTheOthers() {
        Opened opened(trainingSession(), {1200, 420});
        for (std::size_t lane = 0; lane < opened.model().lanes.size(); ++lane)
            opened.canvas().pinLane(lane, true);
        const int area = opened.canvas().height() - kTopHeight;
        QVERIFY(opened.canvas().stack().pinnedHeight() > 0);
        QVERIFY(opened.canvas().stack().pinnedHeight() <= area * 0.4);
        std::size_t lanes = 0; // none is lost
        for (const StackLine& line : opened.canvas().stack().lines())
            lanes += !line.isGroup;
        QCOMPARE(lanes, opened.model().lanes.size());
    }

    void rangeSumsAddUpToTheRange() {
        Opened opened(trainingSession());
        const auto& calls = opened.calls();
        for (const auto& [first, last] : {std::pair(0, 5), std::pair(30, 60), std::pair(7, 8)}) {
            const TimeRange range{calls.startNs[first] + 1234, calls.startNs[last] + 777};
            const RangeSums sums = sumRange(opened.model(), range);
            std::int64_t total = sums.outsideNs;
            std::int64_t callsIn = 0;
            for (const RangeRow& row : sums.rows) {
                total += row.totalNs();
                callsIn += row.calls;
            }
            QCOMPARE(sums.overlapNs, std::int64_t{0});
            QCOMPARE(total, range.endNs - range.beginNs);
            const auto counts = opened.model().countIn(double(range.beginNs), double(range.endNs));
            QCOMPARE(callsIn, std::int64_t(counts.calls));
        }
    }

    void whatIsNoCallWithoutTracingIsNotSummedAsOne_data() {
        QTest::addColumn<bool>("failed");
        QTest::newRow("a call that failed") << true;
        QTest::newRow("a call that traced, nobody knows how long") << false;
    }
    void whatIsNoCallWithoutTracingIsNotSummedAsOne() {
        QFETCH(const bool, failed);
        SessionBuilder builder;
        builder.call(builder.function("f", "x"), tensorArgument("x", "float32", {2}), 200, 100);
        session::Session& s = builder.session();
        if (failed) {
            s.calls.outcome[0] = session::Outcome::Error;
        } else {
            s.misses.clear();
            s.entries.clear();
            s.calls.entry[0] = {};
            s.calls.traceNs[0] = session::kNotRecorded;
        }
        Opened opened(builder.finish());
        const RangeSums sums =
            sumRange(opened.model(), {opened.model().session().originNs, opened.model().session().endNs});
        QCOMPARE(sums.rows.size(), std::size_t{1});
        QCOMPARE(sums.rows[0].executeNs, 0);
        QCOMPARE(sums.rows[0].failedNs, failed ? 100 : 0);
        QCOMPARE(sums.rows[0].untoldNs, failed ? 0 : 300);
        QCOMPARE(sums.rows[0].totalNs(), 300);
        QCOMPARE(sums.outsideNs, 0);
        QCOMPARE(sums.rows[0].traces, 1);
    }

    void rangeSumsTellInnerCallsAndThreadsApart() {
        // On thread a: outer 0-100 with inner 20-50 in it; on thread b: inner 60-130.
        SessionBuilder builder;
        const auto outer = builder.function("outer", "x");
        const auto inner = builder.function("inner", "x");
        session::Session& s = builder.session();
        s.lanes.push_back(s.lanes.front());
        const auto call = [&](session::FunctionId f, std::uint32_t lane, std::int64_t start,
                              std::int64_t end) {
            const auto id = builder.call(f, tensorArgument("x", "float32", {2}), 0, 0);
            s.calls.startNs[id.value] = start;
            s.calls.durationNs[id.value] = end - start;
            s.calls.lane[id.value] = session::LaneId(lane);
            s.calls.traceNs[id.value] = 0;
        };
        call(outer, 0, 0, 100);
        call(inner, 0, 20, 50);
        call(inner, 1, 60, 130);
        s.originNs = 0;
        s.endNs = 200;
        Opened opened(builder.finish());
        const RangeSums sums = sumRange(opened.model(), {10, 150});
        QCOMPARE(sums.rows.size(), std::size_t{2});
        QCOMPARE(sums.rows[0].function, inner);
        QCOMPARE(sums.rows[0].totalNs(), std::int64_t{30 + 70});
        QCOMPARE(sums.rows[1].totalNs(), std::int64_t{90 - 30});
        QCOMPARE(sums.outsideNs, std::int64_t{20});
        QCOMPARE(sums.overlapNs, std::int64_t{40}); // both threads from 60 to 100
        QCOMPARE(sums.rows[0].longestNs, std::int64_t{70});
    }

    void theLongestCallOfARangeIsOneThatBeginsInIt() {
        // f 0-100, 110-130 and 140-180.
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        session::Session& s = builder.session();
        for (const auto& [start, end] : {std::pair{0, 100}, std::pair{110, 130}, std::pair{140, 180}}) {
            const auto id = builder.call(f, tensorArgument("x", "float32", {2}), 0, 0);
            s.calls.startNs[id.value] = start;
            s.calls.durationNs[id.value] = end - start;
            s.calls.traceNs[id.value] = 0;
        }
        s.originNs = 0;
        s.endNs = 200;
        Opened opened(builder.finish());
        const RangeSums sums = sumRange(opened.model(), {50, 135});
        QCOMPARE(sums.rows[0].calls, std::int64_t{1});
        QCOMPARE(sums.rows[0].longestNs, std::int64_t{20});
        QCOMPARE(sumRange(opened.model(), {50, 150}).rows[0].longestNs, std::int64_t{40}); // in full
        // Of no call there is no longest: the cell says nothing.
        const RangeSums none = sumRange(opened.model(), {20, 60});
        QCOMPARE(none.rows[0].calls, std::int64_t{0});
        QCOMPARE(none.rows[0].longestNs, session::kNotRecorded);
        RangeModel model;
        QCOMPARE(model.headerData(RangeModel::Longest, Qt::Horizontal, Qt::ToolTipRole).toString(),
                 QStringLiteral("Of the calls that begin in the range, in full"));
    }

    void thePlanOfAGraphIsTheSamePhaseOnEveryLane() {
        // One call of 100 ns with its trace 0-80, in which the body takes 40, a pass 10 and the plan 30.
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        session::Session& s = builder.session();
        const auto call = builder.call(f, tensorArgument("x", "float32", {2}), 80, 20);
        s.calls.startNs[call.value] = 0;
        const auto span = [&](const char* name, const char* kind, std::int64_t start, std::int64_t end) {
            s.spans.startNs.push_back(start);
            s.spans.durationNs.push_back(end - start);
            s.spans.lane.push_back(s.calls.lane[call.value]);
            s.spans.name.push_back(s.strings.intern(name));
            s.spans.category.push_back(s.strings.intern(kind));
            s.spans.function.push_back(f);
            s.spans.entry.push_back({});
            s.spans.args.push_back({});
            s.spans.row.push_back(0);
        };
        span("f", "trace", 0, 80);
        span("body", "body", 0, 40);
        span("fold_constants", "optimise", 40, 50);
        span("plan", "plan", 50, 80);
        s.originNs = 0;
        s.endNs = 100;
        Opened opened(builder.finish());
        const Theme& theme = opened.state.theme();
        const session::LaneRow& row = *opened.model().lanes[*opened.model().laneOf(f)].rows[0];
        const auto phaseAt = [&](std::int64_t ns) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                if (row.startNs[i] <= ns && ns < row.endNs[i])
                    return static_cast<Phase>(row.category[i].value);
            }
            return Phase::Untold;
        };
        QCOMPARE(phaseAt(20), Phase::Trace);
        QCOMPARE(phaseAt(45), Phase::Optimise);
        QCOMPARE(phaseAt(60), Phase::Optimise);
        QCOMPARE(phaseAt(90), Phase::Execute);
        for (const session::EventCategory& category : opened.model().pyramid.index.categories) {
            if (opened.state.session()->text(category.name) == "plan")
                QCOMPARE(colourOf(opened.model().session(), category, theme),
                         colourOfPhase(phaseAt(60), theme));
        }
        QCOMPARE(phaseName(Phase::Optimise), QStringLiteral("graph optimisation and plan"));
    }

    /// Spans of one lane as text: "a 0-100 b 10-40": name, start and end.
    static session::SessionPtr spansSession(const std::string& text) {
        auto s = std::make_shared<session::Session>();
        s->lanes.push_back({});
        std::istringstream in(text);
        std::string name;
        std::int64_t start = 0;
        std::int64_t end = 0;
        char dash = 0;
        while (in >> name >> start >> dash >> end) {
            s->spans.startNs.push_back(start);
            s->spans.durationNs.push_back(end - start);
            s->spans.lane.push_back(session::LaneId(0u));
            s->spans.name.push_back(s->strings.intern(name));
            s->spans.category.push_back({});
            s->spans.function.push_back({});
            s->spans.entry.push_back({});
            s->spans.args.push_back({});
            s->spans.row.push_back(0);
        }
        session::updateExtent(*s);
        return s;
    }

    void eventsOfAFileWithoutFunctionsAreSummedByName() {
        Opened opened(spansSession("outer 0-1000 work 100-300 work 400-900 leaf 500-600 outer 2000-2500"));
        RangePanel& panel = *opened.view->rangePanel();
        QTRY_VERIFY(panel.isSettled());
        QVERIFY(panel.isByName());
        const auto text = [&] {
            QStringList rows;
            for (int row = 0; row < panel.names().rowCount(); ++row) {
                const NameRow& sum = panel.names().row(row);
                rows += QStringLiteral("%1 %2 own %3 of %4")
                            .arg(toQString(opened.state.session()->text(sum.name)))
                            .arg(sum.events)
                            .arg(sum.selfNs)
                            .arg(sum.totalNs);
            }
            return rows;
        };
        QCOMPARE(text(), (QStringList{QStringLiteral("outer 2 own 800 of 1500"),
                                      QStringLiteral("work 2 own 600 of 700"),
                                      QStringLiteral("leaf 1 own 100 of 100")}));
        opened.state.selectRange(TimeRange{550, 2100}); // clipped, and counted where they start
        QTRY_COMPARE(text(), (QStringList{QStringLiteral("work 0 own 300 of 350"),
                                          QStringLiteral("outer 1 own 200 of 550"),
                                          QStringLiteral("leaf 0 own 50 of 50")}));
        Q_EMIT panel.namesTable().rowChosen(0); // the longest of its name
        QVERIFY(opened.state.selection().event);
        QCOMPARE(opened.state.selection().event->row, 2u);
    }

    void anEventIsSelectedForAllAndTheArrowsWalkFromIt() {
        Opened opened(spansSession("outer 0-1000 a 100-300 b 400-900 leaf 500-600 c 2000-2500"));
        const TimelineLane& lane = opened.model().lanes[0];
        const auto at = [&](double ns, std::size_t row) {
            return QPoint(kHeaderWidth + static_cast<int>(std::lround(opened.scale().toX(ns))),
                          opened.laneTop(0) + rowTop(lane, row) + 6);
        };
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, at(200, 1));
        const auto selected = [&] {
            const auto event = opened.state.selection().event;
            return event ? toQString(
                               opened.state.session()->text(opened.state.session()->spans.name[event->row]))
                         : QString();
        };
        QCOMPARE(selected(), QStringLiteral("a"));
        const QImage picture = opened.canvas().grab().toImage();
        QCOMPARE(picture.pixelColor(at(100, 1).x() - 2, at(100, 1).y()), opened.state.theme().accent);
        QStringList walked;
        for (const int key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Up, Qt::Key_Up, Qt::Key_Right,
                              Qt::Key_Right, Qt::Key_Left, Qt::Key_Down}) {
            opened.key(key);
            walked += selected();
        }
        QCOMPARE(walked.join(QLatin1Char(' ')), QStringLiteral("b leaf b outer c c outer a"));
        opened.key(Qt::Key_Escape);
        QVERIFY(!opened.state.selection().event);
        // One that is out of sight comes into view.
        opened.canvas().showRange(0, 200);
        opened.state.selectEvent({4, session::EventKind::Span});
        QVERIFY(opened.scale().endNs > 2000);
    }

    void theRangeTableShowsTheSelectedRange() {
        Opened opened(trainingSession());
        RangePanel& panel = *opened.view->rangePanel();
        QTRY_VERIFY(panel.isSettled());
        const auto callsShown = [&] { return panel.table().totalTexts()[RangeModel::Calls].toInt(); };
        QCOMPARE(callsShown(), int(opened.calls().size()));
        const auto& calls = opened.calls();
        opened.state.selectRange(TimeRange{calls.startNs[10], calls.startNs[20]});
        QTRY_COMPARE(panel.sums().sums().range.beginNs, calls.startNs[10]);
        QCOMPARE(callsShown(), 10);
        const int outside = panel.sums().rowCount() - 1;
        QCOMPARE(panel.sums().data(panel.sums().index(outside, RangeModel::Name), Qt::DisplayRole).toString(),
                 QStringLiteral("outside traced functions"));
        opened.state.selectFunction(calls.function[10]); // keeps the range
        QTRY_VERIFY(panel.isSettled());
        QCOMPARE(callsShown(), 10);
    }

    void countsAreThoseOfTheFunctionsTable() {
        // A request without a call is no call, a call that traced twice made two traces, a withdrawn one
        // none.
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        const auto first = builder.call(f, tensorArgument("x", "float32", {2}));
        builder.call(f, tensorArgument("x", "float32", {2}));
        session::Session& s = builder.session();
        for (int i = 0; i < 3; ++i) {
            s.misses.push_back(s.misses.front());
            s.misses.back().call = i == 0 ? session::CallId() : first;
            s.misses.back().withdrawn = i == 2;
        }
        Opened opened(builder.finish());
        const auto& summary = opened.state.diagnosis()->functions.front();
        const auto counts = opened.model().countIn(opened.scale().beginNs, opened.scale().endNs);
        QCOMPARE(std::int64_t(counts.calls), summary.calls);
        QCOMPARE(std::int64_t(counts.traces), summary.traces);
        QCOMPARE(counts.calls, std::size_t{2});
        QCOMPARE(counts.traces, std::size_t{3});
    }

    void functionsThreadsStreamsAndCountersHaveLanes() {
        Opened opened(trainingSession());
        QStringList names;
        for (const TimelineLane& lane : opened.model().lanes)
            names += lane.name;
        QCOMPARE(names, (QStringList{QStringLiteral("train_one_step"), QStringLiteral("eval_step"),
                                     QStringLiteral("process_data"), QStringLiteral("main"),
                                     QStringLiteral("data worker 1"), QStringLiteral("stream 7 · kernels"),
                                     QStringLiteral("memory in use")}));
        QCOMPARE(opened.model().emptyLanes, std::size_t{1});
    }

    void ctrlWheelKeepsTheTimeUnderThePointer() {
        Opened opened(trainingSession());
        const QPointF at(kHeaderWidth + 431, 300);
        const double before = opened.scale().toNs(431);
        for (int i = 0; i < 25; ++i)
            opened.wheel(at, 120, Qt::ControlModifier);
        QVERIFY(opened.length() < 1e9);
        QVERIFY(std::abs(opened.scale().toNs(431) - before) < opened.scale().nsPerPixel());
        for (int i = 0; i < 200; ++i)
            opened.wheel(at, 120, Qt::ControlModifier);
        QCOMPARE(opened.length(), 100.0);
        QVERIFY(std::abs(opened.scale().toNs(431) - before) <= 1.0);
        for (int i = 0; i < 300; ++i)
            opened.wheel(at, -120, Qt::ControlModifier);
        QCOMPARE(opened.scale().beginNs, opened.model().firstNs());
        QCOMPARE(opened.scale().endNs, opened.model().lastNs());
    }

    void draggingPansAndKeysZoomAndPan() {
        Opened opened(trainingSession());
        const double whole = opened.length();
        opened.key(Qt::Key_W);
        QVERIFY(opened.length() < whole);
        const double begin = opened.scale().beginNs;
        opened.drag({kHeaderWidth + 500, 400}, {kHeaderWidth + 400, 400});
        QVERIFY(std::abs(opened.scale().beginNs - begin - 100 * opened.scale().nsPerPixel()) <
                opened.scale().nsPerPixel());
        const double panned = opened.scale().beginNs;
        opened.key(Qt::Key_A);
        QVERIFY(opened.scale().beginNs < panned);
        opened.key(Qt::Key_D);
        QVERIFY(std::abs(opened.scale().beginNs - panned) < 1);
        opened.wheel({kHeaderWidth + 300, 300}, -120, Qt::ShiftModifier);
        QVERIFY(opened.scale().beginNs > panned);
        opened.key(Qt::Key_Home);
        QCOMPARE(opened.length(), whole);
    }

    void draggingTheRulerSelectsARangeWithItsSums() {
        Opened opened(trainingSession());
        const auto at = [&](std::int64_t ns) {
            return kHeaderWidth + static_cast<int>(std::lround(opened.scale().toX(static_cast<double>(ns))));
        };
        const auto& calls = opened.calls();
        const int from = at(calls.startNs[30]) - 2;
        const int to = at(calls.startNs[60]) - 2;
        opened.drag({from, kMinimapHeight + 10}, {to, kMinimapHeight + 10});
        const auto range = opened.state.selection().range;
        QVERIFY(range);
        std::size_t inside = 0;
        std::size_t traced = 0;
        for (std::size_t row = 0; row < calls.size(); ++row) {
            if (calls.startNs[row] < range->beginNs || calls.startNs[row] >= range->endNs)
                continue;
            ++inside;
            traced += calls.outcome[row] == session::Outcome::Traced;
        }
        const auto counts =
            opened.model().countIn(static_cast<double>(range->beginNs), static_cast<double>(range->endNs));
        QCOMPARE(counts.calls, inside);
        QCOMPARE(counts.traces, traced);
        QVERIFY(inside >= 25 && inside <= 35);
        // An edge can be dragged later; the other one stays.
        opened.drag({to, kMinimapHeight + 10}, {to + 60, kMinimapHeight + 10});
        QCOMPARE(opened.state.selection().range->beginNs, range->beginNs);
        QVERIFY(opened.state.selection().range->endNs > range->endNs);
        opened.key(Qt::Key_Escape);
        QVERIFY(!opened.state.selection().range);
    }

    void shiftDragOnTheLanesSelectsARangeToo() {
        Opened opened(trainingSession());
        opened.drag({kHeaderWidth + 100, 300}, {kHeaderWidth + 300, 320}, Qt::ShiftModifier);
        QVERIFY(opened.state.selection().range);
        QVERIFY(std::abs(static_cast<double>(opened.state.selection().range->beginNs) -
                         opened.scale().toNs(100)) < 2 * opened.scale().nsPerPixel());
    }

    void noTraceGlyphVanishesAtAnyZoom() {
        Opened opened(trainingSession(400));
        std::size_t traces = 0;
        for (const session::Outcome outcome : opened.calls().outcome)
            traces += outcome == session::Outcome::Traced;
        layout::TimeScale scale{opened.model().firstNs(), opened.model().lastNs(), 900};
        for (const double width : {60.0, 300.0, 900.0, 5000.0, 100'000.0}) {
            scale.width = width;
            std::size_t counted = 0;
            for (const TimelineLane& lane : opened.model().lanes) {
                double last = -1e9;
                for (const GlyphCluster& cluster : arrangeGlyphs(lane, scale)) {
                    counted += cluster.count();
                    QVERIFY(cluster.left() - last >= 0); // and none hides another
                    last = cluster.right();
                }
            }
            QCOMPARE(counted, traces);
        }
    }

    void glyphsAreReallyPainted() {
        Opened opened(processDataSession());
        for (const ThemeName theme : {ThemeName::Light, ThemeName::Dark}) {
            opened.state.setTheme(theme);
            const QImage picture = opened.canvas().grab().toImage();
            const auto colourAt = [&](std::uint32_t call, int y) {
                const double x = opened.scale().toX(static_cast<double>(opened.calls().startNs[call]));
                return picture.pixelColor(kHeaderWidth + static_cast<int>(x), opened.laneTop(0) + y);
            };
            const int glyphs = kLanePadding + 6;
            const int ticks = kLanePadding + kGlyphHeight + 3;
            QCOMPARE(colourAt(1, glyphs), opened.state.theme().miss.fill); // a triangle
            QCOMPARE(colourAt(2, ticks), opened.state.theme().hit.fill);   // a tick
            QVERIFY(colourAt(0, glyphs) !=
                    opened.state.theme().miss.fill); // hollow: the first call is expected
            const QColor bar =
                picture.pixelColor(opened.barOf(session::CallId(std::uint32_t{1})) - QPoint(3, 0));
            QCOMPARE(bar, opened.state.theme().miss.fill);
        }
    }

    void aClickOnABarSelectsItsCallForAllViews() {
        Opened opened(trainingSession());
        const session::CallId call = nthTrace(*opened.state.session(), 5);
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, opened.barOf(call));
        QCOMPARE(opened.state.selection().call, call);
        QCOMPARE(opened.state.selection().function, opened.calls().function[call.value]);
        QVERIFY(opened.state.selection().miss.isValid());
    }

    void aClickOnAHeaderSelectsTheFunction() {
        Opened opened(trainingSession());
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, {60, opened.laneTop(1) + 12});
        QCOMPARE(opened.state.selection().function, opened.model().lanes[1].function);
    }

    void aSelectionFromElsewhereScrollsOnlyIfOutOfSight() {
        Opened opened(trainingSession());
        const session::CallId far = nthTrace(*opened.state.session(), 20);
        const layout::TimeScale all = opened.scale();
        opened.state.selectCall(far);
        QVERIFY(opened.scale() == all);
        opened.canvas().showRange(opened.model().firstNs(), opened.model().firstNs() + 1e9);
        const double length = opened.length();
        opened.state.selectCall(far);
        QVERIFY(opened.scale().endNs <
                static_cast<double>(opened.calls().startNs[far.value])); // same selection, no signal
        opened.state.selectCall(nthTrace(*opened.state.session(), 21));
        const double start = static_cast<double>(opened.calls().startNs[opened.state.selection().call.value]);
        QVERIFY(start >= opened.scale().beginNs && start < opened.scale().endNs);
        QCOMPARE(opened.length(), length);
    }

    void nWalksThroughAllTraces() {
        Opened opened(trainingSession());
        std::size_t traces = 0;
        for (const session::Outcome outcome : opened.calls().outcome)
            traces += outcome == session::Outcome::Traced;
        std::vector<session::CallId> visited;
        for (std::size_t i = 0; i < traces + 3; ++i) {
            opened.key(Qt::Key_N);
            if (visited.empty() || visited.back() != opened.state.selection().call)
                visited.push_back(opened.state.selection().call);
        }
        QCOMPARE(visited.size(), traces);
        opened.key(Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(opened.state.selection().call, visited[traces - 2]);
    }

    void fCentresThenFitsTheSelection() {
        Opened opened(trainingSession());
        opened.canvas().showRange(opened.model().firstNs(), opened.model().firstNs() + 9e9);
        const session::CallId call = nthTrace(*opened.state.session(), 6);
        opened.state.selectCall(call);
        opened.key(Qt::Key_F);
        opened.key(Qt::Key_F);
        const double start = static_cast<double>(opened.calls().startNs[call.value]);
        const double length = static_cast<double>(opened.calls().durationNs[call.value]);
        QVERIFY(opened.scale().beginNs <= start && opened.scale().endNs >= start + length);
        QVERIFY(opened.length() < 1.5 * length);
    }

    void minimapBoxDragsAndMatchesTheView() {
        Opened opened(trainingSession());
        const double first = opened.model().firstNs();
        const double whole = opened.model().lastNs() - first;
        opened.canvas().showRange(first, first + whole / 4);
        const int quarter = static_cast<int>(opened.scale().width / 4);
        opened.drag({kHeaderWidth + quarter / 2, 20}, {kHeaderWidth + quarter / 2 + quarter, 20});
        QVERIFY(std::abs(opened.scale().beginNs - first - whole / 4) < whole / opened.scale().width * 2);
        QVERIFY(std::abs(opened.length() - whole / 4) < 1);
    }

    void groupsFoldToAStripAndOpenAgain() {
        Opened opened(trainingSession());
        const int before = opened.canvas().stack().height();
        QTest::mouseClick(&opened.canvas(), Qt::LeftButton, {}, {60, kTopHeight + 10});
        QVERIFY(opened.canvas().isFolded(0));
        QVERIFY(opened.canvas().stack().height() < before);
        opened.state.selectFunction(opened.model().lanes[1].function); // a selection opens it again
        QVERIFY(!opened.canvas().isFolded(0));
    }

    void tooltipsComeInATenthOfASecondWithExactNumbers() {
        Opened opened(trainingSession());
        const session::CallId call = nthTrace(*opened.state.session(), 5);
        QTest::mouseMove(&opened.canvas(), opened.barOf(call));
        QTRY_VERIFY_WITH_TIMEOUT(QToolTip::isVisible(), 1000); // 100 ms on a quiet machine
        const QString text = QToolTip::text();
        QVERIFY2(text.contains(QStringLiteral("call %1 of").arg(opened.calls().number[call.value])),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("traced")), qPrintable(text));
    }

    void densityTellsExactCounts() {
        Opened opened(trainingSession(2000));
        const TimelineModel& model = opened.model();
        const std::size_t lane = *model.laneOf(session::LaneId(std::uint32_t{1}));
        const QPointF at(kHeaderWidth + 300, opened.laneTop(lane) + rowTop(model.lanes[lane], 0) + 6);
        const TimelineTarget target = findTarget(model, opened.canvas().stack(), opened.canvas().frame(), at);
        QVERIFY(target.kind == TimelineTarget::Kind::Density);
        std::int64_t count = 0;
        const session::SpanTable& spans = opened.state.session()->spans;
        for (std::size_t row = 0; row < spans.size(); ++row) {
            const double start = static_cast<double>(spans.startNs[row]);
            count += spans.lane[row].value == 1 &&
                     start + static_cast<double>(spans.durationNs[row]) > target.beginNs &&
                     start < target.endNs;
        }
        QVERIFY(count > 1);
        QVERIFY2(describe(model, target).startsWith(QStringLiteral("%1 events").arg(count)),
                 qPrintable(describe(model, target)));
    }

    void everyEventIsPaintedHoweverShort() {
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}), 10, 10);
        builder.wait(10'000'000'000);
        builder.call(f, tensorArgument("x", "float32", {2}), 10, 10);
        builder.wait(10'000'000'000);
        builder.call(f, tensorArgument("x", "float32", {2}), 10, 10);
        Opened opened(builder.finish());
        const QImage picture = opened.canvas().grab().toImage();
        const int y =
            opened.laneTop(0) + rowTop(opened.model().lanes[0], 0) + rowHeight(opened.model().lanes[0]) - 1;
        const int x = kHeaderWidth +
                      static_cast<int>(opened.scale().toX(static_cast<double>(opened.calls().startNs[1])));
        QCOMPARE(picture.pixelColor(x, y), opened.state.theme().execute.fill);
        QCOMPARE(picture.pixelColor(x - 6, y), opened.state.theme().view);
    }

    void emptySessionsAndRangesSaySo() {
        Opened nothing(nullptr);
        QVERIFY(!nothing.canvas().model());
        QVERIFY(!nothing.canvas().isVisible());
        auto graphsOnly = std::make_shared<session::Session>();
        graphsOnly->graphs.emplace_back();
        graphsOnly->imported.format = "graphdef";
        Opened graphs(graphsOnly);
        QVERIFY(!graphs.canvas().isVisible());
        QSignalSpy wanted(&graphs.state, &ViewState::viewRequested);
        const auto buttons = graphs.view->findChildren<QPushButton*>();
        const auto shown =
            std::ranges::find_if(buttons, [](const QPushButton* button) { return button->isVisible(); });
        QVERIFY(shown != buttons.end());
        QTest::mouseClick(*shown, Qt::LeftButton);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.takeFirst().front().toString(), QStringLiteral("graph"));
        SessionBuilder builder;
        const auto f = builder.function("f", "x");
        builder.call(f, tensorArgument("x", "float32", {2}));
        builder.wait(1'000'000'000);
        builder.call(f, tensorArgument("x", "float32", {2}));
        Opened opened(builder.finish());
        opened.canvas().showRange(opened.model().firstNs() + 3e8, opened.model().firstNs() + 4e8);
        const QImage picture = opened.canvas().grab().toImage();
        bool ink = false;
        for (int x = kHeaderWidth + 200; x < picture.width() - 200; ++x) {
            for (int y = kTopHeight + 120; y < picture.height() - 40; ++y)
                ink |= picture.pixelColor(x, y).lightness() < 140;
        }
        QVERIFY(ink);
    }

    /// With RETRACESCOPE_SCREENS=folder: pictures to look at.
    void picturesToLookAt() {
        const QString folder = qEnvironmentVariable("RETRACESCOPE_SCREENS");
        if (folder.isEmpty())
            QSKIP("RETRACESCOPE_SCREENS is not set");
        QApplication::setStyle(QStringLiteral("Fusion"));
        for (const auto& [name, text] :
             {std::pair(ThemeName::Light, "light"), std::pair(ThemeName::Dark, "dark")}) {
            QApplication::setPalette(makeTheme(name).palette());
            qApp->setStyleSheet(makeTheme(name).styleSheet());
            Opened opened(trainingSession(), {1210, 660});
            opened.state.setTheme(name);
            const auto save = [&](const char* what) {
                opened.view->grab().save(QStringLiteral("%1/timeline_%2_%3.png")
                                             .arg(folder, QLatin1String(what), QLatin1String(text)));
            };
            save("whole");
            opened.canvas().showRange(opened.model().firstNs() + 3.6e9, opened.model().firstNs() + 9.6e9);
            opened.state.selectCall(nthTrace(*opened.state.session(), 9));
            opened.state.selectRange(TimeRange{static_cast<std::int64_t>(opened.model().firstNs() + 5.1e9),
                                               static_cast<std::int64_t>(opened.model().firstNs() + 7.3e9)});
            save("range");
            opened.canvas().showRange(opened.model().firstNs() + 4.38e9, opened.model().firstNs() + 4.62e9);
            save("close");
            Opened large(trainingSession(900), {3200, 1900});
            large.state.setTheme(name);
            large.view->grab().save(QStringLiteral("%1/timeline_4k_%2.png").arg(folder, QLatin1String(text)));
        }
    }
};

RETRACESCOPE_TEST(TimelineViewTest);

#include "timeline_view_test.moc"
