#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QString>

namespace retracescope::views {

/// Which palette role colours an icon. Icons follow the palette: nothing has to be renewed when the theme
/// changes.
enum class IconTone {
    Text,     ///< text; muted while disabled; on the accent while checked
    Accent,   ///< links
    OnAccent, ///< on primary buttons
    Muted,
};

/// An icon of resources/icons ("open", "back", ...) in the palette's colour at the time of painting.
QIcon icon(const QString& name, IconTone tone = IconTone::Text);

/// The same drawing in a given colour, `size` pixels wide, for painting code.
QPixmap iconPixmap(const QString& name, const QColor& color, int size, qreal pixelRatio);

} // namespace retracescope::views
