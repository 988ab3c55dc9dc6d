#include "views/shared/view.h"

#include <QPainter>

namespace retracescope::views {

View::View(ViewState& state, QString id, QString title, QWidget* parent)
    : QWidget(parent), m_state(state), m_id(std::move(id)), m_title(std::move(title)) {
    setObjectName(m_id);
    setAccessibleName(m_title);
    setProperty("surface", "view");
    setAttribute(Qt::WA_StyledBackground);
}

QPixmap View::picture(qreal scale) {
    QPixmap pixmap(size() * scale);
    pixmap.setDevicePixelRatio(scale);
    pixmap.fill(m_state.theme().view);
    render(&pixmap);
    return pixmap;
}

} // namespace retracescope::views
