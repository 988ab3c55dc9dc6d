#include "views/shared/widgets.h"

#include <QFontMetrics>
#include <QLayout>
#include <QPainter>
#include <QScrollArea>
#include <QStyle>
#include <QStyleOption>
#include <QVBoxLayout>

#include "views/shared/icons.h"

namespace retracescope::views {

QLabel* makeLabel(const QString& text, const char* role, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    if (role != nullptr)
        label->setProperty("role", QLatin1String(role));
    return label;
}

void setRole(QWidget* widget, const char* role) {
    if (widget->property("role").toString() == QLatin1String(role))
        return;
    widget->setProperty("role", QLatin1String(role));
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

QPushButton* makeButton(const QString& text, const QString& iconName, bool primary, QWidget* parent) {
    // The style leaves no gap between icon and text.
    auto* button = new QPushButton(iconName.isEmpty() ? text : QLatin1Char(' ') + text, parent);
    if (!iconName.isEmpty())
        button->setIcon(icon(iconName, primary ? IconTone::OnAccent : IconTone::Text));
    button->setProperty("primary", primary);
    button->setAccessibleName(text);
    return button;
}

QString elidedWithToolTip(QWidget* widget, const QString& text, int width) {
    const QString shown = QFontMetrics(widget->font()).elidedText(text, Qt::ElideMiddle, width);
    if (shown != text)
        widget->setToolTip(text);
    return shown;
}

QLabel* makeChip(const QString& text, const char* role) {
    constexpr int kWidest = 280;
    QLabel* label = makeLabel({}, role);
    label->setText(elidedWithToolTip(label, text, kWidest));
    label->setAccessibleName(text);
    return label;
}

Link::Link(const QString& text, QWidget* parent) : QPushButton(parent) {
    setProperty("link", true);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setWhole(text);
}

void Link::setWhole(const QString& text) {
    m_whole = text;
    setAccessibleName(text);
    updateGeometry();
    elide();
}

void Link::elide() {
    const QString shown = fontMetrics().elidedText(m_whole, Qt::ElideMiddle, width());
    setText(shown);
    setToolTip(text() == m_whole ? QString() : m_whole);
}

QSize Link::sizeHint() const {
    ensurePolished();
    return {fontMetrics().horizontalAdvance(m_whole) + 2, QPushButton::sizeHint().height()};
}

QSize Link::minimumSizeHint() const {
    return {std::min(sizeHint().width(), fontMetrics().averageCharWidth() * 10), sizeHint().height()};
}

void Link::resizeEvent(QResizeEvent* event) {
    QPushButton::resizeEvent(event);
    elide();
}

QFrame* makeCard(QWidget* parent) {
    auto* frame = new QFrame(parent);
    frame->setProperty("card", true);
    return frame;
}

QSplitter* makeSplit(QWidget* left, QWidget* right, QWidget* side, int width) {
    constexpr int kRest = 1000; // any: the splitter gives it what is left
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setStretchFactor(side == left ? 1 : 0, 1);
    splitter->setSizes(side == left ? QList<int>{width, kRest} : QList<int>{kRest, width});
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(1);
    return splitter;
}

QVBoxLayout* makeScrolledColumn(QWidget* page) {
    auto* content = new QWidget;
    content->setProperty("surface", "view");
    auto* column = new QVBoxLayout(content);
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    return column;
}

QFrame* makeRule(QWidget* parent) {
    auto* frame = new QFrame(parent);
    frame->setProperty("rule", true);
    frame->setFixedHeight(1);
    return frame;
}

ElidedLabel::ElidedLabel(const QString& text, const char* role, QWidget* parent) : QLabel(text, parent) {
    setTextFormat(Qt::PlainText);
    if (role != nullptr)
        setProperty("role", QLatin1String(role));
}

QSize ElidedLabel::minimumSizeHint() const {
    const QFontMetrics metrics(font());
    return {std::min(metrics.horizontalAdvance(text()), metrics.averageCharWidth() * 8), metrics.height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QStyleOption option;
    option.initFrom(this);
    QPainter painter(this);
    style()->drawPrimitive(QStyle::PE_Widget, &option, &painter, this);
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideMiddle, contentsRect().width());
    setToolTip(shown == text() ? QString() : text());
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(contentsRect(), static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
}

MessagePanel::MessagePanel(QWidget* parent)
    : QWidget(parent), m_sentence(makeLabel({}, "title", this)), m_detail(makeLabel({}, "muted", this)),
      m_action(new QPushButton(this)) {
    for (QLabel* label : {m_sentence, m_detail}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
    }
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(48, 24, 48, 24);
    layout->setSpacing(kGap);
    layout->addStretch(2);
    layout->addWidget(m_sentence);
    layout->addWidget(m_detail);
    layout->addSpacing(kGap);
    layout->addWidget(m_action, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    connect(m_action, &QPushButton::clicked, this, &MessagePanel::actionTriggered);
}

void MessagePanel::setMessage(const QString& sentence, const QString& detail, const QString& action) {
    m_sentence->setText(sentence);
    m_detail->setText(detail);
    m_detail->setVisible(!detail.isEmpty());
    m_action->setText(action);
    m_action->setVisible(!action.isEmpty());
    setAccessibleName(sentence);
}

QString MessagePanel::sentence() const {
    return m_sentence->text();
}

void clearLayout(QLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        } else if (QLayout* inner = item->layout()) {
            clearLayout(inner);
        }
        delete item;
    }
}

} // namespace retracescope::views
