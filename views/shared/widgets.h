#pragma once

#include <vector>

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QString>
#include <QVBoxLayout>

#include <retracescope/diagnose/explain.h>

#include "views/shared/theme.h"

/// The small parts that several views are built of. `role` names a rule of the style sheet (theme_style.cpp).
namespace retracescope::views {

QLabel* makeLabel(const QString& text, const char* role = nullptr, QWidget* parent = nullptr);

/// Gives a widget another rule of the style sheet.
void setRole(QWidget* widget, const char* role);

/// A button with an icon of resources/icons; `primary` is filled with the accent.
QPushButton* makeButton(const QString& text, const QString& iconName, bool primary = false,
                        QWidget* parent = nullptr);

/// A caption in a rounded frame. Long text is elided in the middle, the whole is the tooltip.
QLabel* makeChip(const QString& text, const char* role = "chip");

/// `text` elided in the middle to `width` pixels on `widget`; then the whole is its tooltip.
QString elidedWithToolTip(QWidget* widget, const QString& text, int width);

/// A button that looks like a link; elides its text where there is no room for it.
class Link : public QPushButton {
    Q_OBJECT

public:
    explicit Link(const QString& text, QWidget* parent = nullptr);

    void setWhole(const QString& text);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void elide();

    QString m_whole;
};

/// A raised frame with rounded corners.
QFrame* makeCard(QWidget* parent = nullptr);

/// Two panes side by side with a hairline between them; `side` has `width` pixels, the other takes what is
/// left. Neither can be dragged to nothing.
QSplitter* makeSplit(QWidget* left, QWidget* right, QWidget* side, int width);

/// Fills `page` with a column that scrolls up and down; what is added to it stands from the top.
QVBoxLayout* makeScrolledColumn(QWidget* page);

/// One hairline across.
QFrame* makeRule(QWidget* parent = nullptr);

/// A label that elides its text in the middle instead of asking for more width; the tooltip has all of it.
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(const QString& text = {}, const char* role = nullptr, QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// A view without anything to show: one sentence and at most one button.
class MessagePanel : public QWidget {
    Q_OBJECT

public:
    explicit MessagePanel(QWidget* parent = nullptr);

    /// `action` empty: no button.
    void setMessage(const QString& sentence, const QString& detail = {}, const QString& action = {});
    QString sentence() const;

Q_SIGNALS:
    void actionTriggered();

private:
    QLabel* m_sentence;
    QLabel* m_detail;
    QPushButton* m_action;
};

/// Removes and deletes every item of a widget's layout.
void clearLayout(QLayout* layout);

} // namespace retracescope::views
