#include "app/gui/view_list.h"

#include "views/findings/findings_view.h"
#include "views/functions/functions_view.h"
#include "views/graph/graph_view.h"
#include "views/overview/summary_view.h"
#include "views/signatures/signatures_view.h"
#include "views/source/source_view.h"
#include "views/timeline/timeline_view.h"

namespace retracescope::gui {

namespace {

template <class V>
views::View* make(views::ViewState& state) {
    return new V(state);
}

} // namespace

const std::vector<ViewEntry>& viewList() {
    static const std::vector<ViewEntry> list{
        {Perspective::Overview, QStringLiteral("summary"), make<views::SummaryView>},
        {Perspective::Overview, QStringLiteral("functions"), make<views::FunctionsView>},
        {Perspective::Overview, QStringLiteral("signatures"), make<views::SignaturesView>},
        {Perspective::Overview, QStringLiteral("findings"), make<views::FindingsView>},
        {Perspective::Overview, QStringLiteral("source"), make<views::SourceView>},
        {Perspective::Timeline, QStringLiteral("timeline"), make<views::TimelineView>},
        {Perspective::Graph, QStringLiteral("graph"), make<views::GraphView>},
    };
    return list;
}

QStringList viewIds() {
    QStringList ids;
    for (const ViewEntry& entry : viewList())
        ids.push_back(entry.id);
    return ids;
}

QStringList perspectiveNames() {
    return {QStringLiteral("overview"), QStringLiteral("timeline"), QStringLiteral("graph")};
}

} // namespace retracescope::gui
