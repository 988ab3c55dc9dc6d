#include "app/gui/welcome_card.h"

#include <QContextMenuEvent>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QPainter>

#include "views/shared/icons.h"
#include "views/shared/numbers.h"

namespace retracescope::gui {

namespace {

constexpr int kTextLeft = 52;

QColor towards(const QColor& from, const QColor& to, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(a + (b - a) * share); };
    return {mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue())};
}

/// "today 14:32", "yesterday", "12 Mar", "12 Mar 2024".
QString when(const QDateTime& time) {
    const QDate today = QDate::currentDate();
    const QDate day = time.date();
    if (day == today)
        return QCoreApplication::translate("Welcome", "today %1")
            .arg(time.time().toString(QStringLiteral("HH:mm")));
    if (day == today.addDays(-1))
        return QCoreApplication::translate("Welcome", "yesterday");
    return QLocale::c().toString(day, day.year() == today.year() ? QStringLiteral("d MMM")
                                                                 : QStringLiteral("d MMM yyyy"));
}

QString shortFolder(const QString& path) {
    const QString folder = QFileInfo(path).absolutePath();
    const QString home = QDir::homePath();
    return folder.startsWith(home) ? QStringLiteral("~") + folder.mid(home.size()) : folder;
}

} // namespace

ActionCard::ActionCard(views::ViewState& state, const QString& iconName, const QString& title,
                       const QString& detail, const QString& key, bool primary, QWidget* parent)
    : QAbstractButton(parent), m_state(state), m_icon(iconName), m_detail(detail), m_key(key),
      m_primary(primary) {
    setText(title);
    setAccessibleName(title);
    setAccessibleDescription(detail);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setFixedHeight(sizeHint().height());
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&state, &views::ViewState::themeChanged, this, [this] { update(); });
}

void ActionCard::paintEvent(QPaintEvent*) {
    const views::Theme& theme = m_state.theme();
    const QColor text = m_primary ? theme.onAccent : theme.text;
    const QColor muted = m_primary ? theme.onAccent : theme.muted;
    QColor fill = m_primary ? theme.accent : theme.raised;
    if (underMouse())
        fill = m_primary ? towards(theme.accent, theme.view, 0.12) : theme.hover;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_primary ? theme.accent : theme.line2, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    painter.drawPixmap(QPointF(16, height() / 2.0 - 10),
                       views::iconPixmap(m_icon, text, 20, devicePixelRatioF()));
    const QRect title(kTextLeft, 11, width() - kTextLeft - 14, 22);
    painter.setFont(views::textFont(views::TextSize::Caption));
    painter.setPen(muted);
    painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, m_key);
    const QRect detail(kTextLeft, 33, width() - kTextLeft - 14, 20);
    painter.drawText(detail, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_detail, Qt::ElideRight, detail.width()));
    painter.setFont(views::textFont(views::TextSize::Strong, true));
    painter.setPen(text);
    painter.drawText(title, Qt::AlignVCenter, this->text());
}

RecentCard::RecentCard(views::ViewState& state, int number, RecentSession session, QWidget* parent)
    : QAbstractButton(parent), m_state(state), m_number(number), m_session(std::move(session)),
      m_missing(!m_session.exists()) {
    setText(QFileInfo(m_session.path).fileName());
    setAccessibleName(m_missing ? tr("%1, file not found").arg(text()) : text());
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setFixedHeight(sizeHint().height());
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(m_session.path);
    connect(&state, &views::ViewState::themeChanged, this, [this] { update(); });
}

void RecentCard::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    if (m_missing)
        menu.addAction(tr("Locate…"), this, &RecentCard::locateRequested);
    else
        menu.addAction(tr("Open"), this, &RecentCard::click);
    menu.addAction(tr("Remove from the list"), this, &RecentCard::removeRequested);
    menu.exec(event->globalPos());
}

void RecentCard::paintFrame(QPainter& painter) const {
    const views::Theme& theme = m_state.theme();
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(underMouse() ? theme.hover : theme.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
    painter.setPen(theme.muted);
    painter.setFont(views::textFont(views::TextSize::Body, true));
    painter.drawText(QRect(0, 0, 40, height()), Qt::AlignCenter, QString::number(m_number));
}

void RecentCard::paintEvent(QPaintEvent*) {
    const views::Theme& theme = m_state.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintFrame(painter);
    const QRect top(38, 9, width() - 52, 20);
    const QRect bottom(38, 30, width() - 52, 18);

    QString verdict = tr("not opened yet");
    QColor verdictColor = theme.muted;
    if (m_missing) {
        verdict = tr("Locate…");
        verdictColor = theme.accent;
    } else if (m_session.examined && !m_session.knowsCalls) {
        verdict = tr("no function calls");
    } else if (m_session.examined && m_session.avoidableNs > 0) {
        verdict = tr("%1 avoidable").arg(views::durationText(m_session.avoidableNs));
        verdictColor = theme.miss.text;
    } else if (m_session.examined && m_session.failedCalls > 0) {
        verdict = tr("%1 failed").arg(views::pluralText(m_session.failedCalls, tr("call"), tr("calls")));
        verdictColor = theme.error.text;
    } else if (m_session.examined && !m_session.nothingToFix) {
        verdict = tr("no edit known");
    } else if (m_session.examined) {
        verdict = tr("nothing to fix");
        verdictColor = theme.hit.text;
    }
    painter.setFont(views::textFont(views::TextSize::Body, verdictColor != theme.muted && !m_missing));
    painter.setPen(verdictColor);
    painter.drawText(top, Qt::AlignRight | Qt::AlignVCenter, verdict);
    const int verdictWidth = painter.fontMetrics().horizontalAdvance(verdict) + 12;
    painter.setFont(views::textFont(views::TextSize::Strong, true));
    painter.setPen(m_missing ? theme.disabled() : theme.text);
    painter.drawText(top, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text(), Qt::ElideMiddle, top.width() - verdictWidth));

    painter.setFont(views::textFont(views::TextSize::Caption));
    painter.setPen(theme.muted);
    QString facts = when(m_session.opened);
    if (m_session.knowsCalls)
        facts = tr("%1 · %2   %3")
                    .arg(views::pluralText(m_session.calls, tr("call"), tr("calls")),
                         views::pluralText(m_session.traces, tr("trace"), tr("traces")), facts);
    painter.drawText(bottom, Qt::AlignRight | Qt::AlignVCenter, facts);
    const int factsWidth = painter.fontMetrics().horizontalAdvance(facts) + 12;
    QString place = shortFolder(m_session.path);
    if (m_missing)
        place += tr(" · file not found");
    else if (!m_session.source.isEmpty())
        place += QStringLiteral(" · ") + m_session.source;
    painter.setPen(m_missing ? theme.error.text : theme.muted);
    painter.drawText(bottom, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(place, Qt::ElideMiddle, bottom.width() - factsWidth));
}

} // namespace retracescope::gui
