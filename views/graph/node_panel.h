#pragma once

#include <QTextBrowser>

#include "views/graph/graph_scene.h"
#include "views/shared/view_state.h"

namespace retracescope::views {

/// Everything about one box of the graph: op, scope, attributes, inputs and outputs (a click travels there),
/// the graphs it runs, its source line with the lines around it, time.
class NodePanel : public QTextBrowser {
    Q_OBJECT

public:
    explicit NodePanel(ViewState& state, QWidget* parent = nullptr);

    void showBox(const GraphScenePtr& scene, std::optional<std::uint32_t> box);
    void showNode(const GraphScenePtr& scene, std::uint32_t row); ///< side nodes have no box

Q_SIGNALS:
    void nodeWanted(std::uint32_t row);
    void graphWanted(session::GraphId graph);
    void scopeWanted(std::uint32_t scope);

private:
    void onLink(const QUrl& link);
    void render(const QString& body);
    QString ofNode(const GraphScene& scene, std::uint32_t row) const;
    QString ofScope(const GraphScene& scene, std::uint32_t scope, std::uint32_t box) const;
    QString ofGraph(const GraphScene& scene) const;
    QString source(const GraphScene& scene, const session::GraphNode& node) const;
    QString row(const QString& label, const QString& html) const;
    QString heading(const QString& text) const;
    QString nodeLink(const GraphScene& scene, std::uint32_t row) const;

    ViewState& m_state;
    GraphScenePtr m_scene;
    std::optional<std::uint32_t> m_box;
    std::optional<std::uint32_t> m_node;
};

} // namespace retracescope::views
