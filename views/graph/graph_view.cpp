#include "views/graph/graph_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QMenu>
#include <QPaintEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <retracescope/report/graph_dot.h>
#include <retracescope/report/graph_svg.h>
#include <retracescope/report/graph_text.h>

#include "views/graph/graph_canvas.h"
#include "views/graph/graph_minimap.h"
#include "views/graph/node_panel.h"
#include "views/shared/busy_strip.h"
#include "views/shared/empty_panel.h"
#include "views/shared/numbers.h"
#include "views/shared/widgets.h"

namespace retracescope::views {

using namespace layout;

namespace {

constexpr int kPanelWidth = 300;
constexpr int kWideToolbar = 1000; ///< of the view: all captions of the toolbar fit

/// The layout engines and colours in the order of their boxes.
constexpr LayoutEngine kEngines[] = {LayoutEngine::Automatic, LayoutEngine::Graphviz, LayoutEngine::Layered};
constexpr GraphColour kColours[] = {GraphColour::Nothing, GraphColour::Time, GraphColour::Family,
                                    GraphColour::Dtype};

/// A strip above or below the picture. Paints itself: a palette would not outlast a change of the style
/// sheet.
class Strip : public QWidget {
public:
    Strip(ViewState& state, QColor Theme::*colour, QWidget* parent)
        : QWidget(parent), m_state(state), m_colour(colour) {}

protected:
    void paintEvent(QPaintEvent* event) override {
        QPainter(this).fillRect(event->rect(), m_state.theme().*m_colour);
    }

private:
    ViewState& m_state;
    QColor Theme::*m_colour;
};

} // namespace

GraphView::GraphView(ViewState& state, QWidget* parent)
    : View(state, QStringLiteral("graph"), tr("Graph"), parent), m_job(state.jobs()) {
    m_canvas = new GraphCanvas(state, this);
    m_minimap = new GraphMinimap(state, *m_canvas);
    m_panel = new NodePanel(state, this);
    auto* foot = new Strip(state, &Theme::raised, this);
    auto* footRow = new QHBoxLayout(foot);
    footRow->setContentsMargins(kMargin - 4, 4, kMargin - 4, 4);
    m_status = makeLabel({}, "caption", foot);
    footRow->addWidget(m_status);
    makeToolbar();
    m_busy = new BusyStrip(state, m_job, this);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_toolbar);
    column->addWidget(m_busy);
    column->addWidget(makeSplit(m_canvas, m_panel, m_panel, kPanelWidth), 1);
    column->addWidget(foot);
    m_empty = new EmptyPanel(state, id());
    m_pages = new QStackedWidget;
    m_pages->addWidget(page);
    m_pages->addWidget(m_empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_pages);
    connectCanvas();
    connect(&state, &ViewState::diagnosisChanged, this, &GraphView::onDiagnosis);
    connect(&state, &ViewState::selectionChanged, this, &GraphView::onSelection);
    onDiagnosis();
}

void GraphView::makeToolbar() {
    m_toolbar = new Strip(state(), &Theme::raised, this);
    auto* row = new QHBoxLayout(m_toolbar);
    row->setContentsMargins(kMargin - 4, 6, kMargin - 4, 6);
    row->setSpacing(kGap);
    m_back = new QToolButton(m_toolbar);
    m_back->setText(tr("Back"));
    m_back->setToolTip(tr("Back to the graph that calls this one"));
    m_back->hide();
    m_picker = new GraphPicker(state(), m_toolbar);
    m_engine = new QComboBox(m_toolbar);
    m_engine->addItems({tr("Automatic"), tr("Graphviz"), tr("Layered, own")});
    m_engine->setAccessibleName(tr("Layout"));
    m_colour = new QComboBox(m_toolbar);
    m_colour->addItems({tr("Nothing"), tr("Time per call"), tr("Op family"), tr("Dtype")});
    m_colour->setAccessibleName(tr("Colour"));
    auto* fold = makeButton(tr("Fold"), {}, false, m_toolbar);
    fold->setToolTip(tr("What is drawn in short"));
    fold->setProperty("menu", true);
    auto* foldMenu = new QMenu(fold);
    fold->setMenu(foldMenu);
    m_pills = foldMenu->addAction(tr("Constants and weights as pills"));
    m_equal = foldMenu->addAction(tr("Equal blocks beside each other as one"));
    for (QAction* action : {m_pills, m_equal}) {
        action->setCheckable(true);
        action->setChecked(true);
    }
    m_path = makeButton({}, QStringLiteral("right"), false, m_toolbar);
    m_path->setAccessibleName(tr("Path to…"));
    m_path->setToolTip(tr("The way from the selected box to the one that is clicked next (P)"));
    connect(m_path, &QPushButton::clicked, this, &GraphView::onPathWanted);
    row->addWidget(m_back);
    row->addWidget(m_picker, 4);
    for (const auto& [text, box] : {std::pair(tr("Layout"), m_engine), std::pair(tr("Colour"), m_colour)}) {
        m_captions.push_back(new QLabel(text, m_toolbar));
        row->addWidget(m_captions.back());
        row->addWidget(box);
        box->setToolTip(text);
    }
    row->addWidget(fold);
    row->addWidget(m_path);
    row->addStretch(1);
    row->addWidget(makeFindRow());
    connect(m_back, &QToolButton::clicked, this, [this] {
        const ViewState::ShownGraph caller = m_trail.back();
        m_trail.pop_back();
        const QScopedValueRollback<bool> guard(m_selecting, true);
        if (caller.entry.isValid() && (*this->state().session())[caller.entry].graph == caller.graph)
            this->state().selectEntry(caller.entry);
        else
            this->state().selectGraph(caller.graph, caller.entry);
        present(caller);
    });
    connect(m_picker, &GraphPicker::picked, this, &GraphView::onPicked);
    const auto again = [this] {
        if (m_canvas->scene())
            request(m_canvas->scene()->open, std::nullopt);
    };
    connect(m_engine, &QComboBox::activated, this, again);
    connect(m_pills, &QAction::toggled, this, again);
    connect(m_equal, &QAction::toggled, this, [this] {
        if (m_canvas->scene())
            requestFirst(); // the scopes are others
    });
    connect(m_colour, &QComboBox::currentIndexChanged, this,
            [this](int index) { m_canvas->setColour(kColours[index]); });
}

/// Captions go before anything is cut: their boxes say the same in a tooltip.
void GraphView::fitToolbar() {
    const bool wide = width() >= kWideToolbar;
    for (QLabel* caption : m_captions)
        caption->setVisible(wide);
    m_path->setText(wide ? tr("Path to…") : QString());
    m_picker->setMinimumContentsLength(wide ? 22 : 9);
    m_find->setMinimumWidth(wide ? 210 : 130);
    const QString syntax = tr("Find: name, op:, shape:, file:");
    m_find->setPlaceholderText(wide ? syntax : tr("Find"));
    m_find->setToolTip(syntax);
}

void GraphView::resizeEvent(QResizeEvent* event) {
    View::resizeEvent(event);
    fitToolbar();
}

void GraphView::connectCanvas() {
    connect(m_canvas, &GraphCanvas::boxPressed, this, [this](std::uint32_t box) {
        if (m_pathStart && *m_pathStart != box)
            findPath(box);
        else
            selectBox(box);
    });
    connect(m_canvas, &GraphCanvas::pathWanted, this, &GraphView::onPathWanted);
    connect(m_canvas, &GraphCanvas::emptyPressed, this, [this] { selectBox(std::nullopt); });
    connect(m_canvas, &GraphCanvas::toggleWanted, this, &GraphView::toggleScope);
    connect(m_canvas, &GraphCanvas::allBelowWanted, this, &GraphView::openAllBelow);
    connect(m_canvas, &GraphCanvas::parentWanted, this, [this](std::uint32_t box) {
        const std::int32_t cluster = m_canvas->scene()->folded.boxes[box].cluster;
        if (cluster != kNoCluster)
            toggleScope(m_canvas->scene()->folded.clusters[static_cast<std::size_t>(cluster)].scope);
    });
    connect(m_canvas, &GraphCanvas::findWanted, this, [this] { focusFind(); });
    connect(m_canvas, &GraphCanvas::escapePressed, this, &GraphView::onEscape);
    connect(m_canvas, &GraphCanvas::menuWanted, this, &GraphView::showMenu);
    connect(m_canvas, &GraphCanvas::viewChanged, this, &GraphView::updateStatus);
    connect(m_panel, &NodePanel::nodeWanted, this, &GraphView::selectNode);
    connect(m_panel, &NodePanel::scopeWanted, this, &GraphView::toggleScope);
    connect(m_panel, &NodePanel::graphWanted, this, &GraphView::openCallee);
}

void GraphView::onDiagnosis() {
    m_trail.clear();
    m_shown = {};
    m_canvas->setScene(nullptr, std::nullopt);
    m_panel->showBox(nullptr, std::nullopt);
    const session::Session* session = state().session();
    const bool empty = session == nullptr || session->graphs.empty();
    m_pages->setCurrentIndex(empty ? 1 : 0);
    if (empty)
        m_empty->setMissing(noGraphReason());
    onSelection();
}

/// Why there is no graph of what is selected; empty without a session.
QString GraphView::noGraphReason() const {
    const session::Session* session = state().session();
    if (session == nullptr)
        return {};
    const QString why = toQString(session->fact("not_recorded", "graphs"));
    const QString because = why.isEmpty() ? QStringLiteral(".") : QStringLiteral(": ") + why;
    const Selection& selection = state().selection();
    if (selection.entry.isValid())
        return tr("The graph of entry %1 was not recorded%2")
            .arg((*session)[selection.entry].number)
            .arg(because);
    const session::FunctionId function = state().shownFunction();
    if (!function.isValid())
        return why.isEmpty() ? tr("This file holds no graph.") : tr("No graph was recorded%1").arg(because);
    const QString name = toQString(session->text((*session)[function].name));
    if (!state().diagnosis()->index.entriesOfFunction[function.value].empty())
        return tr("No graph of %1 was recorded%2").arg(name, because);
    const session::FunctionSummary& summary = state().diagnosis()->functions[function.value];
    if (summary.failedTraces > 0)
        return tr("%1 has no graph: no trace of it succeeded.").arg(name);
    if (summary.traces == 0)
        return tr("%1 has no graph: it was never traced.").arg(name);
    return tr("No graph of %1 was recorded%2").arg(name, because);
}

/// Entries by function, of the shown one alone where all would be too many to choose from; then the graphs
/// that no entry owns.
void GraphView::onPicked(const ViewState::ShownGraph& graph) {
    if (graph.entry.isValid())
        state().selectEntry(graph.entry);
    else
        state().selectGraph(graph.graph);
}

void GraphView::openCallee(session::GraphId graph) {
    m_trail.push_back(m_shown);
    const QScopedValueRollback<bool> guard(m_selecting, true);
    state().selectGraph(graph, m_shown.entry);
    present({graph, m_shown.entry});
}

/// Follows a selection made elsewhere.
void GraphView::onSelection() {
    if (m_selecting)
        return;
    m_picker->follow();
    const ViewState::ShownGraph shown = state().shownGraph();
    m_wantedNode = state().selection().node;
    if (shown == m_shown && shown.graph.isValid()) {
        if (m_wantedNode)
            selectNode(*m_wantedNode);
        return;
    }
    m_trail.clear();
    present(shown);
}

void GraphView::present(const ViewState::ShownGraph& shown) {
    m_shown = shown;
    if (shown.graph.isValid())
        requestFirst();
    else
        showNothing(noGraphReason());
}

void GraphView::showNothing(const QString& reason) {
    m_job.drop();
    m_canvas->setScene(nullptr, std::nullopt);
    m_canvas->setNotice(reason);
    m_panel->showBox(nullptr, std::nullopt);
    m_minimap->sceneChanged();
    updateStatus();
}

/// The entry whose graph is shown; none for a callee or a graph without an entry.
session::EntryId GraphView::ownEntry() const {
    const session::EntryId entry = m_shown.entry;
    return entry.isValid() && (*state().session())[entry].graph == m_shown.graph ? entry : session::EntryId();
}

void GraphView::requestFirst() {
    m_picker->choose(m_shown.graph);
    m_back->setVisible(!m_trail.empty());
    SceneRequest request;
    request.graph = m_shown.graph;
    start(std::move(request), std::nullopt);
}

void GraphView::request(OpenScopes open, std::optional<Keep> keep) {
    SceneRequest request;
    request.graph = m_shown.graph;
    request.open = std::move(open);
    start(std::move(request), keep);
}

void GraphView::start(SceneRequest request, std::optional<Keep> keep) {
    request.session = state().diagnosis()->session;
    request.entry = ownEntry();
    request.foldSides = m_pills->isChecked();
    request.foldEqual = m_equal->isChecked();
    request.engine = kEngines[m_engine->currentIndex()];
    // Graphviz would move everything: in place, the own layout keeps what is beside the scope in order.
    if (keep && request.engine == LayoutEngine::Automatic)
        request.engine = LayoutEngine::Layered;
    const auto nodes = static_cast<std::int64_t>((*request.session)[request.graph].nodes.size());
    m_busy->setText(tr("Layout of %1. Cancel keeps the present picture.")
                        .arg(pluralText(nodes, tr("node"), tr("nodes"))));
    m_job.run(
        tr("Layout of a graph"),
        [request = std::move(request), widths = m_widths](const Job& job) {
            return buildScene(request, widths, job);
        },
        [this, keep](const Result<GraphScenePtr>& scene) { onScene(scene, keep); });
}

void GraphView::onScene(const Result<GraphScenePtr>& result, const std::optional<Keep>& keep) {
    if (!result)
        return;
    const GraphScenePtr& scene = *result;
    m_pathStart.reset(); // its boxes are gone
    m_pathText.clear();
    const std::optional<std::uint32_t> selectedNode =
        m_wantedNode ? m_wantedNode
                     : (state().shownGraph() == m_shown ? state().selection().node : std::nullopt);
    std::optional<GraphCanvas::Anchor> anchor;
    if (keep) {
        const auto cluster = scene->clusterOfScope(keep->scope);
        const auto box = scene->boxOfScope(keep->scope);
        if (cluster || box) {
            const Rect& r = cluster ? scene->drawn.clusters[*cluster] : scene->drawn.boxes[*box];
            anchor = GraphCanvas::Anchor{{r.x, r.y}, keep->widgetAt};
        }
    }
    m_canvas->setScene(scene, anchor);
    m_minimap->sceneChanged();
    updateMatches();
    m_wantedNode.reset();
    if (selectedNode && *selectedNode < scene->graph().nodes.size())
        selectNode(*selectedNode);
    else
        m_panel->showBox(scene, std::nullopt);
    updateStatus();
}

void GraphView::updateStatus() {
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene) {
        m_status->clear();
        return;
    }
    QStringList parts;
    if (!m_pathText.isEmpty())
        parts += m_pathText;
    parts += toQString(scene->summary());
    parts += scene->engine == LayoutEngine::Graphviz ? tr("laid out by Graphviz") : tr("own layout");
    if (!scene->note.empty())
        parts += toQString(scene->note);
    parts += tr("%1 %").arg(std::lround(m_canvas->scale() * 100));
    m_status->setText(parts.join(QStringLiteral("  ·  ")));
}

void GraphView::toggleScope(std::uint32_t scope) {
    const GraphScenePtr scene = m_canvas->scene();
    if (!scene || scope >= scene->open.size())
        return;
    OpenScopes open = scene->open;
    open[scope] = !open[scope];
    const auto box = scene->boxOfScope(scope);
    const auto cluster = scene->clusterOfScope(scope);
    if (!box && !cluster)
        return;
    const Rect& r = box ? scene->drawn.boxes[*box] : scene->drawn.clusters[*cluster];
    request(std::move(open), Keep{scope, m_canvas->toWidget({r.x, r.y})});
}

void GraphView::openAllBelow(std::uint32_t scope, bool open) {
    const GraphScenePtr scene = m_canvas->scene();
    if (!scene)
        return;
    OpenScopes flags = scene->open;
    for (std::uint32_t s = 1; s < flags.size(); ++s) {
        if (scene->tree.isWithin(s, scope))
            flags[s] = open;
    }
    const auto box = scene->boxOfScope(scope);
    const auto cluster = scene->clusterOfScope(scope);
    std::optional<Keep> keep;
    if (box || cluster) {
        const Rect& r = box ? scene->drawn.boxes[*box] : scene->drawn.clusters[*cluster];
        keep = Keep{scope, m_canvas->toWidget({r.x, r.y})};
    }
    request(std::move(flags), keep);
}

void GraphView::selectBox(std::optional<std::uint32_t> box) {
    const GraphScenePtr& scene = m_canvas->scene();
    dropPath();
    m_canvas->selectBox(box);
    m_panel->showBox(scene, box);
    if (!box || scene->folded.boxes[*box].kind != BoxKind::Node)
        return;
    const QScopedValueRollback<bool> guard(m_selecting, true);
    state().selectNode(m_shown, scene->folded.boxes[*box].id);
}

void GraphView::openScopesTo(OpenScopes& open, std::uint32_t row) const {
    for (std::uint32_t s = m_canvas->scene()->tree.scopeOfNode[row]; s != 0;
         s = m_canvas->scene()->tree.scopes[s].parent)
        open[s] = true;
}

/// Selects a node wherever it is: opens the scopes around it, shows it, tells the others.
void GraphView::selectNode(std::uint32_t row) {
    const GraphScenePtr scene = m_canvas->scene();
    if (!scene || row >= scene->graph().nodes.size())
        return;
    OpenScopes open = scene->open;
    openScopesTo(open, row);
    if (open != scene->open) {
        m_wantedNode = row;
        request(std::move(open), std::nullopt);
        return;
    }
    if (const auto box = scene->boxOf(row)) {
        selectBox(*box);
        m_canvas->reveal(*box);
    } else {
        m_canvas->selectBox(std::nullopt);
        m_panel->showNode(scene, row); // a constant or weight: it is in a pill
    }
}

void GraphView::setFoldEqual(bool on) {
    m_equal->setChecked(on);
}

void GraphView::onEscape() {
    if (m_job.isRunning())
        m_job.cancel();
    else if (m_pathStart || !m_pathText.isEmpty())
        selectBox(m_canvas->selectedBox());
    else if (!m_find->text().isEmpty())
        m_find->clear();
    else
        selectBox(std::nullopt);
}

QString GraphView::copyText(const QString& form) const {
    const GraphScenePtr& scene = m_canvas->scene();
    if (!scene)
        return {};
    if (form == QLatin1String("dot"))
        return QString::fromStdString(report::graphDot(*scene->session, scene->graph()));
    if (form == QLatin1String("text"))
        return QString::fromStdString(report::graphText(*scene->session, scene->graph()));
    return QString::fromStdString(
        report::graphSvg(*scene->session, scene->folded, scene->drawn, scene->text(scene->graph().name)));
}

void GraphView::showMenu(const QPoint& globalAt) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const auto& [text, form] : {std::pair(tr("Copy as DOT"), "dot"), std::pair(tr("Copy as SVG"), "svg"),
                                     std::pair(tr("Copy as text"), "text")}) {
        connect(menu->addAction(text), &QAction::triggered, this, [this, form = QString::fromLatin1(form)] {
            QApplication::clipboard()->setText(copyText(form));
        });
    }
    connect(menu->addAction(tr("Copy as PNG")), &QAction::triggered, this,
            [this] { QApplication::clipboard()->setImage(m_canvas->image(2)); });
    menu->addSeparator();
    if (m_canvas->selectedBox())
        connect(menu->addAction(m_pathStart ? tr("Path to the selected box\tP")
                                            : tr("Path from the selected box\tP")),
                &QAction::triggered, this, &GraphView::onPathWanted);
    connect(menu->addAction(tr("Collapse all scopes")), &QAction::triggered, this,
            [this] { openAllBelow(0, false); });
    connect(menu->addAction(tr("Show the whole graph")), &QAction::triggered, m_canvas, &GraphCanvas::fitAll);
    connect(menu->addAction(tr("Show in the timeline")), &QAction::triggered, this,
            [this] { state().requestView(QStringLiteral("timeline")); });
    menu->popup(globalAt);
}

QPixmap GraphView::picture(qreal scale) {
    if (m_canvas->scene())
        m_canvas->fitAll();
    return View::picture(scale);
}

} // namespace retracescope::views
