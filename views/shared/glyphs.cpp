#include "views/shared/glyphs.h"

#include <algorithm>

#include <QCoreApplication>

namespace retracescope::views {

namespace {

QPolygonF triangleDown(QPointF c, qreal half) {
    return QPolygonF({{c.x() - half, c.y() - half * 0.85},
                      {c.x() + half, c.y() - half * 0.85},
                      {c.x(), c.y() + half * 0.85}});
}

QString tr(const char* text) {
    return QCoreApplication::translate("Glyph", text);
}

} // namespace

void paintGlyph(QPainter& painter, Glyph glyph, QPointF c, qreal size, const Theme& theme) {
    const qreal half = size / 2;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    switch (glyph) {
    case Glyph::Hit:
        painter.setBrush(theme.hit.fill);
        painter.drawRect(QRectF(c.x() - 1.25, c.y() - half * 0.9, 2.5, half * 1.8));
        break;
    case Glyph::Trace:
        painter.setBrush(theme.miss.fill);
        painter.drawPolygon(triangleDown(c, half));
        break;
    case Glyph::Expected:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.expected.fill, 1.5));
        painter.drawPolygon(triangleDown(c, half - 0.75));
        break;
    case Glyph::Relaxed:
        painter.setBrush(theme.relaxed.fill);
        painter.drawPolygon(QPolygonF(
            {{c.x(), c.y() - half}, {c.x() + half, c.y()}, {c.x(), c.y() + half}, {c.x() - half, c.y()}}));
        break;
    case Glyph::Error:
        painter.setPen(QPen(theme.error.fill, 2.2, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(c.x() - half * 0.7, c.y() - half * 0.7),
                         QPointF(c.x() + half * 0.7, c.y() + half * 0.7));
        painter.drawLine(QPointF(c.x() + half * 0.7, c.y() - half * 0.7),
                         QPointF(c.x() - half * 0.7, c.y() + half * 0.7));
        break;
    case Glyph::Eager:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.execute.fill, 1.8));
        painter.drawEllipse(c, half * 0.7, half * 0.7);
        break;
    case Glyph::Unknown:
        painter.setBrush(theme.expected.fill);
        painter.drawEllipse(c, half * 0.35, half * 0.35);
        break;
    }
    painter.restore();
}

Glyph glyphOfMiss(const session::Miss& miss) {
    if (!miss.entry.isValid())
        return Glyph::Error;
    if (miss.widened.isValid())
        return Glyph::Relaxed;
    return std::ranges::find(miss.otherKinds, types::MissKind::FirstCall) != miss.otherKinds.end()
               ? Glyph::Expected
               : Glyph::Trace;
}

Glyph glyphOfCall(const session::Session& session, session::CallId call, session::MissId miss) {
    switch (session.calls.outcome[call.value]) {
    case session::Outcome::Hit:
        return Glyph::Hit;
    case session::Outcome::Traced:
        return miss.isValid() ? glyphOfMiss(session[miss]) : Glyph::Trace;
    case session::Outcome::Eager:
        return Glyph::Eager;
    case session::Outcome::Error:
        return Glyph::Error;
    case session::Outcome::Unknown:
        break;
    }
    return Glyph::Unknown;
}

QString glyphWord(Glyph glyph) {
    switch (glyph) {
    case Glyph::Hit:
        return tr("hit");
    case Glyph::Trace:
        return tr("traced");
    case Glyph::Relaxed:
        return tr("traced, relaxed");
    case Glyph::Error:
        return tr("failed");
    case Glyph::Expected:
        return tr("traced, first call");
    case Glyph::Eager:
        return tr("ran eagerly");
    case Glyph::Unknown:
        break;
    }
    return tr("not recorded");
}

QColor glyphTextColor(Glyph glyph, const Theme& theme) {
    switch (glyph) {
    case Glyph::Hit:
        return theme.hit.text;
    case Glyph::Trace:
        return theme.miss.text;
    case Glyph::Relaxed:
        return theme.relaxed.text;
    case Glyph::Error:
        return theme.error.text;
    case Glyph::Eager:
        return theme.execute.text;
    case Glyph::Expected:
    case Glyph::Unknown:
        break;
    }
    return theme.muted;
}

} // namespace retracescope::views
