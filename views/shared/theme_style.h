#pragma once

#include <QProxyStyle>

#include "views/shared/theme.h"

namespace retracescope::views {

/// Fusion with flat, one-colour indicators: what a style sheet cannot draw in the theme's colours (check
/// marks, combo box arrows, branch arrows). All colours come from the palette.
class FlatStyle : public QProxyStyle {
    Q_OBJECT

public:
    FlatStyle();

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* returnData) const override;
};

/// Sets fonts, palette and style sheet of the application; call again to switch.
void applyTheme(const Theme& theme);

} // namespace retracescope::views
