#include "views/shared/icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

// A static library's resources are dropped by the linker unless something names them; the macro needs global
// scope.
static void initIconResources() {
    Q_INIT_RESOURCE(icons);
}

namespace retracescope::views {

namespace {

QColor colorOf(IconTone tone, QIcon::Mode mode, QIcon::State state) {
    const QPalette palette = QApplication::palette();
    if (mode == QIcon::Disabled)
        return palette.color(QPalette::Disabled, QPalette::ButtonText);
    switch (tone) {
    case IconTone::Text:
        return state == QIcon::On ? palette.color(QPalette::BrightText) : palette.color(QPalette::Text);
    case IconTone::Accent:
        return palette.color(QPalette::Link);
    case IconTone::OnAccent:
        return palette.color(QPalette::BrightText);
    case IconTone::Muted:
        return palette.color(QPalette::PlaceholderText);
    }
    return palette.color(QPalette::Text);
}

/// Draws one SVG in the palette's colour each time, so that a theme switch needs no new icons.
class PaletteIconEngine : public QIconEngine {
public:
    PaletteIconEngine(QString name, IconTone tone) : m_name(std::move(name)), m_tone(tone) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal ratio = painter->device()->devicePixelRatioF();
        painter->drawPixmap(rect, iconPixmap(m_name, colorOf(m_tone, mode, state), rect.width(), ratio));
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override {
        QPixmap result = iconPixmap(m_name, colorOf(m_tone, mode, state), size.width(), 1.0);
        result.setDevicePixelRatio(scale);
        return result;
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return iconPixmap(m_name, colorOf(m_tone, mode, state), size.width(), 1.0);
    }

    QIconEngine* clone() const override { return new PaletteIconEngine(m_name, m_tone); }

private:
    QString m_name;
    IconTone m_tone;
};

} // namespace

QIcon icon(const QString& name, IconTone tone) {
    return QIcon(new PaletteIconEngine(name, tone));
}

QPixmap iconPixmap(const QString& name, const QColor& color, int size, qreal pixelRatio) {
    const QString key =
        QStringLiteral("icon/%1/%2/%3/%4").arg(name).arg(color.rgba()).arg(size).arg(pixelRatio);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    initIconResources();
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    QByteArray svg = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    svg.replace("currentColor", color.name().toLatin1());
    pixmap = QPixmap(QSize(size, size) * pixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(svg).render(&painter);
    painter.end();
    pixmap.setDevicePixelRatio(pixelRatio);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

} // namespace retracescope::views
