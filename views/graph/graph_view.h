#pragma once

#include <optional>
#include <vector>

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "views/graph/graph_picker.h"
#include "views/graph/graph_scene.h"
#include "views/shared/latest_job.h"
#include "views/shared/view.h"

class QStackedWidget;

namespace retracescope::views {

class BusyStrip;
class EmptyPanel;
class GraphCanvas;
class GraphMinimap;
class NodePanel;

/// The graph of the chosen entry: what is folded, how it is laid out and coloured, find, and the
/// facts of the selected node beside it. Layout runs as a job; the old picture stays until the new one is
/// there.
class GraphView : public View {
    Q_OBJECT

public:
    explicit GraphView(ViewState& state, QWidget* parent = nullptr);

    QPixmap picture(qreal scale = 1.0) override;
    bool isSettled() const override { return !m_job.isRunning() && m_picker->isSettled(); }
    bool focusFind() override;

    GraphCanvas& canvas() { return *m_canvas; }
    void toggleScope(std::uint32_t scope);
    void openAllBelow(std::uint32_t scope, bool open);
    void setFind(const QString& text);
    void setFoldEqual(bool on); ///< neighbours of equal structure as one box

    QString copyText(const QString& form) const; ///< "dot", "svg" or "text"

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Where to stay when the next scene arrives.
    struct Keep {
        std::uint32_t scope = 0; ///< the one that was expanded or collapsed
        QPointF widgetAt;        ///< its upper left corner
    };

    void makeToolbar();
    void fitToolbar();
    void connectCanvas();
    void onDiagnosis();
    void onSelection();
    void onPicked(const ViewState::ShownGraph& graph);
    void openCallee(session::GraphId graph);
    void present(const ViewState::ShownGraph& shown);
    void request(layout::OpenScopes open, std::optional<Keep> keep);
    void requestFirst();
    void start(SceneRequest request, std::optional<Keep> keep);
    void onScene(const Result<GraphScenePtr>& scene, const std::optional<Keep>& keep);
    void showNothing(const QString& reason);
    void selectBox(std::optional<std::uint32_t> box);
    void selectNode(std::uint32_t row);
    void openScopesTo(layout::OpenScopes& open, std::uint32_t row) const;
    void updateStatus();
    void showMenu(const QPoint& globalAt);
    void onEscape();
    QString noGraphReason() const;
    session::EntryId ownEntry() const;

    // graph_view_find.cpp
    QWidget* makeFindRow();
    void updateMatches();
    void stepMatch(int by);
    void onPathWanted();
    void findPath(std::uint32_t end);
    void dropPath();

    GraphCanvas* m_canvas;
    GraphMinimap* m_minimap;
    NodePanel* m_panel;
    QStackedWidget* m_pages;
    EmptyPanel* m_empty;
    QWidget* m_toolbar;
    GraphPicker* m_picker;
    QToolButton* m_back;
    QComboBox* m_engine;
    QComboBox* m_colour;
    QAction* m_pills;                ///< constants and weights beside their readers
    QAction* m_equal;                ///< neighbours of equal structure as one box
    std::vector<QLabel*> m_captions; ///< of the boxes in the toolbar
    QPushButton* m_path;
    QLineEdit* m_find;
    QLabel* m_findCount;
    QLabel* m_status;
    BusyStrip* m_busy;

    LetterWidths m_widths;
    LatestJob m_job; ///< the layout
    ViewState::ShownGraph m_shown;
    std::vector<ViewState::ShownGraph> m_trail; ///< graphs from which callees were opened
    std::optional<std::uint32_t> m_wantedNode;  ///< to select once its scene is there
    std::vector<std::uint32_t> m_matches;       ///< rows
    std::size_t m_match = 0;
    std::optional<std::uint32_t> m_pathStart; ///< box; the next one chosen is the end
    QString m_pathText;                       ///< what was found, in the status line
    bool m_selecting = false;                 ///< the change of selection is our own
};

} // namespace retracescope::views
