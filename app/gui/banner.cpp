#include "app/gui/banner.h"

#include <QHBoxLayout>
#include <QStyle>
#include <QToolButton>

#include "views/shared/icons.h"
#include "views/shared/theme.h"

namespace retracescope::gui {

Banner::Banner(QWidget* parent) : QFrame(parent), m_text(new QLabel), m_action(new QPushButton) {
    setObjectName(QStringLiteral("banner"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton;
    close->setIcon(views::icon(QStringLiteral("close")));
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(tr("Close this message"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(views::kMargin, 6, 8, 6);
    layout->setSpacing(views::kGap);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_action);
    layout->addWidget(close);
    connect(m_action, &QPushButton::clicked, this, [this] {
        hide();
        if (m_act)
            m_act();
    });
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void Banner::show(Kind kind, const QString& sentence, const QString& action, std::function<void()> act) {
    setProperty("kind", kind == Kind::Error ? QStringLiteral("error") : QStringLiteral("warning"));
    for (QWidget* widget : {static_cast<QWidget*>(this), static_cast<QWidget*>(m_text)}) {
        widget->style()->unpolish(widget);
        widget->style()->polish(widget);
    }
    m_text->setText(sentence);
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    m_act = std::move(act);
    setAccessibleName(sentence);
    QFrame::show();
}

} // namespace retracescope::gui
