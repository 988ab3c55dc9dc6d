// How long a frame of the timeline and of the graph takes, and how long they take to be ready; offscreen
// raster, as the tests.

#include <random>

#include <QApplication>
#include <QImage>

#include <benchmark/benchmark.h>

#include <retracescope/diagnose/overview.h>
#include <retracescope/layout/graphviz_layout.h>
#include <retracescope/layout/layered_layout.h>

#include "tests/bench/json_lines.h"
#include "tests/views/graph/model_graph.h"
#include "views/graph/graph_canvas.h"
#include "views/graph/graph_scene.h"
#include "views/shared/view_state.h"
#include "views/timeline/timeline_canvas.h"

using namespace retracescope;

namespace {

constexpr QSize kFrame(1600, 1000);

/// `events` events: calls of 12 functions on two threads with spans in them, kernels on 8 streams, 4
/// counters.
session::SessionPtr largeSession(std::size_t events) {
    auto s = std::make_shared<session::Session>();
    std::mt19937 random(7);
    const auto text = [&](const std::string& t) { return s->strings.intern(t); };
    for (int i = 0; i < 12; ++i) {
        session::Function f;
        f.name = f.qualifiedName = text("function_" + std::to_string(i));
        s->functions.push_back(f);
    }
    const auto lane = [&](session::LaneKind kind, const std::string& name) {
        session::Lane row;
        row.kind = kind;
        row.name = text(name);
        s->lanes.push_back(row);
    };
    for (int i = 0; i < 30; ++i)
        lane(session::LaneKind::Thread, "thread " + std::to_string(i));
    for (int i = 0; i < 8; ++i)
        lane(session::LaneKind::Stream, "stream " + std::to_string(i));
    for (int i = 0; i < 4; ++i)
        lane(session::LaneKind::Counter, "counter " + std::to_string(i));
    std::vector<std::uint32_t> numbers(12, 0);
    std::int64_t now = 1'000'000'000;
    while (s->eventCount() < events) {
        const auto function = static_cast<std::uint32_t>(random() % 12);
        const auto thread = static_cast<std::uint32_t>(random() % 2);
        const bool traced = random() % 200 == 0;
        const std::int64_t length =
            traced ? 2'000'000 : 20'000 + static_cast<std::int64_t>(random() % 30'000);
        s->calls.startNs.push_back(now);
        s->calls.durationNs.push_back(length);
        s->calls.lane.push_back(session::LaneId(thread));
        s->calls.function.push_back(session::FunctionId(function));
        s->calls.entry.push_back({});
        s->calls.outcome.push_back(traced ? session::Outcome::Traced : session::Outcome::Hit);
        s->calls.number.push_back(++numbers[function]);
        s->calls.traceNs.push_back(traced ? length * 9 / 10 : 0);
        s->calls.stack.push_back({});
        for (std::uint32_t k = 0; k < 6; ++k) {
            s->spans.startNs.push_back(now + k * length / 7);
            s->spans.durationNs.push_back(length / 9);
            s->spans.lane.push_back(
                session::LaneId(k < 3 ? thread : 2 + static_cast<std::uint32_t>(random() % 28)));
            s->spans.name.push_back(text("work_" + std::to_string(random() % 40)));
            s->spans.category.push_back(text("op"));
            s->spans.function.push_back({});
            s->spans.entry.push_back({});
            s->spans.args.push_back({});
            s->spans.row.push_back(0);
        }
        for (std::uint32_t k = 0; k < 3; ++k) {
            s->kernels.startNs.push_back(now + k * length / 4);
            s->kernels.durationNs.push_back(length / 6);
            s->kernels.lane.push_back(session::LaneId(30 + static_cast<std::uint32_t>(random() % 8)));
            s->kernels.name.push_back(text("kernel_" + std::to_string(random() % 20)));
            s->kernels.entry.push_back({});
            s->kernels.node.push_back(Id<void>::kNone);
        }
        s->counters.timeNs.push_back(now);
        s->counters.lane.push_back(session::LaneId(38 + static_cast<std::uint32_t>(random() % 4)));
        s->counters.value.push_back(static_cast<double>(random() % 1000));
        now += length + 2'000;
    }
    session::updateExtent(*s);
    return s;
}

diagnose::DiagnosisPtr largeDiagnosis(std::size_t events) {
    return diagnose::diagnose(largeSession(events));
}

const views::TimelineModelPtr& timelineOf(std::size_t events) {
    static std::map<std::size_t, views::TimelineModelPtr> models;
    views::TimelineModelPtr& model = models[events];
    if (!model)
        model = views::buildTimeline(largeDiagnosis(events), {});
    return model;
}

void buildsTheTimeline(benchmark::State& state) {
    const diagnose::DiagnosisPtr diagnosis = largeDiagnosis(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(views::buildTimeline(diagnosis, {}));
}

/// Whole widget painted once per step of a pan, at 1 : range(1) of the session.
void pansTheTimeline(benchmark::State& state) {
    views::ViewState viewState;
    views::TimelineCanvas canvas(viewState);
    canvas.resize(kFrame);
    canvas.setModel(timelineOf(static_cast<std::size_t>(state.range(0))));
    const double first = canvas.model()->firstNs();
    const double whole = canvas.model()->lastNs() - first;
    const double length = whole / static_cast<double>(state.range(1));
    QImage picture(kFrame, QImage::Format_RGB32);
    double at = 0.4;
    for (auto _ : state) {
        at = at > 0.6 ? 0.4 : at + 0.001;
        canvas.showRange(first + (whole - length) * at, first + (whole - length) * at + length);
        canvas.render(&picture);
    }
}

/// One notch of zoom per frame, in and out again.
void zoomsTheTimeline(benchmark::State& state) {
    views::ViewState viewState;
    views::TimelineCanvas canvas(viewState);
    canvas.resize(kFrame);
    canvas.setModel(timelineOf(static_cast<std::size_t>(state.range(0))));
    const double first = canvas.model()->firstNs();
    const double whole = canvas.model()->lastNs() - first;
    QImage picture(kFrame, QImage::Format_RGB32);
    int step = 0;
    for (auto _ : state) {
        step = (step + 1) % 80;
        const double length = whole * std::pow(0.8, step < 40 ? step : 80 - step);
        canvas.showRange(first + whole / 3, first + whole / 3 + length);
        canvas.render(&picture);
    }
}

views::GraphScenePtr sceneOf(int blocks, bool open, layout::LayoutEngine engine) {
    static const views::LetterWidths widths;
    const auto diagnosis = test::modelDiagnosis(blocks);
    views::SceneRequest request;
    request.session = diagnosis->session;
    request.graph = session::GraphId(std::uint32_t{0});
    request.entry = session::EntryId(std::uint32_t{0});
    request.engine = engine;
    if (open) {
        const auto tree = layout::buildScopeTree(*request.session, (*request.session)[request.graph]);
        request.open = layout::OpenScopes(tree.scopes.size(), true);
    }
    return *views::buildScene(request, widths, {});
}

/// Scopes, folding and our own layout of a model of range(0) blocks with 47 nodes each; range(1): all scopes
/// open.
void opensAGraph(benchmark::State& state) {
    const auto diagnosis = test::modelDiagnosis(static_cast<int>(state.range(0)));
    const views::LetterWidths widths;
    views::SceneRequest request;
    request.session = diagnosis->session;
    request.graph = session::GraphId(std::uint32_t{0});
    request.engine = layout::LayoutEngine::Layered;
    const session::Graph& graph = diagnosis->session->graphs[0];
    if (state.range(1) != 0)
        request.open =
            layout::OpenScopes(layout::buildScopeTree(*diagnosis->session, graph).scopes.size(), true);
    for (auto _ : state)
        benchmark::DoNotOptimize(*views::buildScene(request, widths, {}));
    state.counters["nodes"] = static_cast<double>(graph.nodes.size());
}

void paintsAGraph(benchmark::State& state) {
    views::ViewState viewState;
    views::GraphCanvas canvas(viewState);
    canvas.resize(kFrame);
    canvas.setScene(sceneOf(static_cast<int>(state.range(0)), true, layout::LayoutEngine::Layered),
                    std::nullopt);
    if (state.range(1) != 0)
        canvas.zoomTo(static_cast<double>(state.range(1)) / 100);
    else
        canvas.fitAll();
    QImage picture(kFrame, QImage::Format_RGB32);
    for (auto _ : state)
        canvas.render(&picture);
    state.counters["boxes"] = static_cast<double>(canvas.scene()->folded.boxes.size());
}

/// The helper process and all, on a chain of range(0) boxes with one long edge in eight.
void laysOutWithGraphviz(benchmark::State& state) {
    layout::BoxGraph graph;
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(state.range(0)); ++i) {
        graph.boxes.push_back({120, 38, 0, 0, layout::kNoCluster});
        if (i > 0)
            graph.edges.push_back({i - 1, i});
        if (i > 20 && i % 8 == 0)
            graph.edges.push_back({i - 20, i});
    }
    for (auto _ : state) {
        const auto drawn = layout::layoutGraphviz(graph);
        if (!drawn)
            state.SkipWithError(drawn.error().message.c_str());
    }
}

BENCHMARK(buildsTheTimeline)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(pansTheTimeline)
    ->ArgsProduct({{1'000'000}, {1, 10, 100, 1000, 100'000}})
    ->Args({100'000, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(zoomsTheTimeline)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(opensAGraph)->Args({550, 0})->Args({20, 1})->Args({200, 1})->Unit(benchmark::kMillisecond);
BENCHMARK(paintsAGraph)->ArgsProduct({{20, 200}, {0, 50, 100}})->Unit(benchmark::kMillisecond);
BENCHMARK(laysOutWithGraphviz)->Arg(30)->Arg(100)->Arg(300)->Unit(benchmark::kMillisecond);

} // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    qputenv("RETRACESCOPE_LAYOUT", QByteArray(RETRACESCOPE_BIN_DIR) + "/retracescope-layout");
    return runBenchmarks(argc, argv);
}
