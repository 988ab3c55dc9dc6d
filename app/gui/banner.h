#pragma once

#include <functional>

#include <QFrame>
#include <QLabel>
#include <QPushButton>

namespace retracescope::gui {

/// The strip above the content for trouble that affects what is shown: one sentence, one action, and a cross.
class Banner : public QFrame {
    Q_OBJECT

public:
    enum class Kind { Error, Warning };

    explicit Banner(QWidget* parent = nullptr);

    void show(Kind kind, const QString& sentence, const QString& action, std::function<void()> act);
    QString sentence() const { return m_text->text(); }

private:
    QLabel* m_text;
    QPushButton* m_action;
    std::function<void()> m_act;
};

} // namespace retracescope::gui
