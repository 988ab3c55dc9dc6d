#pragma once

#include <QPainter>
#include <QPointF>

#include <retracescope/session/session.h>
#include <retracescope/types/component.h>

#include "views/shared/theme.h"

namespace retracescope::views {

/// The shapes that say again what the colours say.
enum class Glyph {
    Hit,      ///< upright tick
    Trace,    ///< filled triangle down
    Relaxed,  ///< diamond
    Error,    ///< cross
    Expected, ///< hollow triangle down
    Eager,    ///< ring
    Unknown,  ///< dot
};

/// Paints a glyph centred at `center` within `size` by `size` pixels.
void paintGlyph(QPainter& painter, Glyph glyph, QPointF center, qreal size, const Theme& theme);

/// How a call is drawn: a first call's trace is expected, one that served a widened key is relaxed.
Glyph glyphOfCall(const session::Session& session, session::CallId call, session::MissId miss);

/// How a miss is drawn.
Glyph glyphOfMiss(const session::Miss& miss);

/// "hit", "traced", "traced, expected", "failed", ...: the word beside the glyph and for screen readers.
QString glyphWord(Glyph glyph);

/// The text colour that goes with the glyph.
QColor glyphTextColor(Glyph glyph, const Theme& theme);

} // namespace retracescope::views
