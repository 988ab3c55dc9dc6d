#include "app/gui/drop_overlay.h"

#include <QFileInfo>
#include <QPainter>

#include "views/shared/icons.h"

namespace retracescope::gui {

DropOverlay::DropOverlay(views::ViewState& state, QWidget* window) : QWidget(window), m_state(state) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropOverlay::showFor(const QStringList& files) {
    m_text = tr("Open %1").arg(QFileInfo(files.front()).fileName());
    if (files.size() > 1)
        m_text += tr(" and list %n more under recent", nullptr, static_cast<int>(files.size() - 1));
    setAccessibleName(m_text);
    setGeometry(parentWidget()->rect());
    raise();
    show();
    update();
}

void DropOverlay::paintEvent(QPaintEvent*) {
    const views::Theme& theme = m_state.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor veil = theme.window;
    veil.setAlpha(215);
    painter.fillRect(rect(), veil);
    const QRectF frame = QRectF(rect()).adjusted(20, 20, -20, -20);
    painter.setPen(QPen(theme.accent, 2, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(frame, 8, 8);
    painter.drawPixmap(rect().center() - QPoint(20, 64),
                       views::iconPixmap(QStringLiteral("open"), theme.accent, 40, devicePixelRatioF()));
    painter.setFont(views::textFont(views::TextSize::Headline, true));
    painter.setPen(theme.text);
    painter.drawText(frame.adjusted(24, 20, -24, 20), Qt::AlignCenter | Qt::TextWordWrap, m_text);
}

} // namespace retracescope::gui
