#include "app/gui/view_list.h"

#include "views/functions/functions_view.h"

namespace retracescope::gui {

namespace {

template <class V>
views::View* make(views::ViewState& state) {
    return new V(state);
}

} // namespace

const std::vector<ViewEntry>& viewList() {
    static const std::vector<ViewEntry> list{
        {Perspective::Overview, QStringLiteral("functions"), make<views::FunctionsView>},
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
