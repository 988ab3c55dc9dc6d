#include "views/shared/theme_style.h"

#include <QApplication>
#include <QComboBox>
#include <QPainter>
#include <QStyleOption>
#include <QToolTip>

namespace retracescope::views {

namespace {

/// Tokens stand as @name in this sheet. Roles of labels: headline, title, strong, muted, caption, code, link,
/// and the meanings miss, hit, error, warning.
constexpr const char* kSheet = R"(
QMainWindow, QDialog { background: @window; }
QToolTip { background: @raised; color: @text; border: 1px solid @line2; padding: 4px 6px; }
QLabel { background: transparent; color: @text; }
QLabel[role="headline"] { font-size: 22px; font-weight: bold; }
QLabel[role="title"] { font-size: 16px; font-weight: bold; }
QLabel[role="strong"] { font-size: 13px; font-weight: bold; }
QLabel[role="muted"] { color: @muted; }
QLabel[role="subline"] { color: @muted; font-size: 13px; }
QLabel[role="caption"] { color: @muted; font-size: 11px; }
QLabel[role="code"] { font-family: "DejaVu Sans Mono"; }
QLabel[role="codestrong"] { font-family: "DejaVu Sans Mono"; font-size: 13px; font-weight: bold; }
QLabel[role="miss"] { color: @missText; font-weight: bold; }
QLabel[role="missbig"] { color: @missText; font-size: 19px; font-weight: bold; }
QLabel[role="hit"] { color: @hitText; }
QLabel[role="hitstrong"] { color: @hitText; font-weight: bold; }
QLabel[role="error"] { color: @errorText; }
QLabel[role="warning"] { color: @warningText; }
QLabel[role="badge"] { background: @header; border-radius: 12px; font-weight: bold; }
QLabel[role="chip"] { background: @header; border-radius: 8px; padding: 2px 8px; font-size: 11px; }
QLabel[role="misschip"] { background: @missTint; color: @missText; border-radius: 8px; padding: 2px 8px; font-size: 11px; }
QLabel[role="key"] { background: @header; border-radius: 3px; padding: 2px 7px; font-size: 11px; }

QMenuBar { background: @window; color: @text; border-bottom: 1px solid @line; padding: 1px 4px; }
QMenuBar::item { background: transparent; padding: 4px 9px; border-radius: 4px; }
QMenuBar::item:selected { background: @header; }
QMenu { background: @raised; color: @text; border: 1px solid @line2; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 12px; border-radius: 4px; }
QMenu::item:selected { background: @accentTint; }
QMenu::item:disabled { color: @disabled; }
QMenu::separator { height: 1px; background: @line; margin: 4px 8px; }
QMenu::icon { padding-left: 8px; }

QToolBar { background: @raised; border: none; border-bottom: 1px solid @line; spacing: 4px; padding: 4px; }
QToolBar#contextToolBar { padding: 0; background: @window; border: none; }
QToolBar::separator { background: @line; width: 1px; margin: 5px 6px; }
QToolButton { background: transparent; color: @text; border: 1px solid transparent; border-radius: 4px; padding: 4px; }
QToolButton:hover { background: @hover; border-color: @line; }
QToolButton:pressed, QToolButton:checked { background: @accentTint; }
QToolButton:disabled { color: @disabled; }
QToolButton::menu-indicator { image: none; width: 0; }
QFrame#perspectives { background: @view; border: 1px solid @line2; border-radius: 5px; }
QFrame#perspectives QToolButton { border: none; border-radius: 4px; padding: 3px 11px; min-height: 18px; }
QFrame#perspectives QToolButton:hover { background: @hover; }
QFrame#perspectives QToolButton:checked { background: @accent; color: @onAccent; font-weight: bold; }
QFrame#contextBar { background: @window; border-bottom: 1px solid @line; }
QToolButton[chip="true"] { background: @accentTint; border: 1px solid @line2; border-radius: 9px; padding: 1px 7px 1px 4px; font-size: 11px; }
QToolButton[chip="true"]:hover { background: @header; }
QToolButton[crumb="true"] { color: @accent; padding: 2px 3px; border: none; }
QToolButton[crumb="true"]:hover { background: @header; }
QToolButton[crumb="last"] { color: @text; font-weight: bold; padding: 2px 3px; border: none; }
QToolButton[crumb="last"]:hover { background: @header; }

QPushButton { background: @raised; color: @text; border: 1px solid @line2; border-radius: 4px; padding: 0 11px; min-height: 24px; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @accentTint; }
QPushButton:disabled { color: @disabled; border-color: @line; }
QPushButton[primary="true"] { background: @accent; color: @onAccent; border-color: @accent; }
QPushButton[primary="true"]:hover { background: @accentHover; border-color: @accentHover; }
QPushButton[link="true"] { background: transparent; border: none; color: @accent; padding: 0; min-height: 18px; text-align: left; }
QPushButton[link="true"]:hover { text-decoration: underline; }
QPushButton::menu-indicator { subcontrol-origin: padding; subcontrol-position: right center; right: 7px; }
QPushButton[menu="true"] { padding-right: 24px; }
QPushButton[card="true"] { text-align: left; border-radius: 6px; }

QLineEdit { background: @view; color: @text; border: 1px solid @line2; border-radius: 4px; padding: 0 8px; min-height: 24px;
    selection-background-color: @accentTint; selection-color: @text; }
QLineEdit:focus { border-color: @accent; }
QComboBox QAbstractItemView { background: @raised; color: @text; border: 1px solid @line2; outline: none;
    selection-background-color: @accentTint; selection-color: @text; }
QComboBox { color: @text; }
QCheckBox, QRadioButton { color: @text; spacing: 8px; background: transparent; }

QTabWidget::pane { background: @view; border: 1px solid @line; border-top: none; }
QTabBar { background: @header; qproperty-drawBase: 0; }
QTabBar::tab { background: @header; color: @muted; border: none; border-right: 1px solid @line; border-top: 2px solid transparent;
    padding: 5px 14px 6px 14px; min-width: 44px; }
QTabBar::tab:hover { color: @text; background: @hover; }
QTabBar::tab:selected { background: @view; color: @text; font-weight: bold; border-top: 2px solid @accent; }
QFrame#tabFrame { background: @header; border: 1px solid @line; border-bottom: none; }
QWidget[surface="view"] { background: @view; }
QFrame#page { background: @view; border: 1px solid @line; }
QFrame[card="true"] { background: @raised; border: 1px solid @line; border-radius: 6px; }
QFrame[rule="true"] { background: @line; border: none; }
QFrame[callout="hit"] { background: @hitTint; border: none; border-radius: 6px; }
QFrame[callout="warning"] { background: @warningTint; border: none; border-radius: 6px; }
QFrame#banner { background: @errorTint; border: none; border-bottom: 1px solid @errorText; }
QFrame#banner QLabel { color: @errorText; }
QFrame#banner[kind="warning"] { background: @warningTint; border-bottom: 1px solid @warningText; }
QFrame#banner[kind="warning"] QLabel { color: @warningText; }
QFrame[drop="true"] { background: @alt; border: 1px dashed @line2; border-radius: 6px; }

QDockWidget { color: @text; font-weight: bold; titlebar-close-icon: none; }
QFrame#finder { background: @raised; border: 1px solid @line2; border-radius: 6px; }
QFrame#finder QListView { background: @raised; }
QLineEdit[invalid="true"] { border-color: @errorText; color: @errorText; }
QFrame#dockTitle { background: @header; border: 1px solid @line; }
QFrame#dockBody { background: @view; border: 1px solid @line; border-top: none; }
QMainWindow::separator { background: @window; width: 2px; height: 2px; }
QWidget[surface="window"] { background: @window; }
QSplitter::handle { background: @line; }
QSplitter::handle:horizontal { width: 1px; }

QTableView, QTreeView, QListView { background: @view; alternate-background-color: @alt; color: @text; border: 1px solid @line;
    gridline-color: @line; outline: none; selection-background-color: @accentTint; selection-color: @text; }
QTableView[frame="none"], QTreeView[frame="none"], QListView[frame="none"] { border: none; }
QListWidget::item { padding: 6px 12px; border-bottom: 1px solid @line; color: @text; }
QListWidget::item:hover { background: @hover; }
QListWidget::item:selected { background: @accentTint; border-left: 3px solid @accent; padding-left: 9px; color: @text; }
QHeaderView { background: @header; border: none; }
QHeaderView::section { background: @header; color: @muted; font-weight: bold; font-size: 11px; border: none;
    border-bottom: 1px solid @line2; padding: 0 8px; min-height: 25px; }
QHeaderView::section:hover { background: @hover; color: @text; }
QTableCornerButton::section { background: @header; border: none; }

QScrollArea, QScrollArea > QWidget > QWidget[surface="view"] { background: @view; border: none; }
QAbstractScrollArea::corner { background: @view; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle { background: @line2; border-radius: 4px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: @muted; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; border: none; width: 0; height: 0; }

QPlainTextEdit, QTextBrowser { background: @view; color: @text; border: 1px solid @line; selection-background-color: @accentTint; selection-color: @text; }
QStatusBar { background: @header; color: @muted; border-top: 1px solid @line; min-height: 24px; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: @muted; font-size: 11px; padding: 0 9px; }
QStatusBar QToolButton { font-size: 11px; padding: 1px 6px; color: @accent; }
QProgressBar { background: @line; border: none; border-radius: 3px; min-height: 6px; max-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
)";

/// Longest names first: "@text" is the start of no other token, but "@line" is of "@line2".
std::vector<std::pair<QString, QColor>> tokens(const Theme& t) {
    return {{"@accentTint", t.accentTint},
            {"@accentHover", t.isDark() ? t.accent.lighter(108) : t.accent.lighter(115)},
            {"@onAccent", t.onAccent},
            {"@accent", t.accent},
            {"@missText", t.miss.text},
            {"@missTint", t.miss.tint},
            {"@hitText", t.hit.text},
            {"@hitTint", t.hit.tint},
            {"@errorText", t.error.text},
            {"@errorTint", t.error.tint},
            {"@warningText", t.warning.text},
            {"@warningTint", t.warning.tint},
            {"@disabled", t.disabled()},
            {"@window", t.window},
            {"@raised", t.raised},
            {"@header", t.header},
            {"@hover", t.hover},
            {"@muted", t.muted},
            {"@line2", t.line2},
            {"@line", t.line},
            {"@view", t.view},
            {"@text", t.text},
            {"@alt", t.alt}};
}

void strokePath(QPainter* painter, const QPolygonF& points, const QColor& color, qreal width) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    painter->drawPolyline(points);
    painter->restore();
}

void drawCheckBox(const QStyleOption* option, QPainter* painter) {
    const QPalette& palette = option->palette;
    const bool on = option->state & QStyle::State_On;
    const bool enabled = option->state & QStyle::State_Enabled;
    const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(on && enabled ? palette.color(QPalette::Link) : palette.color(QPalette::Dark), 1));
    painter->setBrush(on ? palette.color(enabled ? QPalette::Link : QPalette::Dark)
                         : palette.color(QPalette::Base));
    painter->drawRoundedRect(box, 3, 3);
    painter->restore();
    if (on) {
        const QPointF c = box.center();
        strokePath(
            painter,
            QPolygonF({{c.x() - 3.6, c.y() + 0.2}, {c.x() - 1, c.y() + 2.8}, {c.x() + 3.8, c.y() - 2.8}}),
            palette.color(QPalette::BrightText), 1.8);
    }
}

void drawArrow(const QRectF& rect, bool down, const QColor& color, QPainter* painter) {
    const QPointF c = rect.center();
    if (down)
        strokePath(painter, QPolygonF({{c.x() - 4, c.y() - 2}, {c.x(), c.y() + 2}, {c.x() + 4, c.y() - 2}}),
                   color, 1.5);
    else
        strokePath(painter, QPolygonF({{c.x() - 2, c.y() - 4}, {c.x() + 2, c.y()}, {c.x() - 2, c.y() + 4}}),
                   color, 1.5);
}

} // namespace

QString Theme::styleSheet() const {
    QString sheet = QString::fromLatin1(kSheet);
    for (const auto& [token, color] : tokens(*this))
        sheet.replace(token, color.name());
    return sheet;
}

FlatStyle::FlatStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void FlatStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
    const QColor muted = option->palette.color(QPalette::PlaceholderText);
    switch (element) {
    case PE_IndicatorCheckBox:
        drawCheckBox(option, painter);
        return;
    case PE_IndicatorBranch:
        if (option->state & State_Children)
            drawArrow(option->rect, option->state & State_Open, muted, painter);
        return;
    case PE_FrameFocusRect:
        return; // FocusRing draws the focus
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void FlatStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                   QPainter* painter, const QWidget* widget) const {
    if (control != CC_ComboBox) {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        return;
    }
    const QPalette& palette = option->palette;
    const bool hover = option->state & State_MouseOver;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(palette.color(QPalette::Dark), 1));
    painter->setBrush(palette.color(hover ? QPalette::AlternateBase : QPalette::Base));
    painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter->restore();
    drawArrow(QRectF(option->rect.right() - 24, option->rect.top(), 20, option->rect.height()), true,
              palette.color(QPalette::PlaceholderText), painter);
}

int FlatStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
        return 16;
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize:
        return 16;
    case PM_ToolBarItemMargin:
    case PM_ToolBarFrameWidth:
        return 0;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int FlatStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* returnData) const {
    switch (hint) {
    case SH_ComboBox_Popup:
        return 0;
    case SH_ToolTip_WakeUpDelay:
        return 100; // ms, so that a tip feels immediate
    default:
        return QProxyStyle::styleHint(hint, option, widget, returnData);
    }
}

void applyTheme(const Theme& theme) {
    if (qobject_cast<FlatStyle*>(QApplication::style()) == nullptr && qApp->styleSheet().isEmpty())
        QApplication::setStyle(new FlatStyle);
    // Qt replaces a sheet by polishing each widget again for itself and for every widget above it, but
    // polishes it once where a sheet goes or comes: through none it takes a quarter of the time.
    qApp->setStyleSheet({});
    QApplication::setFont(textFont(TextSize::Body));
    QApplication::setPalette(theme.palette());
    QToolTip::setPalette(theme.palette());
    qApp->setStyleSheet(theme.styleSheet());
}

} // namespace retracescope::views
